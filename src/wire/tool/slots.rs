//! The fields of a tool call, wherever and however the model wrote them.

use super::{Rules, unwrap_object};
use crate::message::{Kind, Payload, Plan, Recipient};
use crate::time::Millis;
use crate::wire::boolean::boolean;
use crate::wire::error::{DecodeError, join};
use crate::wire::fields::{self, Decode, choice};
use crate::wire::json::{self, Object, Value};
use crate::wire::note::Note;
use crate::wire::plan;

/// The names of one field: the canonical one, then how else it is spelt.
pub(super) type Names = &'static [&'static str];

/// The objects of a tool call: the call itself, and the message in it if that is an object.
pub(super) struct Slots<'a, 'l> {
    pub(super) outer: Object<'a>,
    pub(super) inner: Option<Inner<'a>>,
    pub(super) notes: Vec<Note>,
    pub(super) rules: Rules<'l>,
}

/// The message in a tool call.
pub(super) struct Inner<'a> {
    pub(super) path: &'static str,
    pub(super) object: Object<'a>,
}

/// Makes of a value what is meant by it; `None` when it says nothing.
type Convert<'c, 'a, T> = &'c dyn Fn(Value<'a>, &str, &mut Vec<Note>) -> Decode<Option<T>>;

impl<'a> Slots<'a, '_> {
    /// The one value of a field that may be written in several places. Null is nothing.
    pub(super) fn read<T: PartialEq>(
        &mut self,
        names: Names,
        convert: Convert<'_, 'a, T>,
    ) -> Decode<Option<(String, T)>> {
        let mut found = self.take_all(names);
        found.retain(|(_, value)| *value != Value::Null);
        self.agree(found, convert)
    }

    /// A text; the empty one says nothing, for schemas make models fill every field.
    pub(super) fn text(&mut self, names: Names) -> Decode<Option<String>> {
        let found = self.read(names, &|value, path, _| {
            let text = fields::text(value, || path.to_owned())?;
            Ok(Some(text).filter(|text| !text.is_empty()))
        })?;
        Ok(found.map(|(_, text)| text))
    }

    /// To whom, and where that was written. The empty text says nothing.
    pub(super) fn recipient(&mut self) -> Decode<Option<(String, Recipient)>> {
        self.read(TO, &|value, path, _| {
            let text = fields::text(value, || path.to_owned())?;
            if text.is_empty() {
                return Ok(None);
            }
            fields::recipient(&text, || path.to_owned()).map(Some)
        })
    }

    /// The id of a request, or its beginning.
    pub(super) fn request_id(&mut self) -> Decode<Option<String>> {
        let found = self.read(REQUEST_ID, &|value, path, _| {
            let text = fields::text(value, || path.to_owned())?;
            if text.is_empty() {
                return Ok(None);
            }
            fields::id(&text, || path.to_owned())?;
            Ok(Some(text))
        })?;
        Ok(found.map(|(_, id)| id))
    }

    /// The name of a kind.
    pub(super) fn kind(&mut self) -> Decode<Option<Kind>> {
        let found = self.read(&["kind"], &|value, path, _| {
            let text = fields::text(value, || path.to_owned())?;
            if text.is_empty() {
                return Ok(None);
            }
            fields::kind(&text, || path.to_owned()).map(Some)
        })?;
        Ok(found.map(|(_, kind)| kind))
    }

    /// Any JSON.
    pub(super) fn payload(&mut self) -> Decode<Option<Payload>> {
        let found = self.read(&["payload"], &|value, _, _| {
            Ok(Some(Payload::from_compact(json::to_compact(&value))))
        })?;
        Ok(found.map(|(_, payload)| payload))
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, names: Names) -> Decode<Vec<String>> {
        let found = self.read(names, &|value, path, _| fields::texts(value, path).map(Some))?;
        Ok(found.map(|(_, texts)| texts).unwrap_or_default())
    }

    /// A span of time.
    pub(super) fn millis(&mut self, names: Names) -> Decode<Option<Millis>> {
        let found = self.read(names, &|value, path, _| {
            fields::integer(&value, 0, || path.to_owned()).map(Some)
        })?;
        Ok(found.map(|(_, ms)| Millis::new(ms)))
    }

    /// One of a fixed list.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        names: Names,
        choices: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Decode<Option<(String, T)>> {
        self.read(names, &|value, path, _| {
            let text = fields::text(value, || path.to_owned())?;
            choice(&text, choices, &name, || path.to_owned()).map(Some)
        })
    }

    /// A boolean and where it was written. Null is a value here, and not an acceptable one: who
    /// writes `approve: null` has not decided.
    pub(super) fn boolean(&mut self, names: Names) -> Decode<Option<(String, bool)>> {
        let policy = self.rules.booleans;
        let found = self.take_all(names);
        self.agree(found, &|value, path, notes| {
            let (value, note) = boolean(Some(&value), path.to_owned(), policy)?;
            notes.extend(note);
            Ok(Some(value))
        })
    }

    /// A plan: an object, or one as JSON inside a text.
    pub(super) fn plan(&mut self) -> Decode<Option<Plan>> {
        let limits = self.rules.limits;
        let found = self.read(PLAN, &|value, path, notes| {
            let Value::Text(text) = &value else { return plan::plan(value, path).map(Some) };
            let Some(object) = unwrap_object(text, path, limits)? else {
                return plan::plan(value, path).map(Some);
            };
            notes.push(Note::Unwrapped { path: path.to_owned() });
            plan::plan(Value::Object(object), path).map(Some)
        })?;
        Ok(found.map(|(_, plan)| plan))
    }

    /// Where a field belongs in this call, for an error about its absence.
    pub(super) fn path_of(&self, field: &str) -> String {
        join(self.inner.as_ref().map_or("", |inner| inner.path), field)
    }

    /// Ends the reading: what is left is noted as unknown.
    pub(super) fn into_notes(self) -> Vec<Note> {
        let Self { outer, inner, mut notes, rules: _ } = self;
        let unknown = |parent: &'static str| {
            move |name: &str| Note::UnknownField { path: join(parent, name) }
        };
        notes.extend(outer.names().map(unknown("")));
        if let Some(Inner { path, object }) = inner {
            notes.extend(object.names().map(unknown(path)));
        }
        notes
    }

    /// Every value must pass `convert` (which gives `None` for one that says nothing), and all of
    /// them must agree: neither the first nor the last one wins.
    fn agree<T: PartialEq>(
        &mut self,
        found: Vec<(String, Value<'a>)>,
        convert: Convert<'_, 'a, T>,
    ) -> Decode<Option<(String, T)>> {
        let mut agreed: Option<(String, T)> = None;
        for (other, value) in found {
            let Some(value) = convert(value, &other, &mut self.notes)? else { continue };
            match agreed {
                None => agreed = Some((other, value)),
                Some((_, ref same)) if *same == value => {}
                Some((path, _)) => return Err(DecodeError::Ambiguous { path, other }.into()),
            }
        }
        Ok(agreed)
    }

    /// Every value that a field has under any of its names, the message's before the call's.
    fn take_all(&mut self, names: Names) -> Vec<(String, Value<'a>)> {
        let mut found = Vec::new();
        let inner = self.inner.as_mut().map(|inner| (inner.path, &mut inner.object));
        for (parent, object) in inner.into_iter().chain([("", &mut self.outer)]) {
            for name in names {
                let Some(value) = object.take(name) else { continue };
                let path = join(parent, name);
                if let Some(canonical) = names.first().filter(|canonical| *canonical != name) {
                    self.notes.push(Note::Alias { path: path.clone(), canonical });
                }
                found.push((path, value));
            }
        }
        found
    }
}

pub(super) const TO: Names = &["to", "recipient", "target", "teammate", "member"];
pub(super) const REQUEST_ID: Names = &["request_id", "requestId", "req_id", "requestID"];
pub(super) const PLAN: Names = &["plan", "planContent", "plan_content", "content", "message"];
