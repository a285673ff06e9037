//! A toy team around the real functions: members, links between them, and every order of events.
//!
//! The team knows beside the real functions what each member has learnt, so that it can tell when
//! a probe was taken on against better knowledge.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};

use super::{Awaited, Hop, Next, View, beginner, closes, receive, start};
use crate::ids::{MemberName, RequestId};
use crate::message::{Probe, Wait};

/// What members of the team do apart from waiting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// Nothing.
    Wait,
    /// Whoever waits for nobody may decide what it owes.
    DecideWhenFree,
    /// Anybody may decide what it owes, and give up what it waits for, at any moment.
    DecideAndGiveUp,
}

/// A defect put in on purpose, to see that the model finds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    None,
    /// A probe is taken on along requests that were decided.
    ForgetsDecisions,
    /// A probe that is not back at the victim's owner when it closes is thrown away.
    OnlyOwnProbes,
}

/// Members, and what is under way between them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Team {
    members: Vec<Member>,
    /// Between each two, in order.
    links: BTreeMap<(usize, usize), VecDeque<Frame>>,
    victims: Vec<RequestId>,
    refused: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Member {
    /// What it will ask, and whom.
    plans: VecDeque<(RequestId, usize)>,
    awaited: Vec<(RequestId, usize)>,
    owed: Vec<(usize, RequestId)>,
    /// What it owed and decided.
    decided: Vec<(usize, RequestId)>,
    /// Requests of which it has learnt that they are over.
    over: BTreeSet<RequestId>,
    rounds: u64,
    newest: BTreeMap<MemberName, u64>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Frame {
    Request(RequestId),
    Answer(RequestId),
    Ended(RequestId),
    Probe(Probe),
}

/// One thing that may happen next.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Ask(usize),
    Deliver(usize, usize),
    Decide(usize, usize),
    GiveUp(usize, usize),
}

/// What was seen on the way.
#[derive(Default, Debug)]
pub(super) struct Found {
    /// Probes that were passed on.
    pub(super) probes: usize,
    /// Different states of the team.
    pub(super) states: usize,
    /// Orders of events, from the beginning to an end.
    pub(super) orders: u128,
    /// Victims of cycles that were not there.
    pub(super) phantoms: usize,
    /// Probes that a member took on although it knew better.
    pub(super) against_knowledge: usize,
    /// Cycles that were left when nothing was under way.
    pub(super) left: usize,
    /// How many victims there were at the ends, and how often.
    pub(super) victims: BTreeMap<usize, usize>,
    /// Ends at which the victim was not the greatest id.
    pub(super) wrong_victims: usize,
}

/// Goes through every order of events.
pub(super) struct Explorer {
    pub(super) life: Life,
    pub(super) defect: Defect,
    pub(super) found: Found,
    seen: HashMap<u64, u128>,
}

pub(super) fn name(member: usize) -> MemberName {
    MemberName::parse(&format!("m{member}")).unwrap()
}

pub(super) fn id(text: &str) -> RequestId {
    RequestId::parse(text).unwrap()
}

fn place(name: &MemberName) -> usize {
    name.as_str().strip_prefix('m').unwrap().parse().unwrap()
}

impl Team {
    /// Nobody has asked anything yet. Each edge: who will ask, whom, under which id.
    pub(super) fn planning(size: usize, edges: &[(usize, usize, RequestId)]) -> Self {
        let mut members = vec![Member::default(); size];
        for (from, to, id) in edges {
            members[*from].plans.push_back((id.clone(), *to));
        }
        Self { members, links: BTreeMap::new(), victims: Vec::new(), refused: 0 }
    }

    /// Everybody has asked at the same instant; the requests are under way.
    pub(super) fn asking(size: usize, edges: &[(usize, usize, RequestId)]) -> Self {
        let mut team = Self::planning(size, edges);
        let mut found = Found::default();
        for (from, ..) in edges {
            team.happen(&Event::Ask(*from), Defect::None, &mut found);
        }
        team
    }

    pub(super) fn victims(&self) -> &[RequestId] {
        &self.victims
    }

    /// Loses the next frame of a link.
    pub(super) fn lose(&mut self, link: (usize, usize)) {
        self.take(link);
    }

    /// Lets the last frame of a link arrive before all others of it.
    pub(super) fn overtake(&mut self, link: (usize, usize)) {
        if let Some(frames) = self.links.get_mut(&link) {
            frames.rotate_right(1);
        }
    }

    /// Every member sends what it waits for once more, and begins a round: what the reminders do.
    pub(super) fn remind(&mut self) {
        for member in 0..self.members.len() {
            for (id, to) in self.members[member].awaited.clone() {
                self.post(member, to, Frame::Request(id));
            }
            self.begin_round(member, Defect::None);
        }
    }

    /// Whether some cycle stands: everybody in it waits, and the next one has not decided.
    pub(super) fn is_deadlocked(&self) -> bool {
        let mut free: BTreeSet<usize> = BTreeSet::new();
        loop {
            let before = free.len();
            for (place, member) in self.members.iter().enumerate() {
                let held = |(id, to): &(RequestId, usize)| {
                    self.members[*to].owed.contains(&(place, id.clone())) && !free.contains(to)
                };
                if !member.awaited.iter().any(held) {
                    free.insert(place);
                }
            }
            if free.len() == before {
                return before < self.members.len();
            }
        }
    }

    fn view(&self, place: usize, defect: Defect) -> View {
        let member = &self.members[place];
        let awaited = member
            .awaited
            .iter()
            .map(|(id, to)| Awaited { request_id: id.clone(), approvers: vec![name(*to)] });
        let kept = if defect == Defect::ForgetsDecisions { &member.decided[..] } else { &[] };
        let owed = member
            .owed
            .iter()
            .chain(kept)
            .map(|(from, id)| Wait { member: name(*from), request_id: id.clone() });
        View { me: name(place), awaited: awaited.collect(), owed: owed.collect() }
    }

    pub(super) fn events(&self, life: Life) -> Vec<Event> {
        let mut events = Vec::new();
        for (place, member) in self.members.iter().enumerate() {
            if !member.plans.is_empty() {
                events.push(Event::Ask(place));
            }
            let may_decide = match life {
                Life::Wait => false,
                Life::DecideWhenFree => member.awaited.is_empty(),
                Life::DecideAndGiveUp => true,
            };
            if may_decide {
                events.extend((0..member.owed.len()).map(|nth| Event::Decide(place, nth)));
            }
            if life == Life::DecideAndGiveUp {
                events.extend((0..member.awaited.len()).map(|nth| Event::GiveUp(place, nth)));
            }
        }
        events.extend(self.links.keys().map(|(from, to)| Event::Deliver(*from, *to)));
        events
    }

    pub(super) fn happen(&mut self, event: &Event, defect: Defect, found: &mut Found) {
        match *event {
            Event::Ask(place) => {
                let (id, to) = self.members[place].plans.pop_front().unwrap();
                if closes(&self.view(place, Defect::None), &[name(to)]).is_some() {
                    self.refused += 1;
                    return;
                }
                self.members[place].awaited.push((id.clone(), to));
                self.post(place, to, Frame::Request(id));
                self.begin_round(place, defect);
            }
            Event::Decide(place, nth) => {
                let (from, id) = self.members[place].owed.remove(nth);
                self.members[place].over.insert(id.clone());
                self.members[place].decided.push((from, id.clone()));
                self.post(place, from, Frame::Answer(id));
            }
            Event::GiveUp(place, nth) => self.give_up(place, nth),
            Event::Deliver(from, to) => match self.take((from, to)) {
                Frame::Request(id) => {
                    let me = &mut self.members[to];
                    if !me.over.contains(&id) && !me.owed.contains(&(from, id.clone())) {
                        me.owed.push((from, id));
                        self.begin_round(to, defect);
                    }
                }
                Frame::Answer(id) => {
                    self.members[to].awaited.retain(|(awaited, _)| *awaited != id);
                    self.members[to].over.insert(id);
                }
                Frame::Ended(id) => {
                    self.members[to].owed.retain(|(_, owed)| *owed != id);
                    self.members[to].over.insert(id);
                }
                Frame::Probe(probe) => self.probed(from, to, probe, defect, found),
            },
        }
    }

    fn give_up(&mut self, place: usize, nth: usize) {
        let (id, to) = self.members[place].awaited.remove(nth);
        self.members[place].over.insert(id.clone());
        self.post(place, to, Frame::Ended(id));
    }

    fn begin_round(&mut self, place: usize, defect: Defect) {
        let view = self.view(place, defect);
        let hops = start(&view, self.members[place].rounds + 1);
        if !hops.is_empty() {
            self.members[place].rounds += 1;
        }
        self.pass(place, hops);
    }

    fn probed(&mut self, from: usize, to: usize, probe: Probe, defect: Defect, found: &mut Found) {
        let beginner = beginner(&probe).cloned();
        let travelled = match &probe {
            Probe::Open { path, .. } => path.last().unwrap().clone(),
            Probe::Closed { cycle, at } => cycle[*at].clone(),
        };
        let newest = beginner.as_ref().and_then(|name| self.members[to].newest.get(name).copied());
        let Ok(next) = receive(&self.view(to, defect), &name(from), probe, newest) else { return };
        let over = &self.members[to].over;
        match next {
            Next::Search(hops) => {
                for hop in &hops {
                    let Probe::Open { round, path } = &hop.probe else { panic!("{hop:?}") };
                    self.members[to].newest.insert(beginner.clone().unwrap(), *round);
                    found.probes += 1;
                    let knew = |wait: &Wait| self.members[to].over.contains(&wait.request_id);
                    found.against_knowledge += usize::from(path.iter().rev().take(2).any(knew));
                }
                self.pass(to, hops);
            }
            Next::Report(hop) => {
                let Probe::Closed { cycle, at } = &hop.probe else { panic!("{hop:?}") };
                let knew =
                    over.contains(&travelled.request_id) || over.contains(&cycle[*at].request_id);
                found.against_knowledge += usize::from(knew);
                if defect != Defect::OnlyOwnProbes {
                    self.pass(to, vec![hop]);
                }
            }
            Next::Break { victim, cycle } => {
                let knew = over.contains(&travelled.request_id) || over.contains(&victim);
                found.against_knowledge += usize::from(knew);
                found.phantoms += usize::from(!self.stands(&cycle));
                assert!(!self.victims.contains(&victim), "{victim:?} was broken twice");
                let nth = self.members[to].awaited.iter().position(|(id, _)| *id == victim);
                self.give_up(to, nth.expect("only a request that waits is broken"));
                self.victims.push(victim);
            }
        }
    }

    /// Whether every edge of a cycle is there at both its ends, or was given up for another cycle.
    fn stands(&self, cycle: &[Wait]) -> bool {
        cycle.iter().zip(cycle.iter().cycle().skip(1)).all(|(wait, next)| {
            let (from, to, id) = (place(&wait.member), place(&next.member), &wait.request_id);
            if self.victims.contains(id) {
                return true;
            }
            self.members[from].awaited.contains(&(id.clone(), to))
                && self.members[to].owed.contains(&(from, id.clone()))
        })
    }

    fn pass(&mut self, from: usize, hops: Vec<Hop>) {
        for Hop { to, probe } in hops {
            self.post(from, place(&to), Frame::Probe(probe));
        }
    }

    fn post(&mut self, from: usize, to: usize, frame: Frame) {
        self.links.entry((from, to)).or_default().push_back(frame);
    }

    fn take(&mut self, link: (usize, usize)) -> Frame {
        let frames = self.links.get_mut(&link).unwrap();
        let frame = frames.pop_front().unwrap();
        if frames.is_empty() {
            self.links.remove(&link);
        }
        frame
    }

    fn is_quiet(&self) -> bool {
        self.links.is_empty() && self.members.iter().all(|member| member.plans.is_empty())
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Explorer {
    pub(super) fn new(life: Life, defect: Defect) -> Self {
        Self { life, defect, found: Found::default(), seen: HashMap::new() }
    }

    /// Tries everything that may happen from here on.
    pub(super) fn explore(&mut self, team: &Team) {
        let orders = self.orders(team);
        self.found.orders += orders;
        self.found.states = self.seen.len();
    }

    fn orders(&mut self, team: &Team) -> u128 {
        let key = team.fingerprint();
        if let Some(orders) = self.seen.get(&key) {
            return *orders;
        }
        if team.is_quiet() && team.is_deadlocked() {
            self.found.left += 1;
        }
        let events = team.events(self.life);
        if events.is_empty() {
            self.end(team);
        }
        let mut orders = u128::from(events.is_empty());
        for event in events {
            let mut next = team.clone();
            next.happen(&event, self.defect, &mut self.found);
            orders += self.orders(&next);
        }
        self.seen.insert(key, orders);
        orders
    }

    fn end(&mut self, team: &Team) {
        // A refusal is what the victim would have been: the cycle never came to be.
        *self.found.victims.entry(team.victims.len() + team.refused).or_default() += 1;
        let greatest = team.members.iter().flat_map(|member| &member.over).max();
        let wrong = team.victims.iter().any(|victim| Some(victim) != greatest);
        self.found.wrong_victims += usize::from(wrong && self.life == Life::Wait);
    }
}
