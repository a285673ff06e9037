//! The last group of rules: each field for itself.

use super::InvalidMessage;
use crate::config::Limits;
use crate::message::{Follows, Link, Message, Payload, Plan, ScopeEntry, Timing, is_blank};

pub(super) const REASON: &str = "message.reason";
pub(super) const FEEDBACK: &str = "message.feedback";
pub(super) const TIMEOUT: &str = "message.timeout_ms";
pub(super) const KIND: &str = "message.kind";
const CAP: &str = "message.cap_ms";

type Checked = Result<(), InvalidMessage>;

/// Sizes, then blanks, then the scope, then the time limits.
pub(super) fn check(message: &Message, limits: &Limits) -> Checked {
    match message {
        Message::ShutdownRequest(m) => {
            optional(REASON, m.reason.as_deref(), limits)?;
            check_follows(m.follows.as_ref(), limits)?;
            check_timing(m.timing)
        }
        Message::ShutdownResponse(m) => optional(REASON, m.reason.as_deref(), limits),
        Message::PlanApprovalRequest(m) => {
            check_plan(&m.plan, limits)?;
            check_follows(m.follows.as_ref(), limits)?;
            check_timing(m.timing)
        }
        Message::Request(m) => {
            payload(m.payload.as_ref(), limits)?;
            let path = |at| format!("message.scope[{at}]");
            let mut scope = m.scope.iter().enumerate();
            scope.try_for_each(|(at, entry)| check_length(entry, limits, || path(at)))?;
            check_scope(&m.scope, path)?;
            check_follows(m.follows.as_ref(), limits)?;
            check_timing(m.timing)
        }
        Message::Response(m) => {
            optional(REASON, m.reason.as_deref(), limits)?;
            payload(m.payload.as_ref(), limits)
        }
        Message::PlanApprovalResponse(m) => optional(FEEDBACK, m.feedback.as_deref(), limits),
        Message::Progress(m) => optional("message.note", m.note.as_deref(), limits),
        Message::Cancel(m) => optional(REASON, m.reason.as_deref(), limits),
        Message::Reopen(m) => optional(REASON, m.reason.as_deref(), limits),
        Message::ExecutionReport(m) => optional("message.detail", m.detail.as_deref(), limits),
        Message::Idle(m) => optional("message.note", m.note.as_deref(), limits),
        Message::Undeliverable(m) => optional("message.excerpt", m.excerpt.as_deref(), limits),
        Message::Settled(_) | Message::Receipt(_) | Message::Exited(_) | Message::Probe(_) => {
            Ok(())
        }
    }
}

pub(super) fn check_length(text: &str, limits: &Limits, path: impl Fn() -> String) -> Checked {
    let (bytes, limit) = (text.len(), limits.text_bytes);
    if bytes > limit {
        return Err(InvalidMessage::TextTooLong { path: path(), bytes, limit });
    }
    Ok(())
}

fn optional(path: &str, text: Option<&str>, limits: &Limits) -> Checked {
    text.map_or(Ok(()), |text| check_length(text, limits, || path.to_owned()))
}

fn check_plan(plan: &Plan, limits: &Limits) -> Checked {
    let Plan { title, scope, steps, risk, text } = plan;
    let one = |name: &str, text: &str| check_length(text, limits, || in_plan(name));
    let list = |name: &str, texts: &[String]| {
        let mut texts = texts.iter().enumerate();
        texts.try_for_each(|(at, text)| check_length(text, limits, || in_list(name, at)))
    };
    one("title", title)?;
    list("scope", scope)?;
    list("steps", steps)?;
    one("risk", risk)?;
    one("text", text)?;
    for (path, text) in [("message.plan.title", title), ("message.plan.risk", risk)] {
        if is_blank(text) {
            return Err(InvalidMessage::Blank { path });
        }
    }
    check_scope(scope, |at| in_list("scope", at))
}

fn check_scope(scope: &[String], path: impl Fn(usize) -> String) -> Checked {
    scope.iter().enumerate().try_for_each(|(at, entry)| {
        let invalid = |why| InvalidMessage::InvalidScope { path: path(at), why };
        ScopeEntry::parse(entry).map(|_| ()).map_err(invalid)
    })
}

fn payload(payload: Option<&Payload>, limits: &Limits) -> Checked {
    optional("message.payload", payload.map(Payload::as_json), limits)
}

/// An appeal says what the earlier decision did not consider.
fn check_follows(follows: Option<&Follows>, limits: &Limits) -> Checked {
    let Some(follows) = follows else { return Ok(()) };
    let path = "message.follows.justification";
    optional(path, follows.justification.as_deref(), limits)?;
    let unexplained = follows.justification.as_deref().is_none_or(is_blank);
    if follows.link == Link::Appeal && unexplained {
        return Err(InvalidMessage::Blank { path });
    }
    Ok(())
}

fn check_timing(timing: Timing) -> Checked {
    for (path, limit) in [(TIMEOUT, timing.timeout_ms), (CAP, timing.cap_ms)] {
        if limit.is_some_and(|limit| limit.as_ms() == 0) {
            return Err(InvalidMessage::ZeroLimit { path });
        }
    }
    match (timing.timeout_ms, timing.cap_ms) {
        (Some(timeout), Some(cap)) if timeout > cap => {
            Err(InvalidMessage::TimeoutOverCap { timeout, cap })
        }
        _ => Ok(()),
    }
}

fn in_plan(field: &str) -> String {
    format!("message.plan.{field}")
}

fn in_list(field: &str, at: usize) -> String {
    format!("message.plan.{field}[{at}]")
}
