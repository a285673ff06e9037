//! What the fuzz targets do with their bytes. `tests/fuzz.rs` does the same with seeded ones.

use std::collections::{BTreeMap, VecDeque};

use team_protocols::{
    AskOptions, Body, BooleanPolicy, Config, Details, Effect, Engine, Envelope, Escalation, Event,
    Incarnation, Kind, Limits, MemberConfig, MemberName, Millis, Plan, RawBody, Recipient,
    Response, Role, Saved, SectionPolicy, SeededIds, Sender, StageSpec, Timestamp, Uses,
    decode_envelope, decode_message, decode_payload, decode_plan, decode_tool_call, encode,
    looks_like_protocol,
};

/// Reads a text in every way in which texts come in. Nothing panics, and what is a frame is the same
/// frame when it is written and read once more.
pub fn decode(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let limits = Limits::default();
    let _tool = decode_tool_call(&text, &limits, BooleanPolicy::Wide);
    let _payload = decode_payload(&text, &limits);
    let _plan = decode_plan(&text, &limits);
    let _flagged = looks_like_protocol(&text);
    for saved in
        [Saved { snapshot: Some(&text), journal: "" }, Saved { snapshot: None, journal: &text }]
    {
        let _nothing = Engine::replay(saved);
    }
    let Ok(head) = decode_envelope(&text, &limits) else { return };
    let (Some(from), Recipient::Member(to)) = (head.from.clone(), head.to.clone()) else { return };
    let message = match head.body {
        RawBody::Text(text) => Body::Text(text),
        RawBody::Structured(object) => {
            let Ok(decoded) = decode_message(object, BooleanPolicy::Wide) else { return };
            Body::Structured(decoded.message)
        }
    };
    let envelope = Envelope {
        v: 1,
        id: head.id.into(),
        seq: head.seq,
        from,
        from_incarnation: head.from_incarnation,
        to,
        to_incarnation: head.to_incarnation,
        at: head.at,
        reminder: head.reminder,
        message,
    };
    let written = encode(&envelope);
    let again = decode_envelope(&written, &limits).expect("what was written is read");
    let same = match (&envelope.message, again.body) {
        (Body::Text(text), RawBody::Text(again)) => *text == again,
        (Body::Structured(message), RawBody::Structured(object)) => {
            let again = decode_message(object, BooleanPolicy::Strict);
            again.is_ok_and(|again| again.message == *message)
        }
        (Body::Text(_) | Body::Structured(_), _) => false,
    };
    assert!(same, "{written}");
}

/// The bytes of an input, one decision after the other; zeros when there are no more.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.next()) % bound.max(1)
    }
}

const MEMBERS: [(&str, Role); 4] = [
    ("team-lead", Role::Lead),
    ("alice", Role::Worker),
    ("bob", Role::Worker),
    ("ann", Role::Approver),
];

/// One engine and what its host keeps.
struct Host {
    engine: Engine,
    journal: String,
    snapshot: Option<String>,
    ends: BTreeMap<String, u32>,
    processes: u32,
    permits: Vec<team_protocols::Permit>,
    sections: Vec<team_protocols::SectionId>,
    runs: Vec<(String, u32)>,
}

struct Team {
    hosts: Vec<Host>,
    under_way: VecDeque<(usize, usize, String)>,
    now: u64,
}

const START: u64 = 1_700_000_000_000;

fn name(text: &str) -> MemberName {
    MemberName::parse(text).expect("a name")
}

/// Gives a team whatever the bytes say: calls, frames late, twice, changed and lost, time, crashes.
/// Nothing panics; every request ends once; a refused call changes nothing; what was due is done;
/// the journal gives the same engine again.
pub fn engines(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut team = Team::new();
    for _ in 0..400 {
        if bytes.0.is_empty() {
            break;
        }
        let who = bytes.below(MEMBERS.len());
        match bytes.below(8) {
            0 | 1 => team.deliver(&mut bytes),
            2 => {
                let spans = [1, 100, 5_000, 20_000, 60_000, 600_000];
                team.pass(spans[bytes.below(spans.len())]);
            }
            3 => team.restart(who, &mut bytes),
            _ => team.call(who, &mut bytes),
        }
    }
    team.pass(3_000_000);
    for host in &team.hosts {
        host.comes_back();
    }
}

impl Team {
    fn new() -> Self {
        let host = |place: usize| {
            let (own, _) = MEMBERS[place];
            let members = MEMBERS.iter().map(|(of, role)| MemberConfig::new(name(of), *role));
            let life = Incarnation::new(Timestamp::from_ms(START), place as u64);
            let mut config = Config::new(name(own), life, members.collect());
            config.journal = true;
            config.limits.audit_entries = 16;
            let ids = Box::new(SeededIds::new(own));
            let engine = Engine::new(Timestamp::from_ms(START), config, ids).expect("an engine");
            Host {
                engine,
                journal: String::new(),
                snapshot: None,
                ends: BTreeMap::new(),
                processes: 0,
                permits: Vec::new(),
                sections: Vec::new(),
                runs: Vec::new(),
            }
        };
        let hosts = (0..MEMBERS.len()).map(host).collect();
        let mut team = Self { hosts, under_way: VecDeque::new(), now: START };
        (0..MEMBERS.len()).for_each(|place| team.drain(place));
        team
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now)
    }

    fn drain(&mut self, place: usize) {
        let host = &mut self.hosts[place];
        while let Some(effect) = host.engine.poll_effect() {
            match effect {
                Effect::Journal(line) => {
                    host.journal.push_str(&line.text);
                    host.journal.push('\n');
                    host.engine.released(line.n);
                }
                Effect::Send(send) => {
                    let to = MEMBERS.iter().position(|(of, _)| *of == send.to.as_str());
                    self.under_way.push_back((place, to.expect("a member"), send.frame));
                }
                Effect::Event(Event::Settled(outcome)) => {
                    let ends = host.ends.entry(outcome.request_id.as_str().to_owned()).or_insert(0);
                    *ends += 1;
                    assert_eq!(*ends, 1, "{outcome:?}");
                }
                Effect::Event(Event::Work(work)) => {
                    host.runs.push((work.request_id.as_str().to_owned(), work.run));
                }
                Effect::Event(_) => {}
            }
        }
        let due = self.hosts[place].engine.poll_deadline();
        assert!(due.is_none_or(|due| due > self.now()) || self.spurious(place), "{due:?} is past");
    }

    /// An early deadline is one at which there is nothing to do.
    fn spurious(&mut self, place: usize) -> bool {
        let now = self.now();
        let host = &mut self.hosts[place];
        host.engine.handle_deadline(now);
        host.engine.poll_effect().is_none()
    }

    /// Time passes, from one deadline to the next.
    fn pass(&mut self, span: u64) {
        let end = self.now + span;
        for _ in 0..2_000 {
            let due = self.hosts.iter().filter_map(|host| host.engine.poll_deadline()).min();
            let Some(due) = due.map(Timestamp::as_ms).filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            for place in 0..self.hosts.len() {
                let now = self.now();
                self.hosts[place].engine.handle_deadline(now);
                self.drain(place);
            }
        }
        self.now = end;
        for place in 0..self.hosts.len() {
            let now = self.now();
            self.hosts[place].engine.handle_deadline(now);
            self.drain(place);
        }
    }

    fn deliver(&mut self, bytes: &mut Bytes<'_>) {
        let at = bytes.below(self.under_way.len());
        let Some((from, to, frame)) = self.under_way.get(at).cloned() else { return };
        let mut channel = MEMBERS[from].0;
        let frame = match bytes.below(8) {
            0 => {
                self.under_way.remove(at);
                return;
            }
            1 => frame,
            2 => {
                channel = MEMBERS[bytes.below(MEMBERS.len())].0;
                frame
            }
            3 => {
                let mut changed = frame.into_bytes();
                for _ in 0..=bytes.below(3) {
                    let place = (bytes.below(256) * 7 + bytes.below(256)) % changed.len();
                    changed[place] = bytes.next();
                }
                String::from_utf8_lossy(&changed).into_owned()
            }
            _ => {
                self.under_way.remove(at);
                frame
            }
        };
        let now = self.now();
        let _disposition =
            self.hosts[to].engine.handle_frame(now, &frame, Sender::Channel(channel));
        self.drain(to);
    }

    /// The process of a member ends, and another goes on, perhaps from a torn journal.
    fn restart(&mut self, place: usize, bytes: &mut Bytes<'_>) {
        let now = self.now();
        let host = &mut self.hosts[place];
        host.comes_back();
        if bytes.below(2) == 0 {
            host.snapshot = host.engine.snapshot().ok();
        }
        host.processes += 1;
        let ids = Box::new(SeededIds::new(&format!("{place} {}", host.processes)));
        let snapshot = host.snapshot.as_deref().filter(|_| bytes.below(2) == 0);
        let torn = &"{\"sum\":\"0123456789abcdef\",\"after\":\"0"[..bytes.below(30)];
        let journal = format!("{}{torn}", host.journal);
        let saved = Saved { snapshot, journal: &journal };
        let restored = Engine::restore(now, &name(MEMBERS[place].0), saved, ids);
        let (engine, restored) = restored.expect("what was kept is restored");
        assert_eq!(restored.torn_bytes, torn.len());
        host.engine = engine;
        // What the last line has caused comes once more.
        host.ends.clear();
        self.drain(place);
    }

    #[expect(clippy::too_many_lines, reason = "one arm per call")]
    fn call(&mut self, place: usize, bytes: &mut Bytes<'_>) {
        let now = self.now();
        let other = MEMBERS[bytes.below(MEMBERS.len())].0;
        let host = &mut self.hosts[place];
        let engine = &mut host.engine;
        let before = engine.state_hash();
        let due = engine.poll_deadline().is_some_and(|due| due <= now);
        let mine = |engine: &Engine, at: usize, mine: bool| {
            let team = engine.team().into_iter();
            let views: Vec<_> = team.flat_map(|of| if mine { of.asked } else { of.owed }).collect();
            views.get(at % views.len().max(1)).map(|view| view.request_id.as_str().to_owned())
        };
        let pick = bytes.below(256);
        let own = |engine: &Engine| mine(engine, pick, true).unwrap_or_default();
        let theirs = |engine: &Engine| mine(engine, pick, false).unwrap_or_default();
        let text = |at: usize| ["", "busy", "请", "x"][at % 4].to_owned();
        let work = |at: usize| at.is_multiple_of(3).then(|| "deploy".to_owned());
        let options = |bytes: &mut Bytes<'_>| {
            let (at, limit) = (bytes.below(256), bytes.below(256));
            let stage = StageSpec {
                approvers: vec!["team-lead".to_owned(), "ann".to_owned()],
                threshold: 1 + at % 2,
                veto: at.is_multiple_of(5),
            };
            AskOptions {
                timeout: limit.is_multiple_of(3).then(|| Millis::new(limit as u64 * 100)),
                cap: limit.is_multiple_of(7).then(|| Millis::new(limit as u64 * 300)),
                stages: if at % 3 == 1 { vec![stage] } else { Vec::new() },
                on_approved: work(at),
                compensation: work(at / 3),
                escalate: at.is_multiple_of(7).then_some(Escalation {
                    attempts: (at % 4) as u32,
                    retry_after: None,
                    longest: None,
                }),
                ..AskOptions::default()
            }
        };
        let refused = match bytes.below(24) {
            0 => engine.request_shutdown(now, other, None, options(bytes)).is_err(),
            1 | 2 => {
                let uses = [Uses::Once, Uses::UntilReport][bytes.below(2)];
                engine.submit_plan(now, plan(bytes.below(4)), uses, options(bytes)).is_err()
            }
            3 => {
                let kind = Kind::parse("dependency").expect("a kind");
                engine.ask_for(now, &kind, other, Details::default(), options(bytes)).is_err()
            }
            4 => {
                let kind = Kind::parse("plan_request").expect("a kind");
                engine.ask_for(now, &kind, other, Details::default(), options(bytes)).is_err()
            }
            5..=8 => {
                let (approve, reason) = (bytes.below(2) == 0, Some(text(bytes.below(4))));
                let response = Response { approve, reason, ..Response::default() };
                engine.respond(now, &theirs(engine), response).is_err()
            }
            9 => engine.cancel(now, &own(engine)).is_err(),
            10 => engine.report(now, &own(engine), bytes.below(2) == 0, None).is_err(),
            11 => engine.pause(now, &own(engine)).is_err(),
            12 => engine.resume(now, &own(engine)).is_err(),
            13 => engine.say(now, other, &text(bytes.below(4))).is_err(),
            14 => {
                let busy =
                    (bytes.below(2) == 0).then(|| Millis::new(bytes.below(256) as u64 * 500));
                engine.progress(now, Some(&own(engine)), None, busy).is_err()
            }
            15 => engine.exit(now).is_err(),
            16 => {
                let passed = engine.enter_gate(now, "write:src/a");
                let refused = passed.is_err();
                host.permits.extend(passed.map(|(permit, _)| permit));
                refused
            }
            17 => {
                let permit = host.permits.pop();
                permit.is_some_and(|permit| engine.start_failed(now, permit).is_err())
            }
            18 => {
                let policy = [SectionPolicy::Defer, SectionPolicy::Reject][bytes.below(2)];
                let entered = engine.enter_section(now, "tests", None, policy);
                let refused = entered.is_err();
                host.sections.extend(entered);
                refused
            }
            19 => {
                let section = host.sections.pop();
                section.is_some_and(|section| engine.leave_section(now, section).is_err())
            }
            20 => match host.runs.pop() {
                Some((id, run)) if bytes.below(3) > 0 => {
                    engine.work_done(now, &id, run, bytes.below(2) == 0, None).is_err()
                }
                Some((id, run)) => engine.work_missing(now, &id, run).is_err(),
                None => engine.rerun(now, &own(engine)).is_err(),
            },
            21 => engine.reopen(now, &theirs(engine), None).is_err(),
            22 => engine.member_gone(now, other).is_err(),
            _ => engine.idle(now, None).is_err(),
        };
        if refused && !due {
            assert_eq!(host.engine.state_hash(), before, "a refused call changed something");
        }
        self.drain(place);
    }
}

impl Host {
    fn comes_back(&self) {
        for snapshot in [None, self.snapshot.as_deref()] {
            let saved = Saved { snapshot, journal: &self.journal };
            let (again, _) = Engine::replay(saved).expect("what was kept is replayed");
            assert_eq!(again.state_hash(), self.engine.state_hash());
            assert_eq!(again.poll_deadline(), self.engine.poll_deadline());
        }
    }
}

fn plan(at: usize) -> Plan {
    let scope = [["write:src/**"], ["write:src/a"], ["delete:old"], ["write:**"]][at];
    let words = || "x".to_owned();
    let scope = scope.iter().map(|entry| (*entry).to_owned()).collect();
    Plan { title: words(), scope, steps: vec![words()], risk: words(), text: words() }
}
