//! A bounded reader of JSON into a tree that borrows from the text.
//!
//! RFC 8259 to the letter, and on top of it: a field must not appear twice in an object, nesting
//! and the number of members are bounded, half a surrogate pair is refused by name.
//!
//! Why not `serde_json`, which writes our frames: it keeps the last of two equal fields without a
//! word, has no bound on members, tells its reasons only as prose, and copies every text into a
//! tree of maps. This reader is on the path of every frame; it allocates once per object or array
//! and otherwise only for texts with escapes. `serde_json` is its oracle in the tests.

mod reader;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use self::reader::Reader;
use crate::config::Limits;
use crate::wire::error::{DecodeError, JsonType, Syntax, cut};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written; its range is judged where it is used.
    Number(&'a str),
    /// A text; borrowed unless it has escapes.
    Text(Cow<'a, str>),
    /// A list.
    Array(Vec<Self>),
    /// An object.
    Object(Object<'a>),
}

/// A JSON object: its fields in the order they were written, no name twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object<'a> {
    /// Few members, so a linear search beats a map.
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// Why a text is refused. Small, for it travels beside every value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonError {
    /// Not JSON.
    Syntax { at: usize, expected: Syntax },
    /// Half of a surrogate pair.
    LoneSurrogate { at: usize },
    /// Nested too deep.
    TooDeep { limit: usize },
    /// Too many members.
    TooManyItems { limit: usize },
    /// A field appears twice.
    Duplicate { field: Box<str> },
}

/// Reads a whole text.
pub(crate) fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Value<'a>, JsonError> {
    Reader::new(text, limits).document()
}

/// Reads a whole text, unless it has more bytes than a frame may have.
pub(crate) fn document<'a>(text: &'a str, limits: &Limits) -> Result<Value<'a>, DecodeError> {
    if text.len() > limits.frame_bytes {
        return Err(DecodeError::TooLarge { bytes: text.len(), limit: limits.frame_bytes });
    }
    Ok(parse(text, limits)?)
}

impl<'a> Value<'a> {
    /// The object that it is, if it is one.
    pub(crate) fn into_object(self) -> Option<Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Which of JSON's types it has.
    pub(crate) const fn json_type(&self) -> JsonType {
        match self {
            Self::Null => JsonType::Null,
            Self::Bool(_) => JsonType::Boolean,
            Self::Number(_) => JsonType::Number,
            Self::Text(_) => JsonType::Text,
            Self::Array(_) => JsonType::Array,
            Self::Object(_) => JsonType::Object,
        }
    }

    /// How it was written, roughly, for an error.
    pub(crate) fn excerpt(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(digits) => cut(digits),
            Self::Text(text) => format!("\"{}\"", cut(text)),
            Self::Array(_) => "[…]".to_owned(),
            Self::Object(_) => "{…}".to_owned(),
        }
    }
}

impl<'a> Object<'a> {
    /// The value of a field.
    pub(crate) fn get(&self, field: &str) -> Option<&Value<'a>> {
        self.members.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }

    /// Takes a field out, so that in the end only what nobody asked for is left.
    pub(crate) fn take(&mut self, field: &str) -> Option<Value<'a>> {
        let at = self.members.iter().position(|(name, _)| name == field)?;
        Some(self.members.remove(at).1)
    }

    /// The names of the fields that are left.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_ref())
    }
}

impl From<JsonError> for DecodeError {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Syntax { at, expected } => Self::NotJson { at, expected },
            JsonError::LoneSurrogate { at } => Self::LoneSurrogate { at },
            JsonError::TooDeep { limit } => Self::TooDeep { limit },
            JsonError::TooManyItems { limit } => Self::TooManyItems { limit },
            JsonError::Duplicate { field } => Self::DuplicateField { field: cut(&field) },
        }
    }
}
