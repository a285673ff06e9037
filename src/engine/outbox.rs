//! Frames go out.

use super::Engine;
use super::ledger::{Content, Entry, Patience};
use super::panel::Audience;
use crate::deadline::Subject;
use crate::effect::{Effect, Send};
use crate::ids::{MemberIndex, RequestId, ascii, write_hex};
use crate::message::{
    Body, Cancel, Details, Envelope, ExecutionReport, KindRequest, KindResponse, Liveness, Message,
    PlanApprovalRequest, PlanApprovalResponse, Progress, Receipt, Received, Reminder, Settled,
    ShutdownRequest, ShutdownResponse, Timing, WIRE_VERSION,
};
use crate::request::{Answer, Asked, Feedback, Owed, State, WorkReport};
use crate::time::{Millis, Timestamp};
use crate::wire;

impl Engine {
    /// Numbers, encodes and queues one frame. It also carries the acknowledgement that was due
    /// to the member, so no receipt is needed.
    pub(super) fn post(
        &mut self,
        to: MemberIndex,
        body: Body,
        reminder: Option<Reminder>,
    ) -> Option<u64> {
        self.seq += 1;
        self.remember_sent(to, &body);
        let member = self.roster.get_mut(to)?;
        member.receipt_at = None;
        let deadline = member.next_deadline();
        let envelope = Envelope {
            v: WIRE_VERSION,
            id: frame_id(self.config.incarnation.nonce(), self.seq),
            seq: self.seq,
            from: self.config.member.clone(),
            from_incarnation: self.config.incarnation,
            to: member.name.clone(),
            to_incarnation: member.incarnation,
            at: self.now,
            reminder,
            message: body,
        };
        self.deadlines.set(Subject::Member(to.0), deadline);
        let frame = wire::encode(&envelope);
        self.effects.push_back(Effect::Send(Send { to: envelope.to, seq: self.seq, frame }));
        Some(self.seq)
    }

    /// Queues one structured message.
    pub(super) fn post_message(&mut self, to: MemberIndex, message: Message) -> Option<u64> {
        self.post(to, Body::Structured(message), None)
    }

    /// Sends a pending request to everybody who must still decide: the first time as it is,
    /// afterwards as a reminder.
    pub(super) fn send_request(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let State::Asked(Asked::Pending(clocks, _)) = &entry.state else { return };
        let reminder = (clocks.reminded() > 0).then(|| self.reminder(entry, clocks.reminded()));
        for (to, seq) in self.post_request(slot, reminder.as_ref()) {
            if reminder.is_none() {
                self.ledger.note_mail(slot, seq, to);
            }
        }
    }

    /// Sends a pending request again, for its limits are new. It reminds nobody of anything.
    pub(super) fn send_limits(&mut self, slot: usize) {
        self.post_request(slot, None);
    }

    /// Returns which frame carries it to whom, where several members decide.
    fn post_request(
        &mut self,
        slot: usize,
        reminder: Option<&Reminder>,
    ) -> Vec<(MemberIndex, u64)> {
        let Some(entry) = self.ledger.get(slot) else { return Vec::new() };
        let State::Asked(Asked::Pending(clocks, _)) = &entry.state else { return Vec::new() };
        // A longer span could not be read at the other end.
        let left = |end: Timestamp| end.since(self.now).min(Millis::new(Millis::MAX_FROM_OUTSIDE));
        let timing = Timing {
            timeout_ms: Some(left(clocks.expires_at())),
            cap_ms: Some(left(clocks.cap_at())),
        };
        let Some(message) = request_message(entry, timing) else { return Vec::new() };
        if entry.panel.is_one() {
            let peer = entry.peer;
            self.post(peer, Body::Structured(message), reminder.cloned());
            return Vec::new();
        }
        let mut sent = Vec::new();
        for to in self.audience(slot, Audience::Undecided) {
            if self.refuse_absent(to).is_err() {
                continue;
            }
            let seq = self.post(to, Body::Structured(message.clone()), reminder.cloned());
            sent.extend(seq.map(|seq| (to, seq)));
        }
        sent
    }

    /// Sends the stored answer.
    pub(super) fn send_answer(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let State::Owed(Owed::Approved(answer, _) | Owed::Rejected(answer)) = &entry.state else {
            return;
        };
        let message = response_message(entry, answer);
        let peer = entry.peer;
        self.post_message(peer, message);
    }

    /// Tells how our request ended: one member, or everybody who was asked.
    pub(super) fn send_settled(&mut self, slot: usize, to: Option<MemberIndex>) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(settlement) = entry.state.settlement() else { return };
        let status = entry.state.status();
        let message = Message::Settled(Settled {
            request_id: entry.id.clone(),
            status,
            code: status.code(),
            cause: settlement.cause,
        });
        match to {
            Some(to) => {
                self.post_message(to, message);
            }
            None => self.post_all(slot, Audience::Asked, &message),
        }
    }

    /// Tells everybody who was asked that our request is withdrawn; from the lead that should decide,
    /// the requester that it should be.
    pub(super) fn send_cancel(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let (request_id, reason) = (entry.id.clone(), entry.detail.clone());
        let message = Message::Cancel(Cancel { request_id, reason });
        self.post_all(slot, Audience::Asked, &message);
    }

    /// Sends the execution report.
    pub(super) fn send_report(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(Feedback::ReportSent { report, .. }) = entry.state.feedback() else { return };
        let WorkReport { ok, rolled_back } = report;
        let (request_id, detail) = (entry.id.clone(), entry.detail.clone());
        let report =
            Message::ExecutionReport(ExecutionReport { request_id, ok, rolled_back, detail });
        self.post_all(slot, Audience::Uninformed, &report);
    }

    fn post_all(&mut self, slot: usize, audience: Audience, message: &Message) {
        for to in self.audience(slot, audience) {
            // A life that is over reads nothing any more.
            if self.roster.get(to).is_some_and(|member| member.presence != Liveness::Left) {
                self.post_message(to, message.clone());
            }
        }
    }

    /// The requester of this slot must learn that we are there: by the next frame that goes to it
    /// anyway, or by a receipt after the delay. A request that a critical section holds back is
    /// answered with progress instead, so that its idle limit restarts.
    pub(super) fn acknowledge(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let peer = entry.peer;
        if matches!(entry.state, State::Owed(Owed::Deferred { .. })) {
            self.send_deferral(slot);
            return;
        }
        let at = self.now.after(self.config.timing.ack_delay);
        if let Some(member) = self.roster.get_mut(peer) {
            member.receipt_at.get_or_insert(at);
            self.deadlines.set(Subject::Member(peer.0), member.next_deadline());
        }
    }

    /// Tells the requester that a critical section holds its request back.
    pub(super) fn send_deferral(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let request_id = entry.id.clone();
        let (note, busy_for_ms) = self.sections.explain(self.now, self.config.lang);
        let progress = Progress { request_id: Some(request_id), note: Some(note), busy_for_ms };
        self.send_progress(slot, progress);
    }

    /// Tells the other side that we are at it. At an answer: the requester's idle limit begins anew;
    /// in a pause it ends later still, and the requester's own word stands. At approved work: who
    /// approved it.
    pub(super) fn send_progress(&mut self, slot: usize, progress: Progress) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let idle = entry.idle;
        let ends = idle.ends.max(self.now.after(idle.limit));
        self.ledger.wait_until(slot, Patience { ends, ..idle });
        self.post_all(slot, Audience::Uninformed, &Message::Progress(progress));
    }

    /// Sends the receipt that is due to a member: one, for everything that is open with it.
    pub(super) fn send_receipt(&mut self, to: MemberIndex) {
        let latest = self.ledger.iter().filter(|(_, entry)| entry.peer == to);
        let waits =
            |state: &State| matches!(state, State::Owed(Owed::Open { .. } | Owed::Deferred { .. }));
        let owed = latest.filter(|(_, entry)| waits(&entry.state));
        let id = owed.max_by_key(|(_, entry)| entry.opened_at).map(|(_, entry)| entry.id.clone());
        match id {
            Some(request_id) => {
                let (of, rolled_back) = (Received::Request, None);
                let receipt = Receipt { request_id, of, rolled_back };
                self.post_message(to, Message::Receipt(receipt));
            }
            None => self.forget_receipt(to),
        }
    }

    /// Acknowledges an execution report now.
    pub(super) fn acknowledge_report(
        &mut self,
        to: MemberIndex,
        request_id: RequestId,
        rolled_back: Option<bool>,
    ) {
        let receipt = Receipt { request_id, of: Received::Report, rolled_back };
        self.post_message(to, Message::Receipt(receipt));
    }

    fn forget_receipt(&mut self, to: MemberIndex) {
        if let Some(member) = self.roster.get_mut(to) {
            member.receipt_at = None;
            self.deadlines.set(Subject::Member(to.0), member.next_deadline());
        }
    }
}

fn frame_id(nonce: u64, seq: u64) -> String {
    let mut text = *b"0000000000000000-";
    write_hex(u128::from(nonce), &mut text[..16]);
    let mut id = ascii(&text).to_owned();
    id.push_str(itoa::Buffer::new().format(seq));
    id
}

/// The message that asks; `None` once the plan was let go.
pub(super) fn request_message(entry: &Entry, timing: Timing) -> Option<Message> {
    let request_id = entry.id.clone();
    let follows = entry.follows.as_deref().cloned();
    Some(match &entry.content {
        Content::Shutdown { reason } => Message::ShutdownRequest(ShutdownRequest {
            request_id,
            reason: reason.clone(),
            follows,
            timing,
        }),
        Content::Plan { plan, uses, .. } => Message::PlanApprovalRequest(PlanApprovalRequest {
            request_id,
            plan: plan.as_deref()?.clone(),
            uses: *uses,
            follows,
            timing,
        }),
        Content::Other { kind, details, .. } => {
            let Details { payload, scope, uses } = details.as_ref().clone();
            let kind = kind.clone();
            let uses = (!scope.is_empty()).then_some(uses);
            Message::Request(KindRequest {
                request_id,
                kind,
                payload,
                scope,
                uses,
                follows,
                timing,
            })
        }
    })
}

/// The message that answers.
pub(super) fn response_message(entry: &Entry, answer: &Answer) -> Message {
    let request_id = entry.id.clone();
    let Answer { approve, note, retry_after, payload, confirmed: _ } = answer.clone();
    let retry_after_ms = retry_after.filter(|after| *after > Millis::new(0));
    match &entry.content {
        Content::Shutdown { .. } => Message::ShutdownResponse(ShutdownResponse {
            request_id,
            approve,
            reason: note,
            retry_after_ms,
        }),
        Content::Plan { digest, .. } => Message::PlanApprovalResponse(PlanApprovalResponse {
            request_id,
            approve,
            feedback: note,
            digest: *digest,
        }),
        Content::Other { kind, digest, .. } => Message::Response(KindResponse {
            request_id,
            kind: kind.clone(),
            approve,
            reason: note,
            retry_after_ms,
            payload,
            digest: Some(*digest),
        }),
    }
}
