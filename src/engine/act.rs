//! Transition, commit, carry out: the only way in which a request changes.

use super::Engine;
use super::ledger::{Content, Entry, Side};
use crate::authority::Approval;
use crate::deadline::Subject;
use crate::effect::{Alarm, AlarmEvent, ClosedEvent, Event, Outcome, RequestEvent};
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::journal::{AuditEntry, Verdict};
use crate::message::{Cause, Status, WorkCause};
use crate::request::{Action, Asked, Context, Feedback, Input, Owed, Rejection, State, transition};

impl Engine {
    /// Gives an input to a request. Nothing changes when it is rejected.
    pub(super) fn apply(&mut self, slot: usize, input: Input) -> Result<(), Rejection> {
        let Some(entry) = self.ledger.get(slot) else { return Err(Rejection::NotDue) };
        let by = voter(&input);
        let was = entry.state.status();
        let step = transition(&entry.state, input, self.context(entry))?;
        let deadline = step.next.next_deadline();
        let forgotten = self.ledger.set_state(slot, step.next);
        self.deadlines.set(Subject::Request(slot), deadline);
        self.unschedule(forgotten);
        self.note_change(slot, was);
        for action in step.actions {
            self.carry_out(slot, action, by);
        }
        if self.ledger.get(slot).is_some_and(|entry| !entry.state.is_open()) {
            // Its words were passed on.
            self.ledger.swap_detail(slot, None);
        }
        if was == Status::Pending && self.ledger.get(slot).is_some_and(has_ended) {
            self.climb(slot);
        }
        Ok(())
    }

    /// Why a request would reject an input; nothing changes.
    pub(super) fn would_reject(&self, slot: usize, input: Input) -> Option<Rejection> {
        let entry = self.ledger.get(slot)?;
        transition(&entry.state, input, self.context(entry)).err()
    }

    fn context<'a>(&self, entry: &'a Entry) -> Context<'a> {
        let timing = &self.config.timing;
        Context {
            panel: &entry.panel,
            now: self.now,
            approval: entry.terms.approval,
            exit_grace: timing.exit_grace,
            report_every: timing.report_every(),
            report_repeats: timing.reminders,
            report_due: timing.report_due,
            pause_max: timing.pause_max,
        }
    }

    /// Nothing is due any more for a request that was forgotten.
    pub(super) fn unschedule(&mut self, forgotten: Option<usize>) {
        if let Some(slot) = forgotten {
            self.deadlines.set(Subject::Request(slot), None);
        }
    }

    /// Registers a request, ours or theirs.
    pub(super) fn register(&mut self, entry: Entry) -> usize {
        let deadline = entry.state.next_deadline();
        let slot = self.ledger.insert(entry);
        self.deadlines.set(Subject::Request(slot), deadline);
        self.note_request(slot, Verdict::Accepted, None);
        if let Some(peer) = self.ledger.get(slot).map(|entry| entry.peer) {
            self.expect_repeats(peer);
        }
        slot
    }

    fn carry_out(&mut self, slot: usize, action: Action, by: Option<MemberIndex>) {
        let Some(peer) = self.ledger.get(slot).map(|entry| entry.peer) else { return };
        let peer = by.unwrap_or(peer);
        match action {
            Action::TellSettled => self.tell_settled(slot),
            Action::SendSettled => self.send_settled(slot, None),
            Action::SendOutcome => self.send_settled(slot, by),
            Action::SendCancel => self.send_cancel(slot),
            Action::SendReminder => {
                self.send_request(slot);
                self.repeat_round();
            }
            Action::SendLimits => self.send_limits(slot),
            Action::OpenStage => {
                self.open_stage(slot);
                self.edges_changed(slot);
            }
            Action::TellVote => {
                self.tell_vote(slot);
                self.edges_changed(slot);
            }
            Action::SendAnswer => self.send_answer(slot),
            Action::SendReport => self.send_report(slot),
            // The frame that brings the report has the words for it.
            Action::TellReport => {}
            Action::Acknowledge => self.acknowledge(slot),
            Action::SendReceipt => {
                if let Some(entry) = self.ledger.get(slot)
                    && let Some(Feedback::Reported { report }) = entry.state.feedback()
                {
                    self.acknowledge_report(peer, entry.id.clone(), report.rolled_back);
                }
            }
            Action::AskHost => self.ask_host(slot),
            Action::TellClosed => {
                self.release_gate(slot);
                self.tell_closed(slot, false);
            }
            Action::TellNoEffect => self.tell_closed(slot, true),
            Action::PeerLeaving => self.member_leaving(peer),
            Action::PeerLeft => self.member_left(peer),
            Action::SelfLeaving => self.leave(),
            Action::OpenGate => self.open_gate(slot),
            Action::CloseGate => {
                if let Some(entry) = self.ledger.get(slot) {
                    self.gate.close(&entry.id);
                }
            }
            Action::StartWork => self.start_work(slot, WorkCause::Approved),
            Action::Compensate => self.start_work(slot, WorkCause::Compensation),
            Action::JudgePeer => self.summon(slot),
            Action::PeerAnswered => self.member_answered(peer),
            Action::AlarmNotExited => self.alarm(Alarm::NotExited, peer, Some(slot)),
            Action::AlarmReportLost => self.alarm(Alarm::ReportLost, peer, Some(slot)),
            Action::AlarmReportOverdue => self.alarm(Alarm::ReportOverdue, peer, Some(slot)),
        }
    }

    /// Raises an alarm.
    pub(super) fn alarm(&mut self, alarm: Alarm, about: MemberIndex, slot: Option<usize>) {
        let request_id = slot.and_then(|slot| self.ledger.get(slot)).map(|entry| entry.id.clone());
        self.alarm_about(alarm, about, request_id);
    }

    /// Raises an alarm about a request that may not be in the ledger.
    pub(super) fn alarm_about(
        &mut self,
        alarm: Alarm,
        about: MemberIndex,
        request_id: Option<RequestId>,
    ) {
        let event = self.alarm_event(alarm, about, request_id);
        self.event(Event::Alarm(event));
    }

    /// Notes an alarm, and gives the event that tells of it.
    pub(super) fn alarm_event(
        &mut self,
        alarm: Alarm,
        about: MemberIndex,
        request_id: Option<RequestId>,
    ) -> AlarmEvent {
        let member = self.name_of(about);
        self.note_alarm(alarm, &member, request_id.clone());
        let (holding, cycle, refused) = (Vec::new(), Vec::new(), None);
        AlarmEvent { alarm, member, request_id, holding, cycle, refused }
    }

    /// Writes the audit entry for an alarm.
    pub(super) fn note_alarm(&mut self, alarm: Alarm, about: &MemberName, id: Option<RequestId>) {
        let (code, to) = (Some(alarm.name()), Some(about.clone()));
        let entry = self.entry(Verdict::Alarm);
        self.audit.push(AuditEntry { code, to, request_id: id, ..entry });
    }

    /// Puts a request before the host.
    pub(super) fn ask_host(&mut self, slot: usize) {
        if let Some(event) = self.ledger.get(slot).and_then(|entry| self.request_event(entry)) {
            self.event(Event::Request(Box::new(event)));
        }
    }

    /// An unanswered request as the host sees it.
    pub(super) fn request_event(&self, entry: &Entry) -> Option<RequestEvent> {
        let State::Owed(Owed::Open { until } | Owed::Deferred { until }) = entry.state else {
            return None;
        };
        let mut event = RequestEvent {
            request_id: entry.id.clone(),
            kind: entry.content.kind().clone(),
            from: self.name_of(entry.peer),
            received_at: entry.opened_at,
            answer_by: until.min(entry.idle.ends),
            reason: None,
            plan: None,
            uses: None,
            digest: entry.content.digest(),
            payload: None,
            scope: Vec::new(),
            follows: entry.follows.as_deref().map(Into::into),
        };
        match &entry.content {
            Content::Shutdown { reason } => event.reason.clone_from(reason),
            Content::Plan { plan, uses, .. } => {
                event.plan = plan.as_deref().cloned();
                event.uses = Some(*uses);
            }
            Content::Other { details, .. } => {
                event.payload.clone_from(&details.payload);
                event.scope.clone_from(&details.scope);
                event.uses = (!details.scope.is_empty()).then_some(details.uses);
            }
        }
        Some(event)
    }

    /// A settled request of ours as the host sees it.
    pub(super) fn outcome(&self, entry: &Entry) -> Option<Outcome> {
        let settlement = entry.state.settlement()?;
        let status = entry.state.status();
        Some(Outcome {
            request_id: entry.id.clone(),
            kind: entry.content.kind().clone(),
            to: self.name_of(entry.peer),
            status,
            code: status.code(),
            cause: settlement.cause,
            by: settlement.by.map(|by| self.name_of(by)),
            reason: settlement.note.clone(),
            retry_after_ms: settlement.retry_after,
            payload: settlement.payload.clone(),
            votes: self.votes(&settlement.ballot),
            requests: Vec::new(),
            settled_at: settlement.at,
        })
    }

    fn tell_settled(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let peer = entry.peer;
        // A trial that timed out is over when its member was judged.
        let taken_back = matches!(entry.state, State::Asked(Asked::Cancelled(_)));
        if let Some(outcome) = self.outcome(entry) {
            self.event(Event::Settled(outcome));
        }
        if taken_back && let Some(member) = self.roster.get_mut(peer) {
            member.breaker.trial_over();
        }
    }

    fn tell_closed(&mut self, slot: usize, had_approved: bool) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let cause = match entry.state {
            State::Owed(Owed::Closed { cause, .. }) => cause,
            State::Owed(_) | State::Asked(_) => Cause::Member,
        };
        let status = entry.state.status();
        // Whoever agreed to leave leaves, however the request ended.
        let stands = entry.terms.approval == Approval::Leaves;
        let event = ClosedEvent {
            request_id: entry.id.clone(),
            kind: entry.content.kind().clone(),
            from: self.name_of(entry.peer),
            status,
            cause,
            reason: entry.detail.clone(),
            approval_without_effect: had_approved && !stands,
        };
        self.event(Event::Closed(event));
    }

    /// A request that shut our gate was withdrawn. By nothing else, silence included, it opens.
    fn release_gate(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let withdrawn = Owed::Closed { status: Status::Cancelled, cause: Cause::Member };
        if entry.state == State::Owed(withdrawn) {
            self.gate.release(&entry.id);
        }
    }

    fn open_gate(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        match &entry.content {
            Content::Plan { plan: Some(plan), uses, .. } => {
                self.gate.open(&entry.id, &plan.scope, *uses);
            }
            Content::Other { details, .. } => {
                self.gate.open(&entry.id, &details.scope, details.uses);
            }
            Content::Plan { plan: None, .. } | Content::Shutdown { .. } => {}
        }
    }

    /// Writes the audit entry for a request that moved.
    fn note_change(&mut self, slot: usize, was: Status) {
        let Some(entry) = self.ledger.get(slot) else { return };
        if entry.state.status() == was {
            return;
        }
        let answered = matches!(entry.state, State::Owed(Owed::Approved(..) | Owed::Rejected(_)));
        let verdict = if answered { Verdict::Answered } else { Verdict::Settled };
        self.note_request(slot, verdict, Some(was));
    }

    fn note_request(&mut self, slot: usize, verdict: Verdict, was: Option<Status>) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let (me, peer) = (self.name_of(self.roster.me()), self.name_of(entry.peer));
        let other = entry.peer;
        let (from, to) = match entry.side() {
            Side::Asked => (me, peer),
            Side::Owed => (peer, me),
        };
        let (id, kind, status) =
            (entry.id.clone(), entry.content.kind().clone(), entry.state.status());
        let (reason, cause) = match &entry.state {
            State::Owed(Owed::Approved(answer, _) | Owed::Rejected(answer)) => {
                (answer.note.clone(), None)
            }
            State::Owed(Owed::Closed { cause, .. }) => (None, Some(*cause)),
            State::Owed(Owed::Open { .. } | Owed::Deferred { .. }) => (None, None),
            State::Asked(_) => {
                let settlement = entry.state.settlement();
                (settlement.and_then(|s| s.note.clone()), settlement.map(|s| s.cause))
            }
        };
        self.audit.push(AuditEntry {
            code: status.code().map(crate::message::SettleCode::name),
            request_id: Some(id),
            kind: Some(kind),
            from: Some(from),
            to: Some(to),
            was,
            status: Some(status),
            reason,
            cause,
            ..self.entry(verdict)
        });
        self.idle_is_news(other);
    }
}

fn has_ended(entry: &Entry) -> bool {
    entry.ladder.is_some() && entry.state.status() != Status::Pending
}

/// Which member an input comes from, where it comes from one.
const fn voter(input: &Input) -> Option<MemberIndex> {
    if let Input::Response { by, .. }
    | Input::Acknowledged { by, .. }
    | Input::ApproverGone { by, .. } = input
    {
        Some(*by)
    } else {
        None
    }
}
