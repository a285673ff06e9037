//! A bounded reader of JSON into a tree that borrows from the text, and a writer.
//!
//! Read is RFC 8259 to the letter, and on top of it: a field must not appear twice in an object,
//! nesting and the number of members are bounded, half a surrogate pair is refused by name.
//!
//! Why not `serde_json`: it keeps the last of two equal fields without a word, has no bound on
//! members, tells its reasons only as prose, copies every text into a tree of maps, and carries
//! code for sinks that fail. The reader is on the path of every frame; it allocates once per
//! object or array and otherwise only for texts with escapes. `serde_json` is the oracle of both
//! in the tests.

mod de;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::borrow::Cow;

pub(crate) use self::de::from_value;
use self::reader::Reader;
#[cfg(target_arch = "wasm32")]
pub(crate) use self::writer::write;
pub(crate) use self::writer::{to_compact, to_string};
use crate::config::Limits;
use crate::wire::error::{DecodeError, JsonType, cut};

/// A JSON value. The booleans are two variants so that what a variant carries is whole machine
/// words: values are moved a lot, and a single byte beside the tag makes that slower.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// `null`.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
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
    /// Few members, so a linear search beats a map. A value that was taken leaves its place, for
    /// closing the gap would cost more than looking at it again.
    members: Vec<(Cow<'a, str>, Option<Value<'a>>)>,
}

/// Reads a whole text.
pub(crate) fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Value<'a>, DecodeError> {
    Reader::new(text, limits).document()
}

/// Reads a whole text, unless it has more bytes than a frame may have.
pub(crate) fn document<'a>(text: &'a str, limits: &Limits) -> Result<Value<'a>, DecodeError> {
    if text.len() > limits.frame_bytes {
        return Err(DecodeError::TooLarge { bytes: text.len(), limit: limits.frame_bytes });
    }
    parse(text, limits)
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
            Self::True | Self::False => JsonType::Boolean,
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
            Self::True => "true".to_owned(),
            Self::False => "false".to_owned(),
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
        self.members.iter().find(|(name, _)| name == field)?.1.as_ref()
    }

    /// Takes a field out, so that in the end only what nobody asked for is left.
    pub(crate) fn take(&mut self, field: &str) -> Option<Value<'a>> {
        self.members.iter_mut().find(|(name, _)| name == field)?.1.take()
    }

    /// The fields that are left.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.members.iter().filter_map(|(name, value)| Some((name.as_ref(), value.as_ref()?)))
    }

    /// The names of the fields that are left.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name.as_ref())
    }
}
