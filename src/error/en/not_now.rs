//! English: why something does not fit how things stand.

use super::lineage;
use crate::error::render::{list, quoted, seconds};
use crate::error::{Lang, NotNow};
use crate::gate::Denied;
use crate::ids::{MemberName, RequestId};
use crate::message::Status;
use crate::request::PauseError;
use crate::time::Millis;

#[expect(clippy::too_many_lines, reason = "one arm per error")]
pub(super) fn message(error: &NotNow) -> String {
    match error {
        NotNow::UnknownRequest { found, open } => {
            format!("no request {} is known, open: {}", quoted(found), ids(open))
        }
        NotNow::RequestIdMissing { open } => {
            format!("no `request_id` says which request is meant, open: {}", ids(open))
        }
        NotNow::AmbiguousPrefix { found, candidates } => {
            format!("{} is the beginning of several requests: {}", quoted(found), ids(candidates))
        }
        NotNow::KindMismatch { request, answer } => {
            let (request, answer) = (request.name(), answer.name());
            format!("the request is about `{request}`, the answer about `{answer}`")
        }
        NotNow::AlreadyAnswered { status } => {
            format!("this was answered or reported before, the request is `{}`", status.name())
        }
        NotNow::AnswerConflicts { status } => {
            format!("the opposite was answered before, the request is `{}`", status.name())
        }
        NotNow::NotPending { status } => {
            format!("the request is over: it is `{}`, expected `pending`", status.name())
        }
        NotNow::NotApproved { status } => {
            format!("the request is `{}`, expected `approved` with work to report", status.name())
        }
        NotNow::ApprovalEnded => {
            "the approval ended when this member agreed to leave, its work takes no report any more"
                .into()
        }
        NotNow::WorkNotRunning { run } => {
            format!("run {run} of the request's work is not under way")
        }
        NotNow::NothingToReopen { status } => format!(
            "nothing to reopen: only a plan that this member rejected, and this request is {}",
            status.name()
        ),
        NotNow::NothingToRerun => {
            "no work of this request failed, was interrupted or was missing".into()
        }
        NotNow::NothingToUndo => "an approval of this request opens no gate to undo".into(),
        NotNow::NothingToReport => {
            "this request takes no such report, only the work of an approved plan is reported"
                .into()
        }
        NotNow::InCriticalSection { name, free_in } => in_critical_section(name, *free_in),
        NotNow::RecipientLeaving { name } => format!("{} is leaving", member(name)),
        NotNow::RecipientLeft { name } => format!("{} has left", member(name)),
        NotNow::RecipientLost { name, retry_in } => recipient_lost(name, *retry_in),
        NotNow::TooManyOpen { limit } => {
            format!("the two members have {limit} open requests, which is the most accepted")
        }
        NotNow::Lineage(error) => lineage::message(error),
        NotNow::AlreadyPending { request_id } => {
            format!("the same is asked already in {}", quoted(request_id.as_str()))
        }
        NotNow::Pause(why) => no_pause(*why),
        NotNow::WouldDeadlock { name, request_id } => {
            let (name, id) = (member(name), quoted(request_id.as_str()));
            format!(
                "{name} waits for this member to decide on {id}: waiting for {name} would leave both \
                 waiting for ever"
            )
        }
        NotNow::SelfLeaving => "this member is leaving or has left".into(),
        NotNow::IdReused { request_id } => {
            format!("{} is the id of another request", quoted(request_id.as_str()))
        }
        NotNow::GateClosed { action, why, pending } => gate_closed(action, *why, pending),
    }
}

#[expect(clippy::too_many_lines, reason = "one arm per error")]
pub(super) fn hint(error: &NotNow) -> String {
    match error {
        NotNow::UnknownRequest { .. } => {
            "if you meant one of the open requests, repeat its whole id; otherwise do nothing: no \
             answer is due"
        }
        NotNow::RequestIdMissing { .. } => {
            "name the request you have in mind by its whole id; if none is open, do nothing"
        }
        NotNow::AmbiguousPrefix { .. } => "repeat the whole id of the one you mean",
        NotNow::KindMismatch { .. } => {
            "read the request again, decide on what it asks, and answer in its own kind; if you \
             meant another request, name that one"
        }
        NotNow::AlreadyAnswered { .. } => {
            "do nothing: what was said first stands and has been sent"
        }
        NotNow::AnswerConflicts { .. } => {
            "leave the first answer as it is; if things have changed, say so in plain text"
        }
        NotNow::NotPending { .. } => {
            "do nothing more with it; what is still needed takes a new request by the one who asked"
        }
        NotNow::NotApproved { status } => not_approved_hint(*status),
        NotNow::ApprovalEnded => {
            "stop the work, tell the lead in plain text how far it got, then confirm the exit"
        }
        NotNow::WorkNotRunning { .. } => "tell the end of each run once, with its number",
        NotNow::NothingToReopen { .. } => {
            "reopen the last rejection of the plan; what waits can still be decided"
        }
        NotNow::NothingToRerun => {
            "run work again after a `work_failed` or `work_missing` event only"
        }
        NotNow::NothingToUndo => "leave the compensation out",
        NotNow::NothingToReport => {
            "send no report; say in plain text what the other side should know"
        }
        NotNow::InCriticalSection { .. } => {
            "finish the work of the section first; you can agree to leave once it is over, and a \
             refusal that says when is possible at any time"
        }
        NotNow::RecipientLeaving { .. } => "plan without this member; the lead assigns its work",
        NotNow::RecipientLeft { .. } => {
            "send nothing to this member; its work needs another member"
        }
        NotNow::RecipientLost { retry_in, .. } => return recipient_lost_hint(*retry_in),
        NotNow::TooManyOpen { .. } => {
            "wait until some are decided, or cancel those that nobody needs any more"
        }
        NotNow::Lineage(error) => lineage::hint(error),
        NotNow::AlreadyPending { .. } => {
            "wait for the decision; to ask for something else, cancel the open request first"
        }
        NotNow::Pause(why) => no_pause_hint(*why),
        NotNow::WouldDeadlock { .. } => {
            "decide on what the other member waits for first, or say in plain text what you need: \
             plain text waits for nothing"
        }
        NotNow::SelfLeaving => "finish what is open and confirm the exit; begin nothing new",
        NotNow::IdReused { .. } => {
            "the first request stands; the one who asks makes a new id for a new request"
        }
        NotNow::GateClosed { action, why, pending } => {
            return gate_closed_hint(action, *why, pending);
        }
    }
    .to_owned()
}

fn in_critical_section(name: &str, free_in: Option<Millis>) -> String {
    let section = format!("the critical section {} is open", quoted(name));
    match free_in {
        Some(free_in) => format!("{section}, expected to end in about {} s", seconds(free_in)),
        None => format!("{section}, its end is not known"),
    }
}

fn no_pause(why: PauseError) -> String {
    match why {
        PauseError::AlreadyPaused => "the request is paused already".into(),
        PauseError::NotPaused => "the request is not paused".into(),
        PauseError::UsedUp { limit } => {
            format!("the pauses of the request may take {} s together, and have", seconds(limit))
        }
    }
}

const fn no_pause_hint(why: PauseError) -> &'static str {
    match why {
        PauseError::AlreadyPaused => "do nothing: its clocks stand still until it is resumed",
        PauseError::NotPaused => "do nothing: its clocks run",
        PauseError::UsedUp { .. } => {
            "let its clocks run; if they end before the decision, ask anew with longer limits"
        }
    }
}

fn recipient_lost(name: &MemberName, retry_in: Option<Millis>) -> String {
    let lost = format!("{} is lost: it gives no sign of life", member(name));
    match retry_in {
        Some(retry_in) => format!("{lost}; one request is let through in {} s", seconds(retry_in)),
        None => format!("{lost}; one request is on its way as a trial"),
    }
}

fn gate_closed(action: &str, why: Denied, pending: &[RequestId]) -> String {
    let why = match why {
        Denied::NoPlan => "no plan is approved",
        Denied::PlanRequired => "the lead asked for a plan, and none was approved since",
        Denied::OutOfScope => "no approved plan lists it in its scope",
        Denied::Spent => "the plan that covers it was approved for one use, which is spent",
    };
    let pending = ids(pending);
    format!("the gate is closed for {}: {why}; waiting for a decision: {pending}", quoted(action))
}

const fn not_approved_hint(status: Status) -> &'static str {
    match status {
        Status::Pending => "do not begin the work; wait for the decision",
        Status::Approved | Status::Rejected | Status::TimedOut | Status::Cancelled => {
            "do not do the work; if it has begun, stop and tell the lead in plain text how far"
        }
    }
}

fn recipient_lost_hint(retry_in: Option<Millis>) -> String {
    match retry_in {
        Some(retry_in) => format!(
            "wait {} s before you ask again, or give the work to another member",
            seconds(retry_in)
        ),
        None => "wait for the outcome of the trial, or give the work to another member".to_owned(),
    }
}

fn gate_closed_hint(action: &str, why: Denied, pending: &[RequestId]) -> String {
    let action = quoted(action);
    let wait = match pending {
        [] => "",
        [..] => "wait for the decision on what is pending; if it does not cover the action, ",
    };
    match why {
        Denied::NoPlan => format!(
            "{wait}submit a plan whose scope lists {action}, then wait: start nothing before it is \
             approved"
        ),
        Denied::PlanRequired => format!(
            "{wait}submit the plan that the lead asked for, with {action} in its scope, and wait: what \
             was approved before counts no more"
        ),
        Denied::OutOfScope => format!(
            "stay inside the approved scope; if the work needs more, {wait}submit a further plan \
             that lists {action} and wait"
        ),
        Denied::Spent => format!(
            "report that work when it is done; to do {action} once more, {wait}submit a new plan \
             and wait"
        ),
    }
}

fn member(name: &MemberName) -> String {
    quoted(name.as_str()).to_string()
}

fn ids(ids: &[RequestId]) -> String {
    list(Lang::En, ids.iter().map(RequestId::as_str))
}
