//! The network, the hosts and the clock around the engines, and what must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stateright::{Model, Property};
use team_protocols::{Config, Engine, MemberConfig, Role, SeededIds, Status, Timestamp};

use crate::harness::{LEAD, START, life, member, name};
use crate::local::{Did, Frame, Input, Local, Locals, Told};

/// What the members want of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Story {
    /// The lead asks alice to leave, alice asks the lead about a plan.
    Handshake,
    /// Alice asks the lead and ann about a plan.
    Quorum { threshold: usize, veto: bool },
    /// Alice waits for bob, bob for carol, carol for alice. Who waits decides nothing.
    Circle,
    /// Alice and bob wait for each other, carol for nobody.
    Pair,
}

/// How much may go wrong, and how often the clock goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    /// Frames that are lost.
    pub(crate) losses: u8,
    /// Frames that arrive and stay under way.
    pub(crate) doubles: u8,
    /// Deadlines that the clock goes on to.
    pub(crate) ticks: u8,
}

/// What is done wrongly on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// The network makes a yes of every no.
    NoBecomesYes,
    /// A host goes back to an old snapshot.
    OldSnapshot,
    /// Searches for deadlocks do not get through.
    NoProbes,
}

pub(crate) struct Team {
    story: Story,
    bounds: Bounds,
    mistake: Option<Mistake>,
    members: Vec<(&'static str, Role)>,
    locals: Arc<Locals>,
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stand {
    engines: Vec<Local>,
    /// What each engine was when it had asked.
    had_asked: Vec<Local>,
    /// To whom, from whom, and what.
    under_way: BTreeSet<(usize, usize, Frame)>,
    now: u64,
    left: Bounds,
    /// Who has not asked yet.
    to_ask: BTreeSet<usize>,
    /// Requests, who asked them, and of whom.
    asked: BTreeMap<String, (usize, Vec<usize>)>,
    /// What hosts were asked and have not decided.
    owed: BTreeSet<(usize, String)>,
    acts: BTreeMap<(usize, String), bool>,
    ends: BTreeMap<String, Vec<Status>>,
    closed: BTreeMap<(usize, String), Status>,
    victims: BTreeMap<Vec<String>, u8>,
    /// The law that is broken, where a step breaks one by itself.
    wrong: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happens {
    Ask(usize),
    Decide(usize, String, bool),
    Arrives(usize, usize, Frame),
    ArrivesAndStays(usize, usize, Frame),
    IsLost(usize, usize, Frame),
    /// The clock goes on to the next deadline.
    Time(u64),
    GoesBack(usize),
}

const NO_ACT: &str = "always: no approval without its act";
const ONE_VICTIM: &str = "always: a circle is broken by one victim";

impl Team {
    pub(crate) fn new(story: Story, bounds: Bounds, mistake: Option<Mistake>) -> Self {
        let members = match story {
            Story::Handshake => {
                vec![(LEAD, Role::Lead), ("alice", Role::Worker), ("bob", Role::Worker)]
            }
            Story::Quorum { .. } => {
                vec![(LEAD, Role::Lead), ("alice", Role::Worker), ("ann", Role::Approver)]
            }
            // The lead has nothing to say, and is not played.
            Story::Circle | Story::Pair => {
                vec![("alice", Role::Worker), ("bob", Role::Worker), ("carol", Role::Worker)]
            }
        };
        Self { story, bounds, mistake, members, locals: Arc::default() }
    }

    pub(crate) fn inputs(&self) -> usize {
        self.locals.inputs()
    }

    /// What a member asks, and of whom.
    fn asks(&self, place: usize) -> Option<(Input, Vec<usize>)> {
        let name = |place: usize| self.members[place].0.to_owned();
        let wait = |other: usize| (Input::AskFor(name(other)), vec![other]);
        Some(match (self.story, place) {
            (Story::Handshake, 0) => (Input::AskShutdown(name(1)), vec![1]),
            (Story::Handshake, 1) => {
                (Input::SubmitPlan { threshold: 1, veto: false, alone: true }, vec![0])
            }
            (Story::Quorum { threshold, veto }, 1) => {
                (Input::SubmitPlan { threshold, veto, alone: false }, vec![0, 2])
            }
            (Story::Circle, _) => wait((place + 1) % 3),
            (Story::Pair, 0 | 1) => wait(1 - place),
            (Story::Quorum { .. } | Story::Handshake | Story::Pair, _) => return None,
        })
    }

    /// How many must say yes.
    fn needed(&self) -> usize {
        if let Story::Quorum { threshold, .. } = self.story { threshold } else { 1 }
    }

    fn config(&self, place: usize) -> Config {
        let mut listed: Vec<MemberConfig> =
            self.members.iter().map(|(name, role)| member(name, *role)).collect();
        if !self.members.iter().any(|(_, role)| *role == Role::Lead) {
            listed.push(member(LEAD, Role::Lead));
        }
        let mut config = Config::new(name(self.members[place].0), life(place as u64), listed);
        // One reminder, and few moments at which something is due.
        config.timing.reminders = 1;
        config.limits.audit_entries = 1;
        // A process that goes on from a snapshot numbers its frames on.
        config.journal = true;
        config
    }

    /// An engine was given something.
    fn input(&self, stand: &mut Stand, place: usize, input: Input) -> Did {
        let own = self.members[place].0;
        let did = self.locals.step(own, stand.engines[place], stand.now, input);
        stand.engines[place] = did.local;
        for (to, frame) in &did.sent {
            let text = self.locals.frame(*frame);
            let frame = match self.mistake {
                Some(Mistake::NoProbes) if text.contains("\"type\":\"probe\"") => continue,
                Some(Mistake::NoBecomesYes) => {
                    self.locals.number(text.replace("\"approve\":false", "\"approve\":true"))
                }
                _ => *frame,
            };
            if let Some(to) = self.members.iter().position(|(name, _)| name == to) {
                stand.under_way.insert((to, place, frame));
            }
        }
        for told in &did.told {
            self.told(stand, place, told);
        }
        did
    }

    fn told(&self, stand: &mut Stand, place: usize, told: &Told) {
        let decided =
            |stand: &Stand, by: usize, id: &str| stand.acts.get(&(by, id.to_owned())).copied();
        match told {
            Told::Asked { id } => {
                let known = stand.asked.get(id).is_some_and(|(_, of)| of.contains(&place));
                let again = decided(stand, place, id).is_some();
                if !known || again || !stand.owed.insert((place, id.clone())) {
                    stand.wrong = Some("always: asked once, what was asked");
                }
            }
            Told::Settled { id, status, yes } => {
                stand.ends.entry(id.clone()).or_default().push(*status);
                let (_, of) = stand.asked[id].clone();
                let really = |by: &&String| {
                    let by = self.members.iter().position(|(name, _)| name == *by).unwrap();
                    decided(stand, by, id) == Some(true)
                };
                let said_no = of.iter().any(|by| decided(stand, *by, id) == Some(false));
                if *status == Status::Approved
                    && (yes.len() < self.needed() || !yes.iter().all(|by| really(&by)))
                {
                    stand.wrong = Some(NO_ACT);
                }
                if *status == Status::Rejected && !said_no {
                    stand.wrong = Some("always: no refusal without its act");
                }
            }
            Told::Closed { id, status } => {
                stand.closed.insert((place, id.clone()), *status);
            }
            Told::Victim { id, circle } => {
                let greatest = circle.iter().max() == Some(id);
                let undecided = circle.iter().all(|id| !stand.acts.keys().any(|(_, of)| of == id));
                let times = stand.victims.entry(circle.clone()).or_insert(0);
                *times += 1;
                if !greatest || !undecided || *times > 1 {
                    stand.wrong = Some(ONE_VICTIM);
                }
            }
        }
    }

    /// Whether members wait for each other in a circle.
    fn circle(stand: &Stand) -> bool {
        let open = stand.asked.iter().filter(|(id, _)| !stand.ends.contains_key(*id));
        let edges: Vec<(usize, usize)> =
            open.filter(|(_, (_, of))| of.len() == 1).map(|(_, (by, of))| (*by, of[0])).collect();
        (0..stand.engines.len()).any(|start| {
            let mut reached = BTreeSet::from([start]);
            loop {
                let more: BTreeSet<usize> = edges
                    .iter()
                    .filter(|(by, _)| reached.contains(by))
                    .map(|(_, of)| *of)
                    .collect();
                if edges.iter().any(|(by, of)| reached.contains(by) && *of == start) {
                    return true;
                }
                let before = reached.len();
                reached.extend(more);
                if reached.len() == before {
                    return false;
                }
            }
        })
    }

    /// Nothing is under way, nothing was lost, and the clock stands where it began.
    fn at_rest(&self, stand: &Stand) -> bool {
        stand.under_way.is_empty()
            && stand.to_ask.is_empty()
            && (stand.left.losses, stand.left.ticks) == (self.bounds.losses, self.bounds.ticks)
    }

    fn is_free(stand: &Stand, place: usize) -> bool {
        !stand.asked.iter().any(|(id, (by, _))| *by == place && !stand.ends.contains_key(id))
    }
}

impl Model for Team {
    type State = Stand;
    type Action = Happens;

    fn init_states(&self) -> Vec<Stand> {
        let begin = |place: usize| {
            let (now, config) = (Timestamp::from_ms(START), self.config(place));
            let ids = Box::new(SeededIds::new("none"));
            self.locals.begin(&mut Engine::new(now, config, ids).unwrap())
        };
        let engines: Vec<Local> = (0..3).map(begin).collect();
        vec![Stand {
            had_asked: engines.clone(),
            engines,
            under_way: BTreeSet::new(),
            now: START,
            left: self.bounds,
            to_ask: (0..3).filter(|place| self.asks(*place).is_some()).collect(),
            asked: BTreeMap::new(),
            owed: BTreeSet::new(),
            acts: BTreeMap::new(),
            ends: BTreeMap::new(),
            closed: BTreeMap::new(),
            victims: BTreeMap::new(),
            wrong: None,
        }]
    }

    fn actions(&self, stand: &Stand, actions: &mut Vec<Happens>) {
        if stand.wrong.is_some() {
            return;
        }
        actions.extend(stand.to_ask.iter().map(|place| Happens::Ask(*place)));
        let circles = matches!(self.story, Story::Circle | Story::Pair);
        for (place, id) in &stand.owed {
            let free = !circles || Self::is_free(stand, *place);
            if free {
                actions.push(Happens::Decide(*place, id.clone(), true));
            }
            if free && !circles {
                actions.push(Happens::Decide(*place, id.clone(), false));
            }
        }
        for &(to, from, frame) in &stand.under_way {
            actions.push(Happens::Arrives(to, from, frame));
            if stand.left.doubles > 0 {
                actions.push(Happens::ArrivesAndStays(to, from, frame));
            }
            if stand.left.losses > 0 {
                actions.push(Happens::IsLost(to, from, frame));
            }
        }
        let due = stand.engines.iter().filter_map(|local| self.locals.due(*local)).min();
        if let Some(due) = due.filter(|_| stand.left.ticks > 0) {
            actions.push(Happens::Time(due));
        }
        if self.mistake == Some(Mistake::OldSnapshot) {
            let gone_on = |place: &usize| stand.engines[*place] != stand.had_asked[*place];
            actions.extend((0..3).filter(gone_on).map(Happens::GoesBack));
        }
    }

    fn next_state(&self, before: &Stand, happens: Happens) -> Option<Stand> {
        let mut stand = before.clone();
        match happens {
            Happens::Ask(place) => {
                let (input, of) = self.asks(place)?;
                stand.to_ask.remove(&place);
                let did = self.input(&mut stand, place, input);
                stand.had_asked[place] = did.local;
                if let Some(id) = did.asked {
                    stand.asked.insert(id, (place, of));
                }
            }
            Happens::Decide(place, id, approve) => {
                stand.owed.remove(&(place, id.clone()));
                // First the act: what it causes is judged by it.
                stand.acts.insert((place, id.clone()), approve);
                let did = self.input(&mut stand, place, Input::Decide { id: id.clone(), approve });
                if did.refused {
                    stand.acts.remove(&(place, id));
                }
            }
            Happens::Arrives(to, from, frame) => {
                stand.under_way.remove(&(to, from, frame));
                let from = self.members[from].0.to_owned();
                self.input(&mut stand, to, Input::Frame { from, frame });
            }
            Happens::ArrivesAndStays(to, from, frame) => {
                stand.left.doubles -= 1;
                let from = self.members[from].0.to_owned();
                self.input(&mut stand, to, Input::Frame { from, frame });
            }
            Happens::IsLost(to, from, frame) => {
                stand.left.losses -= 1;
                stand.under_way.remove(&(to, from, frame));
            }
            Happens::Time(at) => {
                stand.left.ticks -= 1;
                stand.now = stand.now.max(at);
                for place in 0..3 {
                    if self.locals.due(stand.engines[place]).is_some_and(|due| due <= at) {
                        self.input(&mut stand, place, Input::Time);
                    }
                }
            }
            Happens::GoesBack(place) => stand.engines[place] = stand.had_asked[place],
        }
        Some(stand)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always("always: one settlement", |_, stand: &Stand| {
                stand.ends.values().all(|ends| ends.len() == 1)
            }),
            Property::always(NO_ACT, |_, stand: &Stand| stand.wrong != Some(NO_ACT)),
            Property::always("always: no refusal without its act", |_, stand: &Stand| {
                stand.wrong != Some("always: no refusal without its act")
            }),
            Property::always("always: asked once, what was asked", |_, stand: &Stand| {
                stand.wrong != Some("always: asked once, what was asked")
            }),
            Property::always("always: a decision is the same at both sides", |_, stand: &Stand| {
                let decided =
                    |status: &Status| matches!(status, Status::Approved | Status::Rejected);
                stand
                    .closed
                    .iter()
                    .filter(|(_, told)| decided(told))
                    .all(|((_, id), told)| stand.ends.get(id).is_some_and(|ends| ends[0] == *told))
            }),
            Property::always(
                "always: everything ends that was answered",
                |team: &Self, stand: &Stand| {
                    let answered = team.at_rest(stand) && stand.owed.is_empty();
                    !answered || stand.asked.keys().all(|id| stand.ends.contains_key(id))
                },
            ),
            Property::always(ONE_VICTIM, |team: &Self, stand: &Stand| {
                let blocks = matches!(team.story, Story::Circle | Story::Pair);
                let stuck = blocks && team.at_rest(stand) && Self::circle(stand);
                stand.wrong != Some(ONE_VICTIM) && !stuck
            }),
            Property::sometimes("sometimes: approved", |_, stand: &Stand| {
                stand.ends.values().any(|ends| ends.contains(&Status::Approved))
            }),
        ];
        if matches!(self.story, Story::Circle | Story::Pair) {
            properties.push(Property::sometimes("sometimes: a victim", |_, stand: &Stand| {
                !stand.victims.is_empty()
            }));
        } else {
            properties.push(Property::sometimes("sometimes: rejected", |_, stand: &Stand| {
                stand.ends.values().any(|ends| ends.contains(&Status::Rejected))
            }));
        }
        properties
    }
}
