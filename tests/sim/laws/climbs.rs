//! Shutdowns that are asked again by themselves, and plans that are reopened.

use team_protocols::{EscalationEvent, EscalationStep, Status, Timestamp};

use super::{Asked, Laws, broken};

const LAW: &str = "escalation";

/// One shutdown and everything that it was asked again by.
#[derive(Debug)]
pub(super) struct Climb {
    by: String,
    life: u64,
    attempts: u32,
    /// When it is asked again.
    again_at: u64,
    ended: bool,
}

impl Laws {
    /// A request is to be asked again by itself.
    pub(crate) fn climbs(&mut self, id: &str, attempts: u32) {
        let Some(Asked { by, life, .. }) = self.requests.get(id).cloned() else { return };
        let climb = Climb { by, life, attempts, again_at: 0, ended: false };
        self.climbs.entry(id.to_owned()).or_insert(climb);
    }

    /// A member reopened a request, and its engine took it.
    pub(crate) fn reopened(&mut self, by: &str, id: &str) {
        self.reopened.insert((by.to_owned(), id.to_owned()));
    }

    /// Whatever is asked again is asked after its end, not before its time, not too often, and its
    /// end is told once, as it was.
    pub(super) fn step(&mut self, own: &str, event: &EscalationEvent) {
        let (now, requests) = (self.now, &event.requests);
        let first = requests.first().unwrap().as_str().to_owned();
        let ended = |id: &str| self.requests.get(id).and_then(|of| of.settled).map(|end| end.0);
        let (last, before) = (requests.last().unwrap(), requests.iter().nth_back(1));
        let (last_end, before_end) =
            (ended(last.as_str()), before.and_then(|id| ended(id.as_str())));
        let Some(climb) = self.climbs.get_mut(&first) else {
            broken(LAW, format!("{own} asks again by {event:?}, which nobody wanted"));
        };
        let wrong =
            |why: &str| broken(LAW, format!("{own}, {why}: {event:?} at {now} of {climb:?}"));
        if climb.ended {
            wrong("after its end");
        }
        if requests.len() > climb.attempts as usize || event.attempt.attempt > climb.attempts {
            wrong("too often");
        }
        match event.step {
            EscalationStep::Asked => {
                if let Some(before) = before {
                    if !matches!(before_end, Some(Status::Rejected | Status::TimedOut)) {
                        wrong("though it was not refused");
                    }
                    if now < climb.again_at {
                        wrong("before its time");
                    }
                    let again = self.requests[before.as_str()].clone();
                    let again = Asked { opened: now, settled: None, ..again };
                    self.asked(last.as_str(), again);
                }
            }
            EscalationStep::Waiting => {
                if !matches!(last_end, Some(Status::Rejected | Status::TimedOut)) {
                    wrong("though it was not refused");
                }
                climb.again_at = event.attempt.next_at.map_or(0, Timestamp::as_ms);
            }
            EscalationStep::Ended => {
                let told = event.outcome.as_ref().map(|outcome| outcome.status);
                if told != last_end && told != Some(Status::Cancelled) {
                    wrong("not as its last request");
                }
                climb.ended = true;
            }
        }
    }

    /// Nothing is still to be asked again.
    pub(super) fn arrived_above(&self, own: &str) {
        let life = self.life(own);
        let mut own_climbs = self.climbs.iter().filter(|(_, of)| of.by == own && of.life == life);
        if let Some((id, climb)) = own_climbs.find(|(_, of)| !of.ended) {
            broken("quiet end", format!("{id} is still to be asked again: {climb:?}"));
        }
    }
}
