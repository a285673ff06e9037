//! The canonical format: one JSON object per frame.
//!
//! Read in two stages, for the engine checks who is speaking before it believes anything in the
//! message: [`decode_envelope`], then [`decode_message`]. Unknown fields are tolerated and noted,
//! never acted on.

use std::borrow::Cow;

use super::error::{DecodeError, Shape, cut};
use super::fields::{Decode, Fields, id as check_id, wrong_type};
use super::json::{self, Object, Value};
use super::message;
use super::note::Note;
use crate::config::{BooleanPolicy, Limits};
use crate::ids::{Incarnation, MemberName};
use crate::message::{Envelope, Message, Recipient, Reminder, WIRE_VERSION};
use crate::time::Timestamp;

/// An envelope whose message has not been looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Head<'a> {
    /// Unique among all frames.
    pub id: Cow<'a, str>,
    /// The sender's number of the frame, from 1.
    pub seq: u64,
    /// Who claims to say it; the transport may know without.
    pub from: Option<MemberName>,
    /// Which life of the sender.
    pub from_incarnation: Incarnation,
    /// To whom.
    pub to: Recipient,
    /// Which life of the receiver, where the sender knows it.
    pub to_incarnation: Option<Incarnation>,
    /// When it was sent, by the sender's clock.
    pub at: Timestamp,
    /// Marks a request that is sent again.
    pub reminder: Option<Reminder>,
    /// What it carries.
    pub body: RawBody<'a>,
    /// What was tolerated.
    pub notes: Vec<Note>,
}

/// What an envelope carries, unread.
#[derive(Clone, Debug, PartialEq)]
pub enum RawBody<'a> {
    /// Chat.
    Text(String),
    /// A structured message, for [`decode_message`].
    Structured(Object<'a>),
}

/// A message, and what was tolerated in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The message.
    pub message: Message,
    /// What was tolerated.
    pub notes: Vec<Note>,
}

/// Reads the envelope of a frame.
///
/// Whole numbers are written in digits only (`1e3` and `1.0` are refused) and end at 2^53 - 1.
///
/// # Errors
/// [`DecodeError`] names the first thing that is wrong; the size is checked before anything is
/// read.
pub fn decode_envelope<'a>(text: &'a str, limits: &Limits) -> Result<Head<'a>, DecodeError> {
    head(text, limits).map_err(|error| *error)
}

fn head<'a>(text: &'a str, limits: &Limits) -> Decode<Head<'a>> {
    let value = json::document(text, limits)?;
    let Value::Object(object) = value else {
        return Err(DecodeError::NotAnObject { found: value.json_type() }.into());
    };
    let mut fields = Fields::new(object, "");
    check_version(&mut fields)?;
    Ok(Head {
        id: frame_id(&mut fields)?,
        seq: fields.integer("seq", 1)?,
        from: fields.optional_member("from")?,
        from_incarnation: fields.incarnation("from_incarnation")?,
        to: fields.recipient("to")?,
        to_incarnation: fields.optional_incarnation("to_incarnation")?,
        at: Timestamp::from_ms(fields.integer("at", 0)?),
        reminder: reminder(&mut fields)?,
        body: body(&mut fields)?,
        notes: fields.into_notes(),
    })
}

/// Reads a structured message.
///
/// # Errors
/// [`DecodeError`] names the first thing that is wrong.
pub fn decode_message(object: Object<'_>, policy: BooleanPolicy) -> Result<Decoded, DecodeError> {
    message::decode(object, policy).map_err(|error| *error)
}

/// Writes a frame.
#[must_use]
pub fn encode(envelope: &Envelope) -> String {
    json::to_string(envelope)
}

fn check_version(fields: &mut Fields<'_, '_>) -> Decode<()> {
    let value = fields.required("v", Shape::Integer)?;
    let Value::Number(found) = value else {
        return Err(wrong_type("v", Shape::Integer, &value));
    };
    if found.parse() == Ok(WIRE_VERSION) {
        return Ok(());
    }
    Err(DecodeError::UnsupportedVersion { found: cut(found) }.into())
}

/// Borrowed, for most frames are judged by their id and forgotten.
fn frame_id<'a>(fields: &mut Fields<'a, '_>) -> Decode<Cow<'a, str>> {
    let id = fields.word("id")?;
    // Bounded like every id of a peer, for receivers remember it.
    check_id(&id, || "id".to_owned())?;
    Ok(id)
}

fn reminder(fields: &mut Fields<'_, '_>) -> Decode<Option<Reminder>> {
    let Some(value) = fields.optional("reminder") else { return Ok(None) };
    let Value::Object(object) = value else {
        return Err(wrong_type("reminder", Shape::Object, &value));
    };
    let mut inner = Fields::new(object, "reminder");
    let count = inner.integer("count", 1)?;
    // No request is reminded of four thousand million times; the number is only shown.
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let text = inner.text("text")?;
    fields.note(inner.into_notes());
    Ok(Some(Reminder { count, text }))
}

fn body<'a>(fields: &mut Fields<'a, '_>) -> Decode<RawBody<'a>> {
    match fields.required("message", Shape::TextOrObject)? {
        Value::Text(text) => Ok(RawBody::Text(text.into_owned())),
        Value::Object(object) => Ok(RawBody::Structured(object)),
        other @ (Value::Null | Value::True | Value::False | Value::Number(_) | Value::Array(_)) => {
            Err(wrong_type("message", Shape::TextOrObject, &other))
        }
    }
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
