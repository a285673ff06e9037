//! Why a text is not a message: the family of errors that is the peer's or the model's fault.

use crate::ids::{NameError, RequestIdError};
use crate::message::KindNameError;

/// Why a text could not be decoded.
///
/// Excerpts (`found`, and field names in paths) are cut to 80 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// More bytes than a frame may have; nothing of it was read.
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
    /// Not JSON as RFC 8259 has it.
    NotJson {
        /// The byte where it stops being JSON.
        at: usize,
        /// What could have stood there.
        expected: Syntax,
    },
    /// A `\u` escape that is half of a surrogate pair: no text has such a character.
    LoneSurrogate {
        /// The byte where the escape begins.
        at: usize,
    },
    /// Objects and arrays nested too deep.
    TooDeep {
        /// The bound.
        limit: usize,
    },
    /// Too many members of objects and arrays, counted over the whole text.
    TooManyItems {
        /// The bound.
        limit: usize,
    },
    /// An object has the same field twice; which one is meant nobody knows.
    DuplicateField {
        /// The field.
        field: String,
    },
    /// JSON, but not an object.
    NotAnObject {
        /// What it is instead.
        found: JsonType,
    },
    /// A version of the wire format that this engine does not speak.
    UnsupportedVersion {
        /// The version.
        found: String,
    },
    /// A required field is missing.
    MissingField {
        /// Where.
        path: String,
        /// What belongs there.
        expected: Shape,
    },
    /// A field holds another type than it should.
    WrongType {
        /// Where.
        path: String,
        /// What belongs there.
        expected: Shape,
        /// What is there.
        found: JsonType,
    },
    /// No structured message has this `type`.
    UnknownType {
        /// Where.
        path: String,
        /// The unknown type.
        found: String,
        /// The known type that looks most like it.
        nearest: Option<&'static str>,
    },
    /// Not the name of a member.
    InvalidName {
        /// Where.
        path: String,
        /// The text.
        found: String,
        /// What is wrong with it.
        why: NameError,
    },
    /// Not the id of a request or frame.
    InvalidId {
        /// Where.
        path: String,
        /// What is wrong with it.
        why: RequestIdError,
    },
    /// Not the name of a kind.
    InvalidKind {
        /// Where.
        path: String,
        /// The text.
        found: String,
        /// What is wrong with it.
        why: KindNameError,
    },
    /// Not an incarnation.
    InvalidIncarnation {
        /// Where.
        path: String,
        /// The text.
        found: String,
    },
    /// Not the digest of a plan.
    InvalidDigest {
        /// Where.
        path: String,
        /// The text.
        found: String,
    },
    /// A number that is no whole number in its range.
    InvalidNumber {
        /// Where.
        path: String,
        /// The number as written.
        found: String,
    },
    /// Neither yes nor no. Never read as either.
    InvalidBoolean {
        /// Where.
        path: String,
        /// The value as written.
        found: String,
        /// The values that would have been accepted.
        accepted: &'static [&'static str],
    },
    /// A text outside a fixed list.
    InvalidChoice {
        /// Where.
        path: String,
        /// The text.
        found: String,
        /// The list.
        accepted: Vec<&'static str>,
    },
    /// A field that must not be there: a decision on the whole would not cover it.
    UnknownField {
        /// Where.
        path: String,
    },
    /// Two spellings of one thing that disagree.
    Ambiguous {
        /// The first.
        path: String,
        /// The one that disagrees with it.
        other: String,
    },
    /// JSON inside a text inside a text.
    NestedTooOften {
        /// Where.
        path: String,
    },
}

/// What JSON would have allowed at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Any value.
    Value,
    /// A field name in quotes.
    FieldName,
    /// The colon after a field name.
    Colon,
    /// A comma, or the end of the object or array.
    CommaOrEnd,
    /// A digit of a number.
    Digit,
    /// The closing quote of a text.
    ClosingQuote,
    /// An escape for a control character, which must not stand in a text as it is.
    EscapedControl,
    /// One of `\" \\ \/ \b \f \n \r \t`, or `\u` and four hex digits.
    Escape,
    /// Nothing more.
    End,
}

/// The types JSON has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// A list in brackets.
    Array,
    /// Fields in braces.
    Object,
}

/// What belongs into a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A whole number from 0 (or 1) to 2^53 - 1, without fraction or exponent.
    Integer,
    /// A boolean.
    Boolean,
    /// An object.
    Object,
    /// A list of texts.
    TextList,
    /// A list of objects.
    ObjectList,
    /// A text, or an object with a `type`.
    TextOrObject,
}

impl DecodeError {
    /// The field that is at fault; `None` when it is the text as a whole.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::LoneSurrogate { .. }
            | Self::TooDeep { .. }
            | Self::TooManyItems { .. }
            | Self::NotAnObject { .. } => None,
            Self::UnsupportedVersion { .. } => Some("v"),
            Self::DuplicateField { field: path }
            | Self::MissingField { path, .. }
            | Self::WrongType { path, .. }
            | Self::UnknownType { path, .. }
            | Self::InvalidName { path, .. }
            | Self::InvalidId { path, .. }
            | Self::InvalidKind { path, .. }
            | Self::InvalidIncarnation { path, .. }
            | Self::InvalidDigest { path, .. }
            | Self::InvalidNumber { path, .. }
            | Self::InvalidBoolean { path, .. }
            | Self::InvalidChoice { path, .. }
            | Self::UnknownField { path }
            | Self::Ambiguous { path, .. }
            | Self::NestedTooOften { path } => Some(path),
        }
    }
}

/// The beginning of a text, for an error or a note: a peer must not make them grow.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_LENGTH) {
        None => text.to_owned(),
        Some(_) => text.chars().take(EXCERPT_LENGTH - 1).chain(['…']).collect(),
    }
}

/// The path of a field: `message.approve`. The root has the empty path.
pub(crate) fn join(parent: &str, field: &str) -> String {
    let field = cut(field);
    if parent.is_empty() { field } else { format!("{parent}.{field}") }
}

/// The longest excerpt, in characters: a line of a terminal.
const EXCERPT_LENGTH: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_counted_in_characters_and_marked_when_cut() {
        let fits = "请".repeat(80);
        assert_eq!(cut(&fits), fits);
        let long = cut(&"请".repeat(81));
        assert_eq!(long.chars().count(), 80);
        assert!(long.ends_with("请…"));
    }

    #[test]
    fn a_path_names_its_parents_except_the_root() {
        assert_eq!(join("", "to"), "to");
        assert_eq!(join("message.plan", "risk"), "message.plan.risk");
        assert_eq!(join("", &"x".repeat(1_000)).chars().count(), 80);
    }

    #[test]
    fn an_error_about_a_field_names_it_and_one_about_the_text_does_not() {
        let field = DecodeError::MissingField { path: "to".into(), expected: Shape::Text };
        assert_eq!(field.path(), Some("to"));
        assert_eq!(DecodeError::UnsupportedVersion { found: "2".into() }.path(), Some("v"));
        assert_eq!(DecodeError::DuplicateField { field: "to".into() }.path(), Some("to"));
        assert_eq!(DecodeError::TooDeep { limit: 32 }.path(), None);
        assert_eq!(DecodeError::NotJson { at: 0, expected: Syntax::Value }.path(), None);
    }
}
