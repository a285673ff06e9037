//! Typed access to the fields of one object, with the path for every error.

use std::borrow::Cow;

use super::boolean::boolean;
use super::error::{DecodeError, Shape, cut, join};
use super::json::{self, Object, Value};
use super::nearest::nearest;
use super::note::Note;
use crate::config::BooleanPolicy;
use crate::ids::{Incarnation, MemberName, RequestId};
use crate::message::{Kind, Payload, Recipient};
use crate::time::Millis;

/// An object that is being read: fields are taken out one by one, what is left is unknown.
///
/// `null` in an optional field counts as absent.
pub(crate) struct Fields<'a, 'p> {
    object: Object<'a>,
    path: &'p str,
    notes: Vec<Note>,
}

/// What reading inside this room gives. The error is behind a pointer: in every result of every
/// field it would make each of them four times as wide.
pub(crate) type Decode<T> = Result<T, Box<DecodeError>>;

impl<'a, 'p> Fields<'a, 'p> {
    /// The fields of the object at `path`.
    pub(crate) const fn new(object: Object<'a>, path: &'p str) -> Self {
        Self { object, path, notes: Vec::new() }
    }

    /// A value of any type; `None` when it is absent or null.
    pub(crate) fn optional(&mut self, field: &str) -> Option<Value<'a>> {
        self.object.take(field).filter(|value| *value != Value::Null)
    }

    /// A value of any type; null is one.
    pub(crate) fn required(&mut self, field: &str, expected: Shape) -> Decode<Value<'a>> {
        let value = self.object.take(field);
        value
            .ok_or_else(|| DecodeError::MissingField { path: self.path_of(field), expected }.into())
    }

    /// A text that may be absent, to keep.
    pub(crate) fn optional_text(&mut self, field: &str) -> Decode<Option<String>> {
        Ok(self.optional_word(field)?.map(Cow::into_owned))
    }

    /// A text to keep.
    pub(crate) fn text(&mut self, field: &str) -> Decode<String> {
        Ok(self.word(field)?.into_owned())
    }

    /// A text that may be absent, to look at.
    pub(crate) fn optional_word(&mut self, field: &str) -> Decode<Option<Cow<'a, str>>> {
        self.optional(field).map(|value| word(value, || self.path_of(field))).transpose()
    }

    /// A text to look at.
    pub(crate) fn word(&mut self, field: &str) -> Decode<Cow<'a, str>> {
        let value = self.required(field, Shape::Text)?;
        word(value, || self.path_of(field))
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, field: &str) -> Decode<Vec<String>> {
        let value = self.required(field, Shape::TextList)?;
        self.texts_of(field, value)
    }

    /// The list of texts that stands in a field.
    pub(crate) fn texts_of(&self, field: &str, value: Value<'_>) -> Decode<Vec<String>> {
        texts(value, &self.path_of(field))
    }

    /// A list of texts that may be absent.
    pub(crate) fn optional_texts(&mut self, field: &str) -> Decode<Vec<String>> {
        let value = self.optional(field);
        value.map_or(Ok(Vec::new()), |value| self.texts_of(field, value))
    }

    /// Any JSON, to keep; null is nothing.
    pub(crate) fn optional_payload(&mut self, field: &str) -> Option<Payload> {
        self.optional(field).map(|value| Payload::from_compact(json::to_compact(&value)))
    }

    /// The name of a kind.
    pub(crate) fn kind(&mut self, field: &str) -> Decode<Kind> {
        let text = self.word(field)?;
        kind(&text, || self.path_of(field))
    }

    /// A whole number of at least `least` that may be absent.
    pub(crate) fn optional_integer(&mut self, field: &str, least: u64) -> Decode<Option<u64>> {
        let value = self.optional(field);
        value.map(|value| integer(&value, least, || self.path_of(field))).transpose()
    }

    /// A whole number of at least `least`.
    pub(crate) fn integer(&mut self, field: &str, least: u64) -> Decode<u64> {
        let value = self.required(field, Shape::Integer)?;
        integer(&value, least, || self.path_of(field))
    }

    /// A span of time that may be absent.
    pub(crate) fn optional_millis(&mut self, field: &str) -> Decode<Option<Millis>> {
        Ok(self.optional_integer(field, 0)?.map(Millis::new))
    }

    /// A boolean, noted when it was written as text.
    pub(crate) fn boolean(&mut self, field: &str, policy: BooleanPolicy) -> Decode<bool> {
        let value = self.object.take(field);
        let (value, note) = boolean(value.as_ref(), self.path_of(field), policy)?;
        self.notes.extend(note);
        Ok(value)
    }

    /// A boolean that may be absent.
    pub(crate) fn optional_boolean(
        &mut self,
        field: &str,
        policy: BooleanPolicy,
    ) -> Decode<Option<bool>> {
        let Some(value) = self.optional(field) else { return Ok(None) };
        let (value, note) = boolean(Some(&value), self.path_of(field), policy)?;
        self.notes.extend(note);
        Ok(Some(value))
    }

    /// A name of a member that may be absent.
    pub(crate) fn optional_member(&mut self, field: &str) -> Decode<Option<MemberName>> {
        let name = self.optional_word(field)?;
        name.map(|name| member(&name, || self.path_of(field))).transpose()
    }

    /// The name of a member.
    pub(crate) fn member(&mut self, field: &str) -> Decode<MemberName> {
        let name = self.word(field)?;
        member(&name, || self.path_of(field))
    }

    /// To whom.
    pub(crate) fn recipient(&mut self, field: &str) -> Decode<Recipient> {
        let text = self.word(field)?;
        recipient(&text, || self.path_of(field))
    }

    /// The id of a request.
    pub(crate) fn id(&mut self, field: &str) -> Decode<RequestId> {
        let text = self.word(field)?;
        id(&text, || self.path_of(field))
    }

    /// The id of a request that may be absent.
    pub(crate) fn optional_id(&mut self, field: &str) -> Decode<Option<RequestId>> {
        let text = self.optional_word(field)?;
        text.map(|text| id(&text, || self.path_of(field))).transpose()
    }

    /// Which life of a member, if told.
    pub(crate) fn optional_incarnation(&mut self, field: &str) -> Decode<Option<Incarnation>> {
        self.optional_word(field)?.map(|text| self.parse_incarnation(field, &text)).transpose()
    }

    /// Which life of a member.
    pub(crate) fn incarnation(&mut self, field: &str) -> Decode<Incarnation> {
        let text = self.word(field)?;
        self.parse_incarnation(field, &text)
    }

    /// One of a fixed list, if there.
    pub(crate) fn optional_choice<T: Copy>(
        &mut self,
        field: &str,
        choices: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Decode<Option<T>> {
        let text = self.optional_word(field)?;
        text.map(|text| choice(&text, choices, name, || self.path_of(field))).transpose()
    }

    /// One of a fixed list.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        field: &str,
        choices: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Decode<T> {
        let text = self.word(field)?;
        choice(&text, choices, name, || self.path_of(field))
    }

    /// Adds notes from inside a field.
    pub(crate) fn note(&mut self, notes: impl IntoIterator<Item = Note>) {
        self.notes.extend(notes);
    }

    /// Ends the reading: what is left is noted as unknown.
    pub(crate) fn into_notes(self) -> Vec<Note> {
        let Self { object, path, mut notes } = self;
        notes.extend(object.names().map(|name| Note::UnknownField { path: join(path, name) }));
        notes
    }

    /// Ends the reading of an object that may hold nothing unknown.
    pub(crate) fn refuse_rest(self) -> Decode<()> {
        match self.object.names().next() {
            Some(name) => Err(DecodeError::UnknownField { path: join(self.path, name) }.into()),
            None => Ok(()),
        }
    }

    /// The path of a field.
    pub(crate) fn path_of(&self, field: &str) -> String {
        join(self.path, field)
    }

    fn parse_incarnation(&self, field: &str, text: &str) -> Decode<Incarnation> {
        let invalid = || {
            DecodeError::InvalidIncarnation { path: self.path_of(field), found: cut(text) }.into()
        };
        Incarnation::parse(text).ok_or_else(invalid)
    }
}

/// The error for a field that holds another type than it should.
pub(crate) fn wrong_type(
    path: impl Into<String>,
    expected: Shape,
    found: &Value<'_>,
) -> Box<DecodeError> {
    DecodeError::WrongType { path: path.into(), expected, found: found.json_type() }.into()
}

/// The error for a `type` that is not one of `known`.
pub(crate) fn unknown_type(
    path: String,
    found: &str,
    known: impl Iterator<Item = &'static str>,
) -> Box<DecodeError> {
    let nearest = nearest(found, known, |name| name);
    DecodeError::UnknownType { path, found: cut(found), nearest }.into()
}

/// A value that must be a list of texts.
pub(crate) fn texts(value: Value<'_>, path: &str) -> Decode<Vec<String>> {
    let Value::Array(items) = value else {
        return Err(wrong_type(path, Shape::TextList, &value));
    };
    let item_path = |at| format!("{path}[{at}]");
    items.into_iter().enumerate().map(|(at, item)| text(item, || item_path(at))).collect()
}

/// A value that must be a text, to keep.
pub(crate) fn text(value: Value<'_>, path: impl Fn() -> String) -> Decode<String> {
    word(value, path).map(Cow::into_owned)
}

/// A value that must be a text, to look at.
fn word<'a>(value: Value<'a>, path: impl Fn() -> String) -> Decode<Cow<'a, str>> {
    let Value::Text(text) = value else {
        return Err(wrong_type(path(), Shape::Text, &value));
    };
    Ok(text)
}

/// A value that must be a whole number: digits only (`1e3` and `1.0` are not whole numbers), from
/// `least` to 2^53 - 1.
pub(crate) fn integer(value: &Value<'_>, least: u64, path: impl Fn() -> String) -> Decode<u64> {
    let Value::Number(digits) = value else {
        return Err(wrong_type(path(), Shape::Integer, value));
    };
    let in_range = least..=Millis::MAX_FROM_OUTSIDE;
    // JSON knows no plus sign, so `parse` takes nothing but digits here.
    let number = digits.parse().ok().filter(|number| in_range.contains(number));
    number.ok_or_else(|| DecodeError::InvalidNumber { path: path(), found: cut(digits) }.into())
}

/// A text that must be an id.
pub(crate) fn id(text: &str, path: impl Fn() -> String) -> Decode<RequestId> {
    RequestId::parse(text).map_err(|why| DecodeError::InvalidId { path: path(), why }.into())
}

/// A text that must be the name of a kind.
pub(crate) fn kind(text: &str, path: impl Fn() -> String) -> Decode<Kind> {
    let invalid = |why| DecodeError::InvalidKind { path: path(), found: cut(text), why }.into();
    Kind::parse(text).map_err(invalid)
}

/// A text that must be `*` or a name.
fn member(text: &str, path: impl Fn() -> String) -> Decode<MemberName> {
    let invalid = |why| DecodeError::InvalidName { path: path(), found: cut(text), why }.into();
    MemberName::parse(text).map_err(invalid)
}

pub(crate) fn recipient(text: &str, path: impl Fn() -> String) -> Decode<Recipient> {
    let invalid = |why| DecodeError::InvalidName { path: path(), found: cut(text), why }.into();
    Recipient::parse(text).map_err(invalid)
}

/// A text that must be on a list.
pub(crate) fn choice<T: Copy>(
    text: &str,
    choices: &[T],
    name: impl Fn(T) -> &'static str,
    path: impl Fn() -> String,
) -> Decode<T> {
    let found = choices.iter().copied().find(|choice| name(*choice) == text);
    found.ok_or_else(|| {
        let accepted = choices.iter().copied().map(name).collect();
        DecodeError::InvalidChoice { path: path(), found: cut(text), accepted }.into()
    })
}
