//! The host wants something.
//!
//! Every command checks everything first and changes nothing when it is refused.

use std::borrow::Cow;

use serde::Serialize;

use super::escalation::Escalation;
use super::ledger::{Content, Entry, Side};
use super::lineage::FollowSpec;
use super::record::Call;
use super::{Actor, Checked, Engine};
use crate::authority::{Approval, AuthorityError};
use crate::effect::{Alarm, Outcome};
use crate::error::{Misuse, NotNow, ProtocolError};
use crate::gate::Permit;
use crate::ids::RequestId;
use crate::message::{
    Action as GuardedAction, Body, Cause, Details, Exited, Idle, Kind, Liveness, Message, Payload,
    Plan, Progress, Role, Status, Uses,
};
use crate::request::{Answer, Feedback, Input, Owed, State};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};
use crate::validate::{self, InvalidMessage};

/// What a refusable call returns.
pub type Refusable<T> = Result<T, ProtocolError>;

/// How one request is asked; the configuration fills in what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AskOptions {
    /// Idle limit.
    pub timeout: Option<Millis>,
    /// Hard limit.
    pub cap: Option<Millis>,
    /// Who decides, one stage after the other, where it is not one member alone.
    pub stages: Vec<StageSpec>,
    /// The name of work to run when it is approved: a `work` event asks the host to, exactly once.
    pub on_approved: Option<String>,
    /// Where an approval opens a gate: the name of work that undoes what was approved. It runs
    /// exactly once, when the approved work is reported as failed.
    pub compensation: Option<String>,
    /// The earlier request that it goes on from.
    pub follows: Option<FollowSpec>,
    /// Of a shutdown: that it is asked again by itself until the worker agrees.
    pub escalate: Option<Escalation>,
}

from_store!(struct AskOptions { timeout, cap, stages, on_approved, compensation, follows, escalate });

/// Several members that decide together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageSpec {
    /// Who votes. Each holds a role that decides on the kind, or that of an approver; nobody votes
    /// twice, and nobody on a request of its own.
    pub approvers: Vec<String>,
    /// How many of them must say yes: from 1 to all.
    pub threshold: usize,
    /// Whether a single no ends the request.
    pub veto: bool,
}

from_store!(struct StageSpec { approvers, threshold, veto });

/// A decision on a request of another member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Response {
    /// Yes or no.
    pub approve: bool,
    /// Reason of a refusal, or a note on an approval.
    pub reason: Option<String>,
    /// With a refusal: when to ask again, from now.
    pub retry_after: Option<Millis>,
    /// With a kind of the host's own: what it defines as an answer.
    pub payload: Option<Payload>,
}

from_store!(struct Response { approve, reason, retry_after, payload });

impl Engine {
    /// Asks for something of a kind that has no messages of its own: one that the host declared,
    /// or `dependency`.
    ///
    /// # Errors
    /// When the kind is not declared, the roles do not fit it, the scope is missing or too much, or
    /// the other member is unknown, lost or gone, or asked the same already.
    pub fn ask_for(
        &mut self,
        now: Timestamp,
        kind: &Kind,
        to: &str,
        details: Details,
        options: AskOptions,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::AskFor {
            kind: Cow::Borrowed(kind),
            to: to.into(),
            details: Cow::Borrowed(&details),
            options: Cow::Borrowed(&options),
        });
        self.command(now, told, |engine| {
            let (kind, digest) = (kind.clone(), details.digest(kind));
            let content = Content::Other { kind, details: Box::new(details), digest };
            engine.ask(to, content, options)
        })
    }

    /// Asks a worker to leave. A member that is leaving already is not asked again: the id of the
    /// shutdown it agreed to comes back.
    ///
    /// # Errors
    /// When this member is not the lead, or the other one is unknown, lost, gone, no worker, or
    /// asked already.
    pub fn request_shutdown(
        &mut self,
        now: Timestamp,
        to: &str,
        reason: Option<String>,
        options: AskOptions,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::RequestShutdown {
            to: to.into(),
            reason: reason.as_deref().map(Into::into),
            options: Cow::Borrowed(&options),
        });
        self.command(now, told, |engine| {
            let content = Content::Shutdown { reason };
            if let Some(id) = engine.shutdown_agreed(to) {
                return Ok(id);
            }
            engine.ask(to, content, options)
        })
    }

    /// Asks the lead to approve a plan. The gate stays closed until it does. While an approval of the
    /// same plan is open and not used up, its id comes back.
    ///
    /// # Errors
    /// When this member is no worker, the plan breaks a rule, or the same plan waits already.
    pub fn submit_plan(
        &mut self,
        now: Timestamp,
        plan: Plan,
        uses: Uses,
        options: AskOptions,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::SubmitPlan {
            plan: Cow::Borrowed(&plan),
            uses,
            options: Cow::Borrowed(&options),
        });
        self.command(now, told, |engine| {
            let digest = plan.digest(uses);
            let content = Content::Plan { plan: Some(Box::new(plan)), uses, digest };
            if let Some(id) = engine.approved_already(&content) {
                return Ok(id);
            }
            let lead = engine.name_of(engine.roster.lead());
            let id = engine.ask(lead.as_str(), content, options)?;
            engine.answer_plan_requests(&id);
            Ok(id)
        })
    }

    /// Answers a request that was put to this member. `id` may be an unambiguous beginning.
    ///
    /// # Errors
    /// When there is no such request, it is over or answered, or a refusal says no reason.
    pub fn respond(
        &mut self,
        now: Timestamp,
        id: &str,
        response: Response,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Respond {
            id: id.into(),
            kind: None,
            response: Cow::Borrowed(&response),
        });
        self.command(now, told, |engine| engine.answer(id, None, response))
    }

    /// Withdraws a request of this member. Withdrawing what was withdrawn is fine. The lead may
    /// also call off what it should decide: the requester is told, and withdraws it.
    ///
    /// # Errors
    /// When there is no such request, or it ended otherwise.
    pub fn cancel(&mut self, now: Timestamp, id: &str) -> Refusable<RequestId> {
        self.withdraw_for(now, id, None)
    }

    /// Tells how the work of an approved plan went. The gate closes for it. The report is sent
    /// until the lead acknowledges it, as often as an unanswered request.
    ///
    /// # Errors
    /// When the plan is unknown, not approved, or reported already, or when this member has agreed
    /// to leave.
    pub fn report(
        &mut self,
        now: Timestamp,
        id: &str,
        ok: bool,
        detail: Option<String>,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Report {
            id: id.into(),
            ok,
            detail: detail.as_deref().map(Into::into),
        });
        self.command(now, told, |engine| {
            let slot = engine.resolve(Side::Asked, id)?;
            engine.about_request(slot);
            engine.check_texts(&[detail.as_deref()])?;
            let before = engine.ledger.swap_detail(slot, detail);
            if let Err(rejection) = engine.apply(slot, Input::Finish { ok }) {
                engine.ledger.swap_detail(slot, before);
                return Err(engine.no_report(rejection).into());
            }
            engine.id_of(slot)
        })
    }

    /// Says something to one member, or to everyone with `*`. Text is never a decision. Returns
    /// how many members it goes to.
    ///
    /// # Errors
    /// When the member is unknown, lost or gone, or the text is too long.
    pub fn say(&mut self, now: Timestamp, to: &str, text: &str) -> Refusable<usize> {
        let told = self.write_down(|| Call::Say { to: to.into(), text: text.into() });
        self.command(now, told, |engine| {
            engine.refuse_when_left()?;
            validate::check_text(text, &engine.config.limits)?;
            let receivers = if to == "*" {
                engine.everyone_present()
            } else {
                let index = engine.known_member(to)?;
                engine.refuse_self(index, "text")?;
                engine.refuse_absent(index)?;
                vec![index]
            };
            for index in &receivers {
                engine.post(*index, Body::Text(text.to_owned()), None);
            }
            Ok(receivers.len())
        })
    }

    /// Tells that this member is at work: on a request that it owes, on approved work of its own
    /// that it has not reported (the report is due later then), or in general (to the lead). With
    /// `busy_for`, silence for that long is no sign of death.
    ///
    /// # Errors
    /// When there is no such request, or nothing to do about it.
    pub fn progress(
        &mut self,
        now: Timestamp,
        id: Option<&str>,
        note: Option<String>,
        busy_for: Option<Millis>,
    ) -> Refusable<()> {
        let told = self.write_down(|| Call::Progress {
            id: id.map(Into::into),
            note: note.as_deref().map(Into::into),
            busy_for,
        });
        self.command(now, told, |engine| {
            engine.refuse_when_left()?;
            engine.check_texts(&[note.as_deref()])?;
            let Some(id) = id else {
                let lead = engine.roster.lead();
                engine.refuse_self(lead, "progress")?;
                let progress = Progress { request_id: None, note, busy_for_ms: busy_for };
                engine.post_message(lead, Message::Progress(progress));
                return Ok(());
            };
            let (owed, own) = (engine.resolve_pending(Side::Owed, id), engine.work(id));
            let slot = match (owed, own) {
                (Err(NotNow::UnknownRequest { .. }), Some(own)) => own?,
                (owed, _) => owed?,
            };
            let request_id = Some(engine.id_of(slot)?);
            engine.send_progress(slot, Progress { request_id, note, busy_for_ms: busy_for });
            Ok(())
        })
    }

    /// A request of this member by its id; refused unless it is approved work to report.
    fn work(&self, id: &str) -> Option<Result<usize, NotNow>> {
        let slot = self.resolve(Side::Asked, id).ok()?;
        let refusal = self.would_reject(slot, Input::Finish { ok: true });
        Some(refusal.map_or(Ok(slot), |rejection| Err(self.no_report(rejection))))
    }

    /// Tells the lead that this member has nothing to do.
    ///
    /// # Errors
    /// When this member is the lead or has left.
    pub fn idle(&mut self, now: Timestamp, note: Option<String>) -> Refusable<()> {
        let told = self.write_down(|| Call::Idle { note: note.as_deref().map(Into::into) });
        self.command(now, told, |engine| {
            engine.refuse_when_left()?;
            engine.check_texts(&[note.as_deref()])?;
            let lead = engine.roster.lead();
            engine.refuse_self(lead, "idle")?;
            engine.post_message(lead, Message::Idle(Idle { note }));
            Ok(())
        })
    }

    /// Confirms that this member has left; afterwards it takes part in nothing. After an approved
    /// shutdown this completes it; it may also leave unasked.
    ///
    /// # Errors
    /// When this member is the lead, has left already, or a critical section is open.
    pub fn exit(&mut self, now: Timestamp) -> Refusable<()> {
        let told = self.write_down(|| Call::Exit);
        self.command(now, told, |engine| {
            engine.refuse_when_left()?;
            engine.refuse_in_section()?;
            let (me, lead) = (engine.roster.me(), engine.roster.lead());
            engine.refuse_self(lead, "exited")?;
            let agreed = engine.slots(&|entry| {
                matches!(entry.state.feedback(), Some(Feedback::ExitDue { .. }))
                    && entry.side() == Side::Owed
            });
            let request_id = agreed.first().and_then(|slot| engine.id_of(*slot).ok());
            engine.end_own(Cause::Leaving);
            // Reports that nobody acknowledged: this was their last chance.
            for slot in engine.slots(&|entry| entry.side() == Side::Asked) {
                engine.apply_quietly(slot, Input::Gone(Cause::Closed));
            }
            for slot in agreed {
                engine.apply_quietly(slot, Input::Exited);
            }
            for slot in engine.slots(&|entry| entry.state.status() == Status::Pending) {
                engine.apply_quietly(slot, Input::Gone(Cause::Leaving));
            }
            engine.set_presence(me, Liveness::Left);
            engine.post_message(lead, Message::Exited(Exited { request_id }));
            Ok(())
        })
    }

    /// Lets a guarded action start if an approved plan covers it.
    ///
    /// # Errors
    /// [`NotNow::GateClosed`] otherwise, with what to do about it; and for a member that is no
    /// worker, for nobody approves its plans.
    pub fn enter_gate(&mut self, now: Timestamp, action: &str) -> Refusable<(Permit, RequestId)> {
        let told = self.write_down(|| Call::EnterGate { action: action.into() });
        self.command(now, told, |engine| {
            engine.refuse_leaving()?;
            // Whoever may not ask for a plan has no gate that one could open.
            engine.refuse_ungated()?;
            let parsed = GuardedAction::parse(action)
                .map_err(|why| Misuse::BadAction { found: action.to_owned(), why })?;
            engine.gate.enter(&parsed).map_err(|why| {
                let pending = engine.open_ids(Side::Asked, None);
                NotNow::GateClosed { action: action.to_owned(), why, pending }.into()
            })
        })
    }

    pub(super) fn withdraw_for(
        &mut self,
        now: Timestamp,
        id: &str,
        reason: Option<String>,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Cancel {
            id: id.into(),
            reason: reason.as_deref().map(Into::into),
        });
        self.command(now, told, |engine| engine.withdraw(id, reason))
    }

    /// A plan that was submitted is the answer to every request for one.
    fn answer_plan_requests(&mut self, plan: &RequestId) {
        let asks = |entry: &Entry| {
            entry.terms.holds_gate && matches!(entry.state, State::Owed(Owed::Open { .. }))
        };
        for slot in self.slots(&asks) {
            let note = Some(plan.as_str().to_owned());
            let answer = Answer { approve: true, note, ..Answer::default() };
            self.apply_quietly(slot, Input::Decide(answer));
        }
    }

    /// Whoever may ask for nothing that opens a gate has none that could open.
    fn refuse_ungated(&self) -> Checked<()> {
        let (roles, opens) = (self.roles(), Approval::OpensGate);
        let mut opening = self.kinds.iter().filter(|rules| rules.approval == opens);
        if opening.any(|rules| rules.asked_by.meets(roles)) {
            return Ok(());
        }
        let rules = self.kinds.find(&Kind::PLAN_APPROVAL);
        let between = rules.map(|rules| (rules.asked_by, rules.decided_by));
        let (from, to, why) = (roles.first(), Role::Lead, AuthorityError::MayNotAsk);
        let message = "plan_approval_request";
        Err(InvalidMessage::NotAllowed { message, from, to, between, why }.into())
    }

    /// The work a permit was given for could not start: a one-shot approval is not spent.
    ///
    /// # Errors
    /// [`Misuse::UnknownPermit`] when there is nothing to give back.
    pub fn start_failed(&mut self, now: Timestamp, permit: Permit) -> Refusable<()> {
        let told = self.write_down(|| Call::StartFailed { permit: permit.0 });
        self.command(now, told, |engine| {
            let given = engine.gate.give_back(permit);
            given.then_some(()).ok_or_else(|| Misuse::UnknownPermit.into())
        })
    }

    /// The transport could not send the frame with this number. A request that it carried ends as
    /// `cancelled`, cause `send_failed`; anything else raises an alarm about the member it was for,
    /// and is sent again when the other side reminds us. Nobody reminds us of a text: that it did
    /// not get through is told by an event here, and to the lead.
    pub fn handle_send_failed(&mut self, now: Timestamp, seq: u64) {
        if self.closed {
            return;
        }
        let told = self.write_down(|| Call::SendFailed { seq });
        let begun = self.begin(now, Actor::Transport);
        self.touched = true;
        let of_panel = |entry: &Entry| entry.mail.iter().find(|(sent, _)| *sent == seq).copied();
        let carried = self.slots(&|entry| {
            let alone = entry.seq == seq && entry.mail.is_empty();
            entry.side() == Side::Asked && (alone || of_panel(entry).is_some())
        });
        let ended = carried.first().is_some_and(|slot| {
            let input = match self.ledger.get(*slot).and_then(of_panel) {
                Some((_, by)) => Input::ApproverGone { by, cause: Cause::SendFailed },
                None => Input::SendFailed,
            };
            self.apply(*slot, input).is_ok()
        });
        if !ended {
            let to = self.not_sent(seq);
            self.alarm(Alarm::SendFailed, to.unwrap_or(self.roster.me()), None);
        }
        self.record(&begun, told);
    }

    /// Closes the engine: what it asked for ends as `cancelled`, and no later input counts.
    pub fn close(&mut self, now: Timestamp) {
        if self.closed {
            return;
        }
        let told = self.write_down(|| Call::Close);
        let begun = self.begin(now, Actor::Host);
        self.touched = true;
        self.end_own(Cause::Closed);
        self.closed = true;
        self.deadlines = crate::deadline::DeadlineQueue::default();
        self.record(&begun, told);
    }

    /// How a request of ours ended, while it is remembered.
    #[must_use]
    pub fn outcome_of(&self, id: &str) -> Option<Outcome> {
        let entry = self.ledger.get(self.ledger.find_asked(id)?)?;
        self.outcome(entry)
    }
}
