//! A message is for which request?

use super::ledger::{Content, Entry, Patience, Side};
use super::noise::repeat_of;
use super::receive::Stop;
use super::{Disposition, Engine};
use crate::authority::Approval;
use crate::effect::{Alarm, Event, ProgressEvent, ReminderEvent, ReportEvent};
use crate::error::NotNow;
use crate::ids::{MemberIndex, RequestId};
use crate::journal::{DropReason, Noted};
use crate::member::Again;
use crate::message::{
    Cause, Details, ExecutionReport, Exited, Follows, Kind, KindRequest, Liveness, Message,
    Progress, Receipt, Received, Reminder, Status, Timing,
};
use crate::request::{Answer, Feedback, Input, Owed, Panel, Rejection, State, WorkReport, Works};
use crate::time::Millis;
use crate::validate::{self, Origin, Target, Valid};

/// A decision as it comes in.
struct Decision {
    id: RequestId,
    kind: Kind,
    answer: Answer,
    digest: Option<crate::message::Digest>,
}

/// A request as it comes in.
struct Asked {
    content: Content,
    follows: Option<Follows>,
    timing: Timing,
    reminder: Option<Reminder>,
}

impl Engine {
    /// Gives a decoded message to the request it belongs to.
    pub(super) fn dispatch(
        &mut self,
        from: MemberIndex,
        message: Message,
        reminder: Option<Reminder>,
    ) -> Result<Disposition, Stop> {
        let (roles, to) = (self.roles_of(from), Target::Member(self.roles()));
        let message = validate::check(message, Origin::Peer, roles, to, self.rulebook())?;
        match Valid::into_inner(message) {
            Message::ShutdownRequest(m) => {
                let content = Content::Shutdown { reason: m.reason };
                let asked = Asked { content, follows: m.follows, timing: m.timing, reminder };
                self.asked_by_peer(from, m.request_id, asked)
            }
            Message::PlanApprovalRequest(m) => {
                let digest = m.plan.digest(m.uses);
                let content = Content::Plan { plan: Some(Box::new(m.plan)), uses: m.uses, digest };
                let asked = Asked { content, follows: m.follows, timing: m.timing, reminder };
                self.asked_by_peer(from, m.request_id, asked)
            }
            Message::Request(m) => {
                let KindRequest { request_id, kind, payload, scope, uses, follows, timing } = m;
                let details = Details { payload, scope, uses: uses.unwrap_or_default() };
                let digest = details.digest(&kind);
                let content = Content::Other { kind, details: Box::new(details), digest };
                self.asked_by_peer(from, request_id, Asked { content, follows, timing, reminder })
            }
            Message::Response(m) => {
                let (retry_after, payload) = (m.retry_after_ms, m.payload);
                let answer = Answer {
                    approve: m.approve,
                    note: m.reason,
                    retry_after,
                    payload,
                    confirmed: false,
                };
                let (id, kind, digest) = (m.request_id, m.kind, m.digest);
                self.decided(from, Decision { id, kind, answer, digest })
            }
            Message::ShutdownResponse(m) => {
                let (approve, note, retry_after) = (m.approve, m.reason, m.retry_after_ms);
                let answer = Answer { approve, note, retry_after, ..Answer::default() };
                let kind = Kind::SHUTDOWN;
                self.decided(from, Decision { id: m.request_id, kind, answer, digest: None })
            }
            Message::PlanApprovalResponse(m) => {
                let (approve, note) = (m.approve, m.feedback);
                let answer = Answer { approve, note, ..Answer::default() };
                let (kind, digest) = (Kind::PLAN_APPROVAL, Some(m.digest));
                self.decided(from, Decision { id: m.request_id, kind, answer, digest })
            }
            Message::Settled(m) => self.told(from, &m.request_id, m.status, m.cause, None),
            Message::Cancel(m) => {
                self.told(from, &m.request_id, Status::Cancelled, Cause::Member, m.reason)
            }
            Message::Reopen(m) => self.reopened_by(from, m),
            Message::Progress(m) => self.progress_from(from, m),
            Message::Receipt(m) => Ok(self.receipt_from(from, &m)),
            Message::Probe(m) => self.probed(from, m),
            Message::ExecutionReport(m) => self.report_from(from, m),
            Message::Exited(m) => self.exited_from(from, &m),
            Message::Idle(m) => self.idle_from(from, m.note),
            Message::Undeliverable(m) => self.undeliverable_from(from, m),
        }
    }

    /// A frame that was seen before repeats a request: the answer to it is sent again.
    pub(super) fn answer_repeat(&mut self, from: MemberIndex, message: &Message) {
        let asks = matches!(
            message,
            Message::ShutdownRequest(_) | Message::PlanApprovalRequest(_) | Message::Request(_)
        );
        let Some(id) = message.request_id().filter(|_| asks) else { return };
        let Some(slot) = self.ledger.find_owed(from, id.as_str()) else { return };
        self.send_answer(slot);
    }

    /// Requests of ours that a member has not answered.
    pub(super) fn unanswered_by(&self, member: MemberIndex) -> Vec<RequestId> {
        self.open_ids(Side::Asked, Some(member))
    }

    /// Ids of pending requests of one side, in order of arrival.
    pub(super) fn open_ids(&self, side: Side, peer: Option<MemberIndex>) -> Vec<RequestId> {
        let open = self.slots(&|entry| {
            entry.side() == side
                && entry.state.status() == Status::Pending
                && peer.is_none_or(|peer| entry.waits_for(peer))
        });
        let entries = open.into_iter().filter_map(|slot| self.ledger.get(slot));
        entries.map(|entry| entry.id.clone()).collect()
    }

    /// Gives up the oldest report of a member that is overdue and was told so: a member whose reports
    /// were lost must not be refused for ever.
    fn make_room(&mut self, from: MemberIndex) -> bool {
        let overdue = |entry: &Entry| {
            let due = matches!(entry.state.feedback(), Some(Feedback::ReportDue { by: None }));
            due && entry.side() == Side::Owed && entry.peer == from
        };
        let oldest = self.slots(&overdue).first().copied();
        oldest.is_some_and(|slot| self.apply(slot, Input::Gone(Cause::Clock)).is_ok())
    }

    fn asked_by_peer(
        &mut self,
        from: MemberIndex,
        id: RequestId,
        asked: Asked,
    ) -> Result<Disposition, Stop> {
        if let Some(slot) = self.ledger.find_owed(from, id.as_str()) {
            return self.asked_again(from, slot, asked);
        }
        if self.ledger.early(from).any(|ended| *ended == id) {
            return Err(Stop::Drop(DropReason::Late));
        }
        let Asked { content, follows, timing, reminder: _ } = asked;
        let limit = self.config.limits.open_per_member;
        if self.ledger.open(Side::Owed, from) >= limit && !self.make_room(from) {
            return Err(NotNow::TooManyOpen { limit }.into());
        }
        let cap = timing.cap_ms.unwrap_or(self.config.timing.cap);
        let timeout = timing.timeout_ms.unwrap_or(self.config.timing.timeout).min(cap);
        let terms = self.terms(content.kind());
        let slot = self.register(Entry {
            id: id.clone(),
            peer: from,
            panel: Panel::One(from),
            mail: Vec::new(),
            content,
            terms,
            lineage: self.lineage_of(from, follows.as_ref()),
            follows: follows.map(Box::new),
            opened_at: self.now,
            seq: 0,
            state: Owed::Open { until: self.now.after(cap) }.into(),
            idle: Patience {
                limit: timeout,
                ends: self.now.after(timeout),
                told_in: self.about.seq,
            },
            detail: None,
            works: Works::default(),
            ladder: None,
        });
        self.acknowledge(slot);
        self.tell_loop(slot);
        if terms.holds_gate {
            self.gate.hold(&id);
        }
        if self.answer_rejected(slot) {
            return Ok(Disposition::Accepted(id));
        }
        match terms.approval {
            Approval::Leaves if self.presence() == Liveness::Leaving => {
                // It is so already.
                let answer = Answer { approve: true, ..Answer::default() };
                self.apply_quietly(slot, Input::Decide(answer));
            }
            Approval::Leaves if self.sections.any() => self.answer_from_section(slot),
            Approval::Nothing | Approval::Leaves | Approval::OpensGate => self.ask_host(slot),
        }
        if terms.blocking {
            self.begin_round();
        }
        Ok(Disposition::Accepted(id))
    }

    fn asked_again(
        &mut self,
        from: MemberIndex,
        slot: usize,
        asked: Asked,
    ) -> Result<Disposition, Stop> {
        let Asked { content, follows: _, timing, reminder } = asked;
        let Some(entry) = self.ledger.get(slot) else {
            return Err(Stop::Drop(DropReason::Orphan));
        };
        let request_id = entry.id.clone();
        if !entry.content.same_as(&content) {
            self.refuse_storm(from, Again::ReusedId)?;
            self.alarm(Alarm::IdReused, from, Some(slot));
            return Err(NotNow::IdReused { request_id }.into());
        }
        let open = matches!(entry.state, State::Owed(Owed::Open { .. }));
        let idle = entry.idle;
        self.refuse_storm(from, Again::Request)?;
        // Frames may overtake each other: the requester's last word counts.
        let timing = if self.about.seq > idle.told_in { timing } else { Timing::default() };
        let until = timing.cap_ms.map(|cap| self.now.after(cap));
        self.apply(slot, Input::AskedAgain { until }).map_err(drop_reason)?;
        if let Some(timeout) = timing.timeout_ms {
            let (ends, told_in) = (self.now.after(timeout), self.about.seq);
            self.ledger.wait_until(slot, Patience { ends, told_in, ..idle });
        }
        if let (true, Some(reminder)) = (open, reminder) {
            let event = ReminderEvent { request_id, from: self.name_of(from), text: reminder.text };
            self.event(Event::Reminder(event));
        }
        Ok(Disposition::Noted(Noted::AskedAgain))
    }

    fn decided(&mut self, from: MemberIndex, decision: Decision) -> Result<Disposition, Stop> {
        let Decision { id, kind, answer, digest } = decision;
        let Some(slot) = self.ledger.find_asked(id.as_str()) else {
            return Err(Stop::Drop(DropReason::Orphan));
        };
        let Some(entry) = self.ledger.get(slot) else {
            return Err(Stop::Drop(DropReason::Orphan));
        };
        if !entry.concerns(from) {
            return Err(Stop::Drop(DropReason::WrongResponder));
        }
        if *entry.content.kind() != kind {
            return Err(Stop::Drop(DropReason::WrongKind));
        }
        // Without a digest it is a kind that binds no decision to one; the rules saw to that.
        if digest.is_some() && entry.content.digest() != digest {
            return Err(Stop::Drop(DropReason::DigestMismatch));
        }
        let terms = entry.terms;
        let unexplained = answer.note.as_deref().is_none_or(crate::message::is_blank);
        if !answer.approve && terms.refusal_needs_reason && unexplained {
            self.marks.push("no_reason");
        }
        let approve = answer.approve;
        match self.apply(slot, Input::Response { answer, by: from }) {
            Ok(()) if self.only_voted(slot, from) => Ok(Disposition::VoteRecorded(id)),
            Ok(()) => Ok(Disposition::Settled(id)),
            Err(rejection) => {
                let leaves = approve && terms.approval == Approval::Leaves;
                self.answer_too_late(slot, from, rejection, leaves)?;
                Err(drop_reason(rejection))
            }
        }
    }

    /// Whether the latest vote settled nothing: others must still decide, or it came too late.
    fn only_voted(&self, slot: usize, from: MemberIndex) -> bool {
        let Some(entry) = self.ledger.get(slot) else { return false };
        let vote = entry.state.ballot().and_then(|ballot| ballot.of(from));
        let late = vote.is_some_and(|vote| !vote.counted);
        late || entry.state.status() == Status::Pending
    }

    /// A decision on what is over: the other side learns the outcome, and what it has decided
    /// about itself stands as a fact.
    fn answer_too_late(
        &mut self,
        slot: usize,
        from: MemberIndex,
        rejection: Rejection,
        leaves: bool,
    ) -> Result<(), Stop> {
        match rejection {
            Rejection::Late { .. } => {
                let presence = self.presence_of(from);
                let known = matches!(presence, Some(Liveness::Leaving | Liveness::Left));
                if leaves && !known {
                    self.send_settled(slot, Some(from));
                    self.member_leaving(from);
                    self.alarm(Alarm::LeftDespiteCancel, from, Some(slot));
                    return Err(Stop::Told(DropReason::Late));
                }
                self.refuse_storm(from, Again::Late)?;
                self.send_settled(slot, Some(from));
            }
            Rejection::Conflicting { .. } => {
                self.refuse_storm(from, Again::Contradiction)?;
                self.alarm(Alarm::ConflictingDecision, from, Some(slot));
                self.send_settled(slot, Some(from));
            }
            Rejection::Duplicate { .. }
            | Rejection::NotPending { .. }
            | Rejection::NotApproved { .. }
            | Rejection::Pause(_)
            | Rejection::WrongSide
            | Rejection::WrongKind
            | Rejection::NotDue => {}
        }
        Ok(())
    }

    fn told(
        &mut self,
        from: MemberIndex,
        id: &RequestId,
        status: Status,
        cause: Cause,
        reason: Option<String>,
    ) -> Result<Disposition, Stop> {
        let slot = match (self.ledger.find_asked(id.as_str()), status) {
            // The lead may call off what others ask of each other.
            (Some(slot), Status::Cancelled) if self.may_call_off(from, slot) => {
                self.called_off(slot, reason)?;
                return Ok(Disposition::Settled(id.clone()));
            }
            (Some(_), _) => self.owed_slot(from, id)?,
            (None, _) => match self.ledger.find_owed(from, id.as_str()) {
                Some(slot) => slot,
                // What others ask of us is no affair of this member.
                None if !self.ledger.find_all(Side::Owed, id.as_str()).is_empty() => {
                    return Err(Stop::Drop(DropReason::Orphan));
                }
                None => {
                    self.ledger.ended_early(from, id.clone());
                    return Ok(Disposition::Noted(Noted::EndedEarly));
                }
            },
        };
        let before = self.ledger.swap_detail(slot, reason);
        let was = self.ledger.get(slot).map(|entry| entry.state.status());
        if let Err(rejection) = self.apply(slot, Input::Told { status, cause }) {
            self.ledger.swap_detail(slot, before);
            return Err(drop_reason(rejection));
        }
        if was == Some(status) {
            // The outcome is what this member said, and now it knows.
            return Ok(Disposition::Noted(Noted::Confirmed));
        }
        Ok(Disposition::Settled(id.clone()))
    }

    fn progress_from(
        &mut self,
        from: MemberIndex,
        progress: Progress,
    ) -> Result<Disposition, Stop> {
        let Progress { request_id, note, busy_for_ms } = progress;
        if let Some(id) = &request_id {
            let asked = self.ledger.find_asked(id.as_str());
            let ours = |slot: &usize| self.ledger.get(*slot).is_some_and(|e| e.concerns(from));
            // The decider of our request is at its answer, or the requester of theirs is at the
            // work that we approved.
            let slot = asked.filter(ours).or_else(|| self.ledger.find_owed(from, id.as_str()));
            let stranger = asked.map_or(DropReason::Orphan, |_| DropReason::WrongResponder);
            let slot = slot.ok_or(Stop::Drop(stranger))?;
            self.apply(slot, Input::Progress).map_err(drop_reason)?;
        }
        self.idle_is_news(from);
        let busy_until = busy_for_ms.map(|span| self.hold_judgement(from, span));
        let from = self.name_of(from);
        self.event(Event::Progress(ProgressEvent { from, request_id, note, busy_until }));
        Ok(Disposition::Noted(Noted::Progress))
    }

    fn hold_judgement(&mut self, from: MemberIndex, span: Millis) -> crate::time::Timestamp {
        let until = self.now.after(span.min(self.config.timing.cap));
        self.member_busy(from, until);
        until
    }

    fn receipt_from(&mut self, from: MemberIndex, receipt: &Receipt) -> Disposition {
        let slot = self.ledger.find_asked(receipt.request_id.as_str());
        let ours = |slot: &usize| self.ledger.get(*slot).is_some_and(|e| e.concerns(from));
        if let (Received::Report, Some(slot)) = (receipt.of, slot.filter(ours)) {
            let rolled_back = receipt.rolled_back;
            self.apply_quietly(slot, Input::Acknowledged { by: from, rolled_back });
        }
        Disposition::Noted(Noted::SignOfLife)
    }

    fn report_from(
        &mut self,
        from: MemberIndex,
        report: ExecutionReport,
    ) -> Result<Disposition, Stop> {
        let ExecutionReport { request_id, ok, rolled_back, detail } = report;
        let report = WorkReport { ok, rolled_back };
        let slot = self.owed_slot(from, &request_id)?;
        let applied = self.apply(slot, Input::Report { report });
        // Otherwise it would come again and again.
        if let Err(rejection @ (Rejection::Duplicate { .. } | Rejection::Late { .. })) = applied {
            if let Stop::Drop(reason) = drop_reason(rejection) {
                repeat_of(reason).map_or(Ok(()), |sort| self.refuse_storm(from, sort))?;
            }
            self.acknowledge_report(from, request_id.clone(), rolled_back);
        }
        applied.map_err(drop_reason)?;
        self.idle_is_news(from);
        let from = self.name_of(from);
        self.event(Event::Report(ReportEvent { request_id, from, ok, rolled_back, detail }));
        Ok(Disposition::Noted(Noted::Report))
    }

    /// A member says that it has left. Whatever request it names: about itself it is believed.
    fn exited_from(&mut self, from: MemberIndex, exited: &Exited) -> Result<Disposition, Stop> {
        let slot = exited.request_id.as_ref().and_then(|id| self.ledger.find_asked(id.as_str()));
        let slot = slot.filter(|slot| self.ledger.get(*slot).is_some_and(|e| e.peer == from));
        let confirmed = slot.is_some_and(|slot| self.apply(slot, Input::Exited).is_ok());
        if !confirmed {
            self.member_left(from);
        }
        Ok(Disposition::Noted(Noted::Exit))
    }

    fn owed_slot(&self, from: MemberIndex, id: &RequestId) -> Result<usize, Stop> {
        let slot = self.ledger.find_owed(from, id.as_str());
        slot.ok_or(Stop::Drop(DropReason::Orphan))
    }

    /// Applies an input of which it is known that the state takes it, or may ignore it.
    pub(super) fn apply_quietly(&mut self, slot: usize, input: Input) {
        let _not_due = self.apply(slot, input);
    }
}

fn drop_reason(rejection: Rejection) -> Stop {
    Stop::Drop(match rejection {
        Rejection::Duplicate { .. } => DropReason::Duplicate,
        Rejection::Conflicting { .. } => DropReason::Conflicting,
        Rejection::Late { .. } | Rejection::NotPending { .. } => DropReason::Late,
        Rejection::WrongKind => DropReason::WrongKind,
        Rejection::NotApproved { .. } => DropReason::Unapproved,
        Rejection::Pause(_) | Rejection::WrongSide | Rejection::NotDue => DropReason::Orphan,
    })
}
