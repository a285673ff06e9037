//! What a model writes when it sends a message: the input of its tool call.
//!
//! Two generations of one tool are in the field, and models mix them: the flat one (`type`,
//! `recipient`, `content`, …) and the one with `to` and a `message` that is a text or an object.
//! Both are read, with the other spellings seen in the wild and each of them noted, as long as
//! what is meant is certain: two spellings that disagree are refused, never ranked. JSON inside a
//! text is unwrapped once. Texts that merely talk about a decision stay texts.

mod read;
mod slots;
#[cfg(test)]
mod tests;

use super::error::DecodeError;
use super::fields::Decode;
use super::json::{self, Object, Value};
use super::note::Note;
use crate::config::{BooleanPolicy, Limits};
use crate::message::{Details, Kind, Payload, Plan, Recipient, Uses};
use crate::time::Millis;

/// What a model wants to say, before the engine fills in ids, sender, time and digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// To whom; the older generation leaves it out where only one member can be meant.
    pub to: Option<Recipient>,
    /// What.
    pub message: ToolMessage,
    /// What was tolerated or understood beyond the letter.
    pub notes: Vec<Note>,
}

/// What a model can say. Ids are texts here: an engine also takes the unambiguous beginning of an
/// id of its own, and answers a missing one with the ids that are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolMessage {
    /// Chat.
    Text {
        /// The text.
        text: String,
        /// The preview that the tool asks for.
        summary: Option<String>,
    },
    /// Please leave.
    ShutdownRequest {
        /// Why.
        reason: Option<String>,
    },
    /// The decision on a shutdown.
    ShutdownResponse {
        /// Which request.
        request_id: Option<String>,
        /// The decision.
        approve: bool,
        /// What blocks.
        reason: Option<String>,
        /// When to ask again, from now.
        retry_after_ms: Option<Millis>,
    },
    /// Please approve this plan.
    PlanApprovalRequest {
        /// The plan.
        plan: Plan,
        /// How often an approval may be used.
        uses: Uses,
    },
    /// The decision on a plan.
    PlanApprovalResponse {
        /// Which request.
        request_id: Option<String>,
        /// The decision.
        approve: bool,
        /// A note on it.
        feedback: Option<String>,
    },
    /// Anything else that needs a second party's yes.
    Request {
        /// What kind of thing.
        kind: Kind,
        /// What the kind defines.
        details: Details,
    },
    /// The decision on it.
    Response {
        /// Which request.
        request_id: Option<String>,
        /// Its kind, where the model repeats it.
        kind: Option<Kind>,
        /// The decision.
        approve: bool,
        /// Why, or a note on it.
        reason: Option<String>,
        /// When to ask again, from now.
        retry_after: Option<Millis>,
        /// What the kind defines as an answer.
        payload: Option<Payload>,
    },
    /// How the approved work went.
    ExecutionReport {
        /// Which request.
        request_id: Option<String>,
        /// Whether it worked.
        ok: bool,
        /// What happened.
        detail: Option<String>,
    },
    /// Still at work.
    Progress {
        /// On which request.
        request_id: Option<String>,
        /// What is being done.
        note: Option<String>,
        /// For how long silence is no sign of death.
        busy_for_ms: Option<Millis>,
    },
    /// Never mind.
    Cancel {
        /// Which request.
        request_id: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// It may be asked once more.
    Reopen {
        /// Which rejected request.
        request_id: Option<String>,
        /// What has changed.
        reason: Option<String>,
    },
    /// Gone.
    Exited {
        /// Which shutdown this completes.
        request_id: Option<String>,
    },
    /// Nothing to do.
    Idle {
        /// A word on it.
        note: Option<String>,
    },
}

/// How a tool call is read.
#[derive(Clone, Copy)]
struct Rules<'l> {
    limits: &'l Limits,
    booleans: BooleanPolicy,
}

/// Reads the input of a tool call: an object, or an object as JSON inside a text.
///
/// # Errors
/// [`DecodeError`] names the first thing that is wrong or not certain.
pub fn decode_tool_call(
    text: &str,
    limits: &Limits,
    booleans: BooleanPolicy,
) -> Result<ToolCall, DecodeError> {
    tool_call(text, Rules { limits, booleans }).map_err(|error| *error)
}

fn tool_call(text: &str, rules: Rules<'_>) -> Decode<ToolCall> {
    let limits = rules.limits;
    let value = json::document(text, limits)?;
    let found = value.json_type();
    match value {
        Value::Object(object) => read::tool_call(object, Vec::new(), rules),
        Value::Text(inner) => {
            let Some(object) = unwrap_object(&inner, "", limits)? else {
                return Err(DecodeError::NotAnObject { found }.into());
            };
            read::tool_call(object, vec![Note::Unwrapped { path: String::new() }], rules)
        }
        Value::Null | Value::True | Value::False | Value::Number(_) | Value::Array(_) => {
            Err(DecodeError::NotAnObject { found }.into())
        }
    }
}

/// Whether a chat text is, or tries to be, a structured message: it stays chat, but the host
/// should know. Broken JSON counts when it names a `type`.
#[must_use]
pub fn looks_like_protocol(text: &str) -> bool {
    if !opens_with(text, '{') {
        return false;
    }
    match json::parse(text, &Limits::default()) {
        Ok(Value::Object(object)) => matches!(object.get("type"), Some(Value::Text(_))),
        Ok(_) => false,
        Err(_) => text.as_bytes().windows(TYPE.len()).any(|bytes| bytes == TYPE),
    }
}

/// The object that a text holds as JSON; `None` when the text does not even begin like one.
fn unwrap_object<'t>(text: &'t str, path: &str, limits: &Limits) -> Decode<Option<Object<'t>>> {
    if opens_with(text, '{') {
        return Ok(json::parse(text, limits)?.into_object());
    }
    // Prose may begin with a quote; only a text in a text in a text is told by name.
    match json::parse(text, limits) {
        Ok(Value::Text(inner)) if opens_with(&inner, '{') || opens_with(&inner, '"') => {
            Err(DecodeError::NestedTooOften { path: path.to_owned() }.into())
        }
        _ => Ok(None),
    }
}

/// How a structured message names its type. Looked for byte by byte: the search for texts is
/// larger than all of this file.
const TYPE: &[u8] = b"\"type\"";

fn opens_with(text: &str, first: char) -> bool {
    text.trim_ascii_start().starts_with(first)
}
