//! A team under simulation: who is up, who sleeps, whose clock shows what, and what comes next.

mod arriving;
mod ending;
mod judging;
mod time;

pub(crate) use self::ending::{Back, End};

use std::collections::BTreeMap;

use team_protocols::{
    Approval, Config, Engine, Event, Incarnation, KindRules, MemberConfig, Millis, Permit,
    ProtocolError, Role, SectionId, SeededIds, Timestamp,
};

use self::ending::{Kept, ended};
use crate::coverage::Coverage;
use crate::faults::Fault;
use crate::harness::{Called, Net, Network, Packet, START, Weather, kind, member, name};
use crate::laws::Laws;
use crate::script::Shape;

/// The team.
pub(crate) struct World {
    pub(crate) net: Net,
    pub(crate) shape: Shape,
    pub(crate) members: Vec<Member>,
    pub(crate) laws: Laws,
    pub(crate) cover: Coverage,
    pub(crate) texts: u64,
    /// What the laws are told wrongly, to see them object.
    pub(crate) fault: Option<Fault>,
    /// Whether every frame and event is printed.
    pub(crate) trace: bool,
    later: BTreeMap<(u64, u64), Later>,
    order: u64,
}

/// One member and what its host keeps.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) up: bool,
    pub(crate) asleep_until: u64,
    /// What came in its sleep: by which channel, and whether that is not what its sender sent.
    held: Vec<(Packet, String, bool)>,
    pub(crate) life: Incarnation,
    births: u64,
    pub(crate) sections: Vec<SectionId>,
    pub(crate) permits: Vec<(Permit, String)>,
    pub(crate) runs: Vec<(String, u32, bool)>,
    /// The latest time that its engine was told.
    latest: u64,
    /// How its process ends with the next input, where it is to.
    pub(crate) ends: Option<End>,
    /// What an ended process has left, until another one goes on.
    pub(crate) kept: Option<Kept>,
    /// What its host was told since this line of its journal.
    told: (u64, Vec<Event>),
    /// How many processes its present life had.
    processes: u64,
}

/// Something that hosts do later.
enum Later {
    Announce {
        to: usize,
        who: usize,
        life: Incarnation,
    },
    /// Another process of a life begins.
    GoOn {
        who: usize,
        life: Incarnation,
    },
    /// A host sees to something by itself.
    See {
        who: usize,
        life: Incarnation,
        to: Errand,
    },
}

/// What a host sees to.
#[derive(Clone, Debug)]
pub(crate) enum Errand {
    Answer(String),
    /// Does approved work, and reports it.
    Act(String),
    Report(String),
    Finish(String, u32),
    Leave,
}

impl World {
    pub(crate) fn new(shape: Shape) -> Self {
        let mut net = Net::team(&[]);
        net.remove(crate::harness::LEAD);
        net.network = Network::new(shape.seed);
        net.network.fates = Some(shape.seed);
        net.network.keep = 64;
        let mut world = Self {
            net,
            shape,
            members: Vec::new(),
            laws: Laws::default(),
            cover: Coverage::default(),
            texts: 0,
            fault: None,
            trace: false,
            later: BTreeMap::new(),
            order: 0,
        };
        for place in 0..shape.size() {
            world.enlist(place);
        }
        for place in 0..shape.size() {
            world.begin(place, false);
        }
        let config = world.config(0, false);
        world.laws.tight = shape.tight;
        world.laws.strike_limit = config.timing.strikes;
        world.laws.pause_max = config.timing.pause_max.as_ms();
        world.laws.open_limit = config.limits.open_per_member;
        world.laws.audit_limit = config.limits.audit_entries;
        world.laws.remembered = config.limits.remembered_per_member;
        world
    }

    /// Lists a member; its engine does not run yet.
    pub(crate) fn enlist(&mut self, place: usize) {
        let role = match place {
            0 => Role::Lead,
            n if n <= self.shape.approvers => Role::Approver,
            _ => Role::Worker,
        };
        self.members.push(Member {
            name: self.shape.name(place),
            role,
            up: false,
            asleep_until: 0,
            held: Vec::new(),
            life: Incarnation::new(Timestamp::from_ms(START), place as u64),
            births: 0,
            sections: Vec::new(),
            permits: Vec::new(),
            runs: Vec::new(),
            latest: 0,
            ends: None,
            kept: None,
            told: (0, Vec::new()),
            processes: 0,
        });
    }

    /// A host will see to something, now and then, after a while.
    pub(crate) fn put_off(&mut self, who: usize, to: Errand, id: &str) {
        let drawn = id.bytes().fold(self.shape.seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = crate::harness::Random::new(drawn);
        if random.below(100) >= self.shape.prompt {
            return;
        }
        let longest = [30, 800, 6_000, 25_000][random.below(4) as usize];
        let at = self.now() + random.below(longest);
        self.order += 1;
        let life = self.members[who].life;
        self.later.insert((at, self.order), Later::See { who, life, to });
    }

    /// How a member is listed. The first worker may be named to decide too.
    pub(crate) fn listed(&self, place: usize) -> MemberConfig {
        let of = &self.members[place];
        let approver = place == self.shape.approvers + 1 && self.shape.seed % 2 == 0;
        MemberConfig { approver, ..member(&of.name, of.role) }
    }

    fn config(&self, place: usize, knows_lives: bool) -> Config {
        let mut members: Vec<_> = (0..self.members.len()).map(|at| self.listed(at)).collect();
        for (at, listed) in members.iter_mut().enumerate() {
            if knows_lives && at != place {
                listed.incarnation = Some(self.members[at].life);
            }
        }
        let of = &self.members[place];
        let mut config = Config::new(name(&of.name), of.life, members);
        config.kinds = kinds();
        config.limits.audit_entries = 64;
        if self.shape.tight {
            let (timing, limits) = (&mut config.timing, &mut config.limits);
            limits.open_per_member = 3;
            limits.remembered_per_member = 4;
            limits.lineage = 4;
            limits.appeals = 1;
            limits.repeats_per_request = 6;
            timing.timeout = Millis::new(8_000);
            timing.cap = Millis::new(30_000);
            timing.ack_delay = Millis::new(700);
            timing.exit_grace = Millis::new(2_000);
            timing.report_due = Millis::new(15_000);
            timing.pause_max = Millis::new(60_000);
            timing.judgement_grace = Millis::new(1_000);
            timing.breaker_cooldown = Millis::new(5_000);
            timing.trial_timeout = Millis::new(2_000);
            timing.repeat_window = Millis::new(2_000);
            timing.ask_again = Millis::new(3_000);
            timing.ask_again_max = Millis::new(15_000);
        }
        config
    }

    /// A life of a member begins. What the others know of it comes later, but for the first one,
    /// which its listing announces.
    pub(crate) fn begin(&mut self, place: usize, knows_lives: bool) {
        let skew = self.skew(place);
        let (now, births) = (self.now().saturating_add_signed(skew), self.members[place].births);
        let nonce = self.shape.seed.wrapping_mul(31) ^ (place as u64) << 32 ^ births;
        let life = Incarnation::new(Timestamp::from_ms(now), nonce);
        let name = self.members[place].name.clone();
        let config = {
            self.members[place].life = life;
            self.config(place, knows_lives)
        };
        self.net.remove(&name);
        let ids = SeededIds::new(&format!("{} {name} {births}", self.shape.seed));
        self.net.add_node(config, Box::new(ids), skew);
        let of = &mut self.members[place];
        of.up = true;
        of.births += 1;
        of.latest = now;
        of.asleep_until = 0;
        of.held.clear();
        of.sections.clear();
        of.permits.clear();
        of.runs.clear();
        (of.ends, of.kept, of.processes) = (None, None, 0);
        of.told = (0, Vec::new());
        self.laws.born(&name, nonce);
    }

    /// Hosts learn of a new life, each in its time.
    pub(crate) fn announce(&mut self, place: usize, delay: u64) {
        let life = self.members[place].life;
        for to in (0..self.members.len()).filter(|to| *to != place) {
            let at = self.now() + delay * (to as u64 % 3);
            self.order += 1;
            self.later.insert((at, self.order), Later::Announce { to, who: place, life });
        }
    }

    fn skew(&self, place: usize) -> i64 {
        let name = &self.members[place].name;
        if self.net.has(name) {
            return self.net.node(name).skew;
        }
        let spread = crate::harness::Random::new(self.shape.seed ^ place as u64).next();
        (spread % (2 * self.shape.skew + 1)) as i64 - self.shape.skew as i64
    }

    pub(crate) fn now(&self) -> u64 {
        START + self.net.now()
    }

    pub(crate) fn engine(&self, place: usize) -> Option<&Engine> {
        let of = self.members.get(place).filter(|of| of.up)?;
        Some(self.net.engine(&of.name))
    }

    /// Whether a member takes calls now.
    pub(crate) fn awake(&self, place: usize) -> bool {
        self.members.get(place).is_some_and(|of| of.up && of.asleep_until <= self.now())
    }

    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|of| of.name == name)
    }

    pub(crate) fn weather(&mut self, [loss, duplication, delay]: [u64; 3]) {
        self.net.network.weather = Weather { loss, duplication, delay };
    }

    /// Prints a line of the story, where it is to be told.
    pub(crate) fn trace(&self, line: impl FnOnce() -> String) {
        if self.trace {
            println!("{:>9} {}", self.net.now(), line());
        }
    }

    // ---- inputs ----

    /// A call of the host of a member. A refused one must change nothing and do nothing.
    pub(crate) fn call<T: std::fmt::Debug>(
        &mut self,
        place: usize,
        run: impl FnOnce(&mut Engine, Timestamp) -> Called<T>,
    ) -> Called<T> {
        self.wake(place);
        if !self.members[place].up {
            return Err(ended());
        }
        let own = self.members[place].name.clone();
        let before = self.net.engine(&own).state_hash().to_string();
        let (posted, written) = (self.net.network.posted, self.written(place));
        let result = self.net.act(&own, run);
        self.input(place);
        if self.torn(place, written) {
            return Err(ended());
        }
        if let Err(error) = &result {
            self.refused(&own, error, &before, posted);
        }
        result
    }

    fn refused(&mut self, own: &str, error: &ProtocolError, before: &str, posted: u64) {
        self.cover.seen("refused", error.code());
        let mut after = self.net.engine(own).state_hash().to_string();
        if self.fault == Some(Fault::RefusedCall) {
            after.push('!');
        }
        let events = self.net.events(own).len();
        if after != before || posted != self.net.network.posted || events > 0 {
            let what = format!("{own}: {} changed something ({events} events)", error.code());
            crate::laws::broken("refused call", what);
        }
    }

    /// An engine is given an input, and with it the time.
    pub(crate) fn input(&mut self, place: usize) {
        let local = self.net.local(&self.members[place].name).as_ms();
        let of = &mut self.members[place];
        of.latest = of.latest.max(local);
        self.cover.inputs += 1;
    }

    /// The deadlines of a member that have come.
    pub(crate) fn wake(&mut self, place: usize) {
        let own = self.members[place].name.clone();
        let due = self.net.engine(&own).poll_deadline();
        if due.is_some_and(|due| due <= self.net.local(&own)) {
            self.meet_due(place);
            let written = self.written(place);
            self.net.act(&own, Engine::handle_deadline);
            self.input(place);
            self.torn(place, written);
            self.judge(place);
        }
    }
}

/// Kinds of every sort: blocking and not, with a gate and without, and one that means leaving.
fn kinds() -> Vec<KindRules> {
    use Role::{Approver, Lead, Worker};
    vec![
        KindRules {
            approval: Approval::OpensGate,
            timeout: Some(Millis::new(20_000)),
            ..kind("grant", &[Worker], &[Lead, Approver])
        },
        KindRules { cyclic: true, ..kind("sync", &[Worker], &[Worker]) },
        kind("review", &[Worker], &[Approver, Lead]),
        KindRules {
            blocking: false,
            refusal_needs_reason: false,
            ..kind("ping", &[Lead, Worker, Approver], &[Lead, Worker, Approver])
        },
        KindRules {
            approval: Approval::Leaves,
            blocking: false,
            ..kind("dismiss", &[Lead], &[Approver, Worker])
        },
    ]
}
