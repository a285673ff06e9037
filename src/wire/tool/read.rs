//! From the fields of a tool call to what is meant by them.

use std::borrow::Cow;

use super::slots::{Inner, Names, Slots};
use super::{Rules, ToolCall, ToolMessage};
use crate::message::{Details, Recipient, Uses, is_blank};
use crate::wire::error::{DecodeError, Shape};
use crate::wire::fields::{Decode, text, unknown_type, wrong_type};
use crate::wire::json::{self, Object, Value};
use crate::wire::note::Note;
use crate::wire::plan::USES;

/// What a tool call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Text,
    /// A text to everyone, by its type.
    Broadcast,
    ShutdownRequest,
    /// With the decision, where the type itself tells it.
    ShutdownResponse(Option<bool>),
    PlanApprovalRequest,
    /// With the decision, where the type itself tells it.
    PlanApprovalResponse(Option<bool>),
    Request,
    Response,
    ExecutionReport,
    Progress,
    Cancel,
    Reopen,
    Exited,
    Idle,
}

type In<'s, 'a, 'l> = &'s mut Slots<'a, 'l>;

/// Reads a tool call from its object.
pub(super) fn tool_call(
    mut outer: Object<'_>,
    mut notes: Vec<Note>,
    rules: Rules<'_>,
) -> Decode<ToolCall> {
    let wrapped = take_wrapped(&mut outer, rules)?;
    let inner = match &wrapped {
        Some((path, text)) => {
            notes.push(Note::Unwrapped { path: (*path).to_owned() });
            json::parse(text, rules.limits)?.into_object().map(|object| Inner { path, object })
        }
        None => take_object(&mut outer),
    };
    if inner.as_ref().is_some_and(|inner| inner.path == CONTENT) {
        notes.push(Note::Alias { path: CONTENT.to_owned(), canonical: MESSAGE });
    }
    let mut slots = Slots { outer, inner, notes, rules };
    let (type_path, topic) = topic(&mut slots)?;
    let to = recipient(&mut slots, topic, &type_path)?;
    let message = message(&mut slots, topic, type_path)?;
    // Both generations ask for a preview of everything; that of a decision is nobody's content.
    let _preview = slots.outer.take(SUMMARY);
    Ok(ToolCall { to, message, notes: slots.into_notes() })
}

/// A structured message that stands as JSON inside a text. Whatever is not certainly one stays a
/// text, broken JSON included.
fn take_wrapped<'a>(
    outer: &mut Object<'a>,
    rules: Rules<'_>,
) -> Decode<Option<(&'static str, Cow<'a, str>)>> {
    for name in [MESSAGE, CONTENT] {
        let Some(Value::Text(text)) = outer.get(name) else { continue };
        match json::parse(text, rules.limits) {
            Ok(Value::Object(object)) if is_structured(&object) => {}
            Ok(Value::Text(inner)) if holds_structured(&inner, rules) => {
                return Err(DecodeError::NestedTooOften { path: name.to_owned() }.into());
            }
            _ => continue,
        }
        if let Some(Value::Text(text)) = outer.take(name) {
            return Ok(Some((name, text)));
        }
    }
    Ok(None)
}

fn take_object<'a>(outer: &mut Object<'a>) -> Option<Inner<'a>> {
    let is_object = |name: &&str| matches!(outer.get(name), Some(Value::Object(_)));
    let path = [MESSAGE, CONTENT].into_iter().find(is_object)?;
    Some(Inner { path, object: outer.take(path)?.into_object()? })
}

fn holds_structured(text: &str, rules: Rules<'_>) -> bool {
    json::parse(text, rules.limits)
        .ok()
        .and_then(Value::into_object)
        .is_some_and(|object| is_structured(&object))
}

fn is_structured(object: &Object<'_>) -> bool {
    let Some(Value::Text(name)) = object.get("type") else { return false };
    find_topic(name).is_some_and(|(_, topic)| !matches!(topic, Topic::Text | Topic::Broadcast))
}

/// What the call is about, and where it says so.
fn topic(slots: In<'_, '_, '_>) -> Decode<(String, Topic)> {
    let told = slots.read(TYPE, &|value, path, notes| {
        let name = text(value, || path.to_owned())?;
        let Some((canonical, topic)) = find_topic(&name) else {
            let known = TOPICS.iter().map(|(known, ..)| *known);
            return Err(unknown_type(path.to_owned(), &name, known));
        };
        if canonical != name {
            notes.push(Note::Alias { path: path.to_owned(), canonical });
        }
        Ok(Some(topic))
    })?;
    if let Some(told) = told {
        return Ok(told);
    }
    // A text beside a decision may be a note on it: to send it as chat would lose the decision.
    let is_there = |name: &&str| !matches!(slots.outer.get(name), None | Some(Value::Null));
    if slots.inner.is_some() || DECIDING.iter().any(is_there) {
        let path = slots.path_of("type");
        return Err(DecodeError::MissingField { path, expected: Shape::Text }.into());
    }
    Ok((String::new(), Topic::Text))
}

fn find_topic(name: &str) -> Option<(&'static str, Topic)> {
    let entry = TOPICS.iter().find(|(known, ..)| *known == name);
    entry.map(|(_, canonical, topic)| (*canonical, *topic))
}

fn recipient(slots: In<'_, '_, '_>, topic: Topic, type_path: &str) -> Decode<Option<Recipient>> {
    let told = slots.recipient()?;
    match (topic, told) {
        (Topic::Broadcast, Some((other, Recipient::Member(_)))) => {
            Err(DecodeError::Ambiguous { path: type_path.to_owned(), other }.into())
        }
        (Topic::Broadcast, _) => Ok(Some(Recipient::Everyone)),
        (_, told) => Ok(told.map(|(_, to)| to)),
    }
}

fn message(slots: In<'_, '_, '_>, topic: Topic, type_path: String) -> Decode<ToolMessage> {
    Ok(match topic {
        Topic::Text | Topic::Broadcast => chat(slots)?,
        Topic::ShutdownRequest => ToolMessage::ShutdownRequest { reason: slots.text(REASON)? },
        Topic::ShutdownResponse(told) => ToolMessage::ShutdownResponse {
            request_id: slots.request_id()?,
            approve: decision(slots, told, type_path)?,
            reason: slots.text(REASON)?,
            retry_after_ms: slots.millis(RETRY_AFTER)?,
        },
        Topic::PlanApprovalRequest => {
            let path = slots.path_of("plan");
            let plan = slots.plan()?;
            let missing = DecodeError::MissingField { path, expected: Shape::Object };
            let uses = slots.choice(&["uses"], &USES, Uses::name)?;
            let uses = uses.map(|(_, uses)| uses).unwrap_or_default();
            ToolMessage::PlanApprovalRequest { plan: plan.ok_or(missing)?, uses }
        }
        Topic::PlanApprovalResponse(told) => ToolMessage::PlanApprovalResponse {
            request_id: slots.request_id()?,
            approve: decision(slots, told, type_path)?,
            feedback: slots.text(FEEDBACK)?,
        },
        Topic::Request => {
            let path = slots.path_of("kind");
            let missing = DecodeError::MissingField { path, expected: Shape::Text };
            let kind = slots.kind()?.ok_or(missing)?;
            let uses = slots.choice(&["uses"], &USES, Uses::name)?;
            let uses = uses.map(|(_, uses)| uses).unwrap_or_default();
            let (payload, scope) = (slots.payload()?, slots.texts(&["scope"])?);
            ToolMessage::Request { kind, details: Details { payload, scope, uses } }
        }
        Topic::Response => ToolMessage::Response {
            request_id: slots.request_id()?,
            kind: slots.kind()?,
            approve: decision(slots, None, type_path)?,
            reason: slots.text(REASON)?,
            retry_after: slots.millis(RETRY_AFTER)?,
            payload: slots.payload()?,
        },
        Topic::ExecutionReport => ToolMessage::ExecutionReport {
            request_id: slots.request_id()?,
            ok: success(slots)?,
            detail: slots.text(DETAIL)?,
        },
        Topic::Progress => ToolMessage::Progress {
            request_id: slots.request_id()?,
            note: slots.text(NOTE)?,
            busy_for_ms: slots.millis(BUSY_FOR)?,
        },
        Topic::Cancel => {
            ToolMessage::Cancel { request_id: slots.request_id()?, reason: slots.text(REASON)? }
        }
        Topic::Reopen => {
            ToolMessage::Reopen { request_id: slots.request_id()?, reason: slots.text(REASON)? }
        }
        Topic::Exited => ToolMessage::Exited { request_id: slots.request_id()? },
        Topic::Idle => ToolMessage::Idle { note: slots.text(NOTE)? },
    })
}

fn chat(slots: In<'_, '_, '_>) -> Decode<ToolMessage> {
    let told = slots.read(BODY, &|value, path, _| match value {
        Value::Text(text) => Ok(Some(text.into_owned()).filter(|text| !is_blank(text))),
        Value::Null
        | Value::True
        | Value::False
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => Err(wrong_type(path, Shape::TextOrObject, &value)),
    })?;
    let summary = slots.text(&[SUMMARY])?;
    if let Some((_, text)) = told {
        return Ok(ToolMessage::Text { text, summary });
    }
    let path = slots.path_of(MESSAGE);
    let missing = DecodeError::MissingField { path, expected: Shape::TextOrObject };
    let text = summary.filter(|text| !is_blank(text)).ok_or(missing)?;
    slots.notes.push(Note::TextFromSummary);
    Ok(ToolMessage::Text { text, summary: None })
}

/// A decision is told by `approve`, by an `action`, or by the type; where by several, they agree.
fn decision(slots: In<'_, '_, '_>, told: Option<bool>, type_path: String) -> Decode<bool> {
    let path = slots.path_of("approve");
    let word = |approve| if approve { "approve" } else { "reject" };
    let approve = slots.boolean(APPROVE)?;
    let action = slots.choice(&["action"], &[true, false], word)?;
    let note = |path: &str| Note::Alias { path: path.to_owned(), canonical: "approve" };
    slots.notes.extend(action.iter().map(|(path, _)| note(path)));
    let mut all = approve.into_iter().chain(action).chain(told.map(|told| (type_path, told)));
    let Some((first, decided)) = all.next() else {
        return Err(DecodeError::MissingField { path, expected: Shape::Boolean }.into());
    };
    match all.find(|(_, other)| *other != decided) {
        Some((other, _)) => Err(DecodeError::Ambiguous { path: first, other }.into()),
        None => Ok(decided),
    }
}

fn success(slots: In<'_, '_, '_>) -> Decode<bool> {
    let path = slots.path_of("ok");
    let (_, ok) = slots
        .boolean(&["ok"])?
        .ok_or(DecodeError::MissingField { path, expected: Shape::Boolean })?;
    Ok(ok)
}

const MESSAGE: &str = "message";
const CONTENT: &str = "content";

const TYPE: Names = &["type", "msg_type"];
const BODY: Names = &[MESSAGE, CONTENT, "text"];
const SUMMARY: &str = "summary";
const APPROVE: Names = &["approve", "approved"];
const REASON: Names = &["reason", "feedback", CONTENT, MESSAGE, "error"];
const FEEDBACK: Names = &["feedback", "reason", CONTENT, MESSAGE, "error"];
const DETAIL: Names = &["detail", CONTENT, MESSAGE, "error"];
const NOTE: Names = &["note", CONTENT, MESSAGE];
const RETRY_AFTER: Names = &["retry_after_ms", "retryAfterMs"];
const BUSY_FOR: Names = &["busy_for_ms", "busyForMs"];

/// Fields that tell that a call without a type is more than chat.
const DECIDING: [&str; 3] = ["approve", "approved", "plan"];

/// Every type a model may write, what it stands for, and what it is about. Messages that only
/// engines send are not among them.
const TOPICS: [(&str, &str, Topic); 18] = [
    ("message", "message", Topic::Text),
    ("broadcast", "broadcast", Topic::Broadcast),
    ("shutdown_request", "shutdown_request", Topic::ShutdownRequest),
    ("shutdown_response", "shutdown_response", Topic::ShutdownResponse(None)),
    ("shutdown_approved", "shutdown_response", Topic::ShutdownResponse(Some(true))),
    ("shutdown_rejected", "shutdown_response", Topic::ShutdownResponse(Some(false))),
    ("plan_approval_request", "plan_approval_request", Topic::PlanApprovalRequest),
    ("plan_approval_response", "plan_approval_response", Topic::PlanApprovalResponse(None)),
    ("plan_approved", "plan_approval_response", Topic::PlanApprovalResponse(Some(true))),
    ("plan_rejected", "plan_approval_response", Topic::PlanApprovalResponse(Some(false))),
    ("request", "request", Topic::Request),
    ("response", "response", Topic::Response),
    ("execution_report", "execution_report", Topic::ExecutionReport),
    ("progress", "progress", Topic::Progress),
    ("cancel", "cancel", Topic::Cancel),
    ("reopen", "reopen", Topic::Reopen),
    ("exited", "exited", Topic::Exited),
    ("idle", "idle", Topic::Idle),
];
