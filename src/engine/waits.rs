//! Deadlocks: what this member waits for and owes, and the probes that look for circles.

use super::ledger::{Entry, Side};
use super::receive::Stop;
use super::{Checked, Disposition, Engine};
use crate::effect::{Alarm, AlarmEvent, Event, Waiting};
use crate::error::NotNow;
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::journal::{DropReason, Noted};
use crate::message::{Message, Probe, Status, Wait};
use crate::request::Input;
use crate::waits::{self, Awaited, End, Hop, Next, View};

impl Engine {
    /// Begins a search for a deadlock, if this member both waits and owes.
    pub(super) fn begin_round(&mut self) {
        if !self.any_open(Side::Asked) || !self.any_open(Side::Owed) {
            return;
        }
        // Greater than in every former life of this member too.
        let round = self.now.as_ms().max(self.round + 1);
        let hops = waits::start(&self.waits(), round);
        if !hops.is_empty() {
            self.round = round;
            self.send_probes(hops);
        }
    }

    /// A blocking request is sent again: what looked for a deadlock may be lost too. Requests that
    /// are sent again at the same time need one search.
    pub(super) fn repeat_round(&mut self) {
        if self.round < self.now.as_ms() {
            self.begin_round();
        }
    }

    /// A vote or a new stage has made other members indispensable.
    pub(super) fn edges_changed(&mut self, slot: usize) {
        let waits = |entry: &Entry| entry.terms.blocking && entry.state.status() == Status::Pending;
        if self.ledger.get(slot).is_some_and(waits) {
            self.begin_round();
        }
    }

    /// A probe comes in.
    pub(super) fn probed(&mut self, from: MemberIndex, probe: Probe) -> Result<Disposition, Stop> {
        let searched = match waits::beginner(&probe) {
            Some(name) => {
                Some(self.roster.find(name).ok_or(Stop::Drop(DropReason::UnknownSender))?)
            }
            None => None,
        };
        let round = if let Probe::Open { round, .. } = probe { Some(round) } else { None };
        let newest = searched.and_then(|index| self.roster.get(index)?.searched);
        match waits::receive(&self.waits(), &self.name_of(from), probe, newest) {
            Ok(Next::Search(hops)) => {
                if let Some(member) = searched.and_then(|index| self.roster.get_mut(index)) {
                    member.searched = round;
                }
                self.send_probes(hops);
                Ok(Disposition::Noted(Noted::Probe))
            }
            Ok(Next::Report(hop)) => {
                self.send_probes(vec![hop]);
                Ok(Disposition::Noted(Noted::Probe))
            }
            Ok(Next::Break { victim, cycle }) => self.break_deadlock(victim, cycle),
            Err(End::NotOwed | End::NotWaiting | End::Repeated | End::Dissolved) => {
                Ok(Disposition::Noted(Noted::ProbeEnded))
            }
            Err(End::Astray | End::TooLong) => Err(Stop::Drop(DropReason::Orphan)),
        }
    }

    /// Refuses a request that would wait for members of whom one waits for this member.
    pub(super) fn refuse_deadlock(&self, approvers: &[MemberName]) -> Checked<()> {
        match waits::closes(&self.waits(), approvers) {
            Some(Wait { member, request_id }) => {
                let (name, request_id) = (member.clone(), request_id.clone());
                Err(NotNow::WouldDeadlock { name, request_id }.into())
            }
            None => Ok(()),
        }
    }

    /// A cycle stands, and the request of it that is given up is ours.
    fn break_deadlock(&mut self, victim: RequestId, cycle: Vec<Wait>) -> Result<Disposition, Stop> {
        let slot = self.ledger.find_asked(victim.as_str());
        let slot = slot.ok_or(Stop::Drop(DropReason::Late))?;
        let peer = self.ledger.get(slot).map_or(self.roster.me(), |entry| entry.peer);
        let member = self.name_of(peer);
        self.note_alarm(Alarm::Deadlock, &member, Some(victim.clone()));
        let waiting = |wait| {
            let Wait { member, request_id } = wait;
            Waiting { member, request_id }
        };
        self.event(Event::Alarm(AlarmEvent {
            alarm: Alarm::Deadlock,
            member,
            request_id: Some(victim.clone()),
            holding: Vec::new(),
            cycle: cycle.into_iter().map(waiting).collect(),
            refused: None,
        }));
        self.apply_quietly(slot, Input::Deadlock);
        Ok(Disposition::Settled(victim))
    }

    /// The wait-for graph as this member sees it.
    fn waits(&self) -> View {
        let me = self.name_of(self.roster.me());
        let (mut awaited, mut owed) = (Vec::new(), Vec::new());
        let blocks =
            |entry: &Entry| entry.state.status() == Status::Pending && entry.terms.blocking;
        for (_, entry) in self.ledger.iter().filter(|(_, entry)| blocks(entry)) {
            let request_id = entry.id.clone();
            match entry.state.ballot() {
                Some(ballot) => {
                    let needed = ballot.indispensable(&entry.panel);
                    let approvers = needed.into_iter().map(|index| self.name_of(index)).collect();
                    awaited.push(Awaited { request_id, approvers });
                }
                None => owed.push(Wait { member: self.name_of(entry.peer), request_id }),
            }
        }
        View { me, awaited, owed }
    }

    fn any_open(&self, side: Side) -> bool {
        self.roster.iter().any(|(index, _)| self.ledger.open(side, index) > 0)
    }

    fn send_probes(&mut self, hops: Vec<Hop>) {
        for Hop { to, probe } in hops {
            if let Some(index) = self.roster.find(&to) {
                self.post_message(index, Message::Probe(probe));
            }
        }
    }
}
