//! A shutdown that is asked again by itself: after a refusal when it says, after a timeout once the
//! member was judged, until it is approved or was asked often enough.
//!
//! Every attempt is a request of its own, a retry of the one before it. The one that is asked, or
//! was asked last, holds the [`Ladder`]; it counts as open until the ladder ends.

use serde::Serialize;

use super::ledger::{Entry, Lineage, Side};
use super::{AskOptions, Checked, Engine, FollowSpec};
use crate::authority::{Approval, Terms};
use crate::deadline::Subject;
use crate::effect::{Alarm, EscalationEvent, Event, Outcome, Refused};
use crate::error::{EscalationError, Misuse};
use crate::ids::MemberIndex;
use crate::journal::{AuditEntry, Verdict};
use crate::message::{Cause, EscalationStep, Link, Liveness, Status};
use crate::request::{Ladder, Settlement};
use crate::stored::from_store;
use crate::time::Millis;

/// That a shutdown is asked again by itself until the worker agrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Escalation {
    /// How often it is asked at most, the first time included; from 1 to what a lineage may hold.
    pub attempts: u32,
    /// How long to wait after a refusal that does not say when to ask again, and after a timeout.
    /// Default: [`TimingConfig::ask_again`](crate::TimingConfig::ask_again).
    pub retry_after: Option<Millis>,
    /// How long to wait at most, whatever a refusal says. Default:
    /// [`TimingConfig::ask_again_max`](crate::TimingConfig::ask_again_max).
    pub longest: Option<Millis>,
}

from_store!(struct Escalation { attempts, retry_after, longest });

impl Engine {
    /// Whether a request may be asked again like this.
    pub(super) fn check_escalation(
        &self,
        escalation: &Escalation,
        terms: Terms,
        lineage: &Lineage,
    ) -> Checked<()> {
        let most = (self.config.limits.lineage + 1).saturating_sub(lineage.length);
        let refuse = |why| Err(Misuse::BadEscalation { why }.into());
        if terms.approval != Approval::Leaves {
            return refuse(EscalationError::NotLeaving);
        }
        if escalation.attempts == 0 || escalation.attempts as usize > most {
            return refuse(EscalationError::Attempts { attempts: escalation.attempts, most });
        }
        Ok(())
    }

    /// Gives a request what it needs to be asked again by itself.
    pub(super) fn escalate(
        &self,
        entry: &mut Entry,
        escalation: &Escalation,
        (timeout, cap): (Millis, Millis),
    ) -> Checked<()> {
        self.check_escalation(escalation, entry.terms, &entry.lineage)?;
        let (timing, Escalation { attempts, retry_after, longest }) =
            (&self.config.timing, *escalation);
        let longest = longest.unwrap_or(timing.ask_again_max);
        let ladder = Ladder {
            attempts,
            wait: retry_after.unwrap_or(timing.ask_again),
            longest,
            timeout,
            cap,
            requests: Vec::new(),
            refused: 0,
            next_at: None,
        };
        entry.ladder = Some(Box::new(ladder.asked(entry.id.clone())));
        Ok(())
    }

    /// A request has ended that is asked again by itself: the wait begins, or the end is told.
    pub(super) fn climb(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(ladder) = entry.ladder.as_deref().cloned() else { return };
        let (status, peer) = (entry.state.status(), entry.peer);
        let retry_after = entry.state.settlement().and_then(|settled| settled.retry_after);
        let (mut ladder, again) = ladder.after(status, retry_after, self.now);
        let gone = matches!(
            self.presence_of(peer),
            None | Some(Liveness::Leaving | Liveness::Left | Liveness::Lost)
        );
        let over = !again || gone;
        if over {
            ladder.next_at = None;
        } else if let Some(judgement) = self.roster.get(peer).and_then(|member| member.judgement) {
            // Nobody asks a member again of which it is not known whether it is there.
            ladder.next_at = ladder.next_at.map(|at| at.max(judgement.at));
        }
        self.set_ladder(slot, Some(ladder));
        if over {
            self.end_ladder(slot, None);
        } else {
            self.tell_step(slot, EscalationStep::Waiting, None);
        }
    }

    /// The wait is over.
    pub(super) fn ask_again(&mut self, slot: usize) {
        let Some(peer) = self.ledger.get(slot).map(|entry| entry.peer) else { return };
        // The verdict first: it may end the ladder.
        self.sweep_member(peer);
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(ladder) = entry.ladder.as_deref().cloned() else { return };
        if let Some(judgement) = self.roster.get(peer).and_then(|member| member.judgement) {
            self.set_ladder(slot, Some(Ladder { next_at: Some(judgement.at), ..ladder }));
            self.tell_step(slot, EscalationStep::Waiting, None);
            return;
        }
        let (content, works) = (entry.content.clone(), entry.works.clone());
        let follows = FollowSpec {
            request_id: entry.id.as_str().to_owned(),
            link: Link::Retry,
            justification: None,
        };
        let (timeout, cap) = (Some(ladder.timeout), Some(ladder.cap));
        let options = AskOptions { timeout, cap, follows: Some(follows), ..AskOptions::default() };
        let to = self.name_of(peer);
        // It waits no longer, so that it does not count against the next one.
        self.set_ladder(slot, None);
        let asked = self.ask(to.as_str(), content, options).map_err(|error| {
            self.note_refusal(&error);
        });
        let next = asked.ok().and_then(|id| self.ledger.find_asked(id.as_str()).zip(Some(id)));
        let Some((next, id)) = next else {
            self.set_ladder(slot, Some(ladder));
            self.end_ladder(slot, Some(Cause::SendFailed));
            return;
        };
        let forgotten = self.ledger.set_works(next, works);
        self.unschedule(forgotten);
        self.set_ladder(next, Some(ladder.asked(id)));
        self.tell_step(next, EscalationStep::Asked, None);
    }

    /// Ends every wait for another attempt that fits.
    pub(super) fn end_waits(&mut self, of: Option<MemberIndex>, cause: Cause) {
        for slot in self.waits_for_attempt(of) {
            self.end_ladder(slot, Some(cause));
        }
    }

    /// Requests of ours that have ended and are asked again later.
    pub(super) fn waits_for_attempt(&self, of: Option<MemberIndex>) -> Vec<usize> {
        let fits = |entry: &Entry| {
            entry.asked_again_at().is_some() && of.is_none_or(|member| entry.peer == member)
        };
        let waits = self.ledger.iter().filter(|(_, entry)| fits(entry));
        waits.map(|(slot, _)| slot).collect()
    }

    /// The present attempt of the ladder that this request is or was one of, while it goes on.
    pub(super) fn attempt_now(&self, slot: usize) -> Option<usize> {
        let id = &self.ledger.get(slot).filter(|entry| entry.side() == Side::Asked)?.id;
        let goes_on = |entry: &Entry| {
            entry.ladder.as_deref().is_some_and(|ladder| ladder.requests.contains(id))
        };
        self.ledger.iter().find(|(_, entry)| goes_on(entry)).map(|(slot, _)| slot)
    }

    /// It is not asked again. Without a cause, its last request has ended all of it; with one, what
    /// waits for another attempt ends as cancelled.
    pub(super) fn end_ladder(&mut self, slot: usize, cause: Option<Cause>) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(ladder) = entry.ladder.as_deref().cloned() else { return };
        let peer = entry.peer;
        let Some(last) = self.outcome(entry) else { return };
        let requests = ladder.requests.clone();
        let outcome = match cause {
            None => Outcome { requests, ..last },
            Some(cause) => Outcome {
                status: Status::Cancelled,
                code: None,
                cause,
                by: None,
                reason: None,
                retry_after_ms: None,
                settled_at: self.now,
                requests,
                ..last
            },
        };
        let refused = (outcome.status == Status::Rejected).then(|| Refused {
            times: ladder.refused,
            reason: outcome.reason.clone(),
            requests: ladder.requests.clone(),
        });
        self.set_ladder(slot, Some(Ladder { next_at: None, ..ladder }));
        self.tell_step(slot, EscalationStep::Ended, Some(outcome));
        if let Some(refused) = refused {
            self.alarm_refused(peer, slot, refused);
        }
        self.set_ladder(slot, None);
    }

    fn set_ladder(&mut self, slot: usize, ladder: Option<Ladder>) {
        let forgotten = self.ledger.set_ladder(slot, ladder.map(Box::new));
        let deadline = self.ledger.get(slot).and_then(Entry::next_deadline);
        self.deadlines.set(Subject::Request(slot), deadline);
        self.unschedule(forgotten);
    }

    /// Tells the host of a step, and the audit.
    pub(super) fn tell_step(&mut self, slot: usize, step: EscalationStep, end: Option<Outcome>) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(ladder) = entry.ladder.as_deref() else { return };
        let reason = match step {
            EscalationStep::Waiting => {
                entry.state.settlement().and_then(|Settlement { note, .. }| note.clone())
            }
            EscalationStep::Asked | EscalationStep::Ended => None,
        };
        let (attempt, kind) = (ladder.attempt(), entry.content.kind().clone());
        let event = EscalationEvent {
            request_id: entry.id.clone(),
            to: self.name_of(entry.peer),
            step,
            attempt,
            requests: ladder.requests.clone(),
            reason: reason.clone(),
            outcome: end,
        };
        let ended = event.outcome.as_ref();
        self.audit.push(AuditEntry {
            code: Some(step.code()),
            request_id: Some(event.request_id.clone()),
            kind: Some(kind),
            to: Some(event.to.clone()),
            status: ended.map(|outcome| outcome.status),
            cause: ended.map(|outcome| outcome.cause),
            reason: reason.or_else(|| ended.and_then(|outcome| outcome.reason.clone())),
            attempt: Some(attempt),
            ..self.entry(Verdict::Escalated)
        });
        self.event(Event::Escalation(Box::new(event)));
    }

    fn alarm_refused(&mut self, peer: MemberIndex, slot: usize, refused: Refused) {
        let id = self.ledger.get(slot).map(|entry| entry.id.clone());
        let alarm = self.alarm_event(Alarm::RefusedRepeatedly, peer, id);
        self.event(Event::Alarm(crate::effect::AlarmEvent { refused: Some(refused), ..alarm }));
    }
}
