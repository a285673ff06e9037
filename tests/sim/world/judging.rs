//! What an input has led to, before the laws.

use team_protocols::{Event, Status, Timestamp};

use super::{Errand, World};
use crate::faults::Fault;

impl World {
    /// After a call: what it led to is judged. Kept apart so that the log learns of the call first.
    pub(crate) fn judge(&mut self, place: usize) {
        if !self.members[place].up {
            return;
        }
        if self.members[place].ends.is_some() && self.net.node(&self.members[place].name).doomed {
            return self.end_now(place);
        }
        let own = self.members[place].name.clone();
        let mut events = self.net.take_events(&own);
        self.retold(place, &mut events);
        self.laws.now = self.members[place].latest;
        if let Some(fault) = self.fault {
            fault.bend(&mut events);
        }
        for event in &events {
            self.trace(|| format!("  {own}: {event:?}"));
            self.count(event);
            self.laws.told(&own, event);
            if let Event::Work(work) = event {
                let undoes = work.cause == team_protocols::WorkCause::Compensation;
                let run = (work.request_id.as_str().to_owned(), work.run, undoes);
                self.members[place].runs.push(run);
            }
            if let Some((errand, id)) = errand(event) {
                self.put_off(place, errand, id);
            }
        }
        self.laws.step_over(&own);
        self.shown(place);
    }

    fn shown(&mut self, place: usize) {
        let own = self.members[place].name.clone();
        let mut now = Timestamp::from_ms(self.members[place].latest);
        // With many requests the engine may say a time that is early; then nothing is due. Now and
        // then a host calls without need.
        let early = self.net.engine(&own).poll_deadline().is_some_and(|due| due <= now);
        if early || self.cover.inputs % 16 == 0 {
            let mut before = self.net.engine(&own).state_hash().to_string();
            if self.fault == Some(Fault::WokenForNothing) {
                before.push('!');
            }
            let node = self.net.node_mut(&own);
            node.engine.handle_deadline(now);
            let effect = node.engine.poll_effect();
            if before != self.net.engine(&own).state_hash().to_string() || effect.is_some() {
                crate::laws::broken("spurious wake", format!("{own}: {effect:?}"));
            }
        }
        match self.fault {
            Some(Fault::Overdue) => now = Timestamp::from_ms(now.as_ms() + 100_000_000),
            Some(Fault::CapShorter) => {
                self.laws.pause_max = 0;
                self.laws.requests.values_mut().for_each(|asked| asked.cap = 0);
            }
            Some(Fault::BoundLower) => self.laws.audit_limit = 1,
            _ => {}
        }
        let engine = self.net.engine(&own);
        self.laws.shown(&own, engine, now);
    }
}

/// What a diligent host does about an event, and about which request.
fn errand(event: &Event) -> Option<(Errand, &str)> {
    match event {
        Event::Request(request) => {
            let id = request.request_id.as_str();
            Some((Errand::Answer(id.to_owned()), id))
        }
        Event::Settled(outcome) if outcome.status == Status::Approved => {
            let id = outcome.request_id.as_str();
            Some((Errand::Act(id.to_owned()), id))
        }
        Event::Work(work) => {
            let id = work.request_id.as_str();
            Some((Errand::Finish(id.to_owned(), work.run), id))
        }
        _ => None,
    }
}
