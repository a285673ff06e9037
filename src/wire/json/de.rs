//! From a tree that was read to plain data: what the writer has written comes back.
//!
//! For the state and the inputs of an engine, from the host's own store. Frames of peers do not go
//! this way; what is wrong with them must be told field by field.

use super::{Value, to_compact};
use crate::stored::{FromStore, Source};

/// What was read is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// Makes plain data of a tree.
pub(crate) fn from_value<T: FromStore>(value: Value<'_>) -> Result<T, Mismatch> {
    let mut walk = Walk { places: vec![Place::At(value)], failed: false };
    let read = T::read(&mut walk);
    if walk.failed { Err(Mismatch) } else { Ok(read) }
}

/// A walk through a tree: where it is, behind whence it came.
struct Walk<'v> {
    places: Vec<Place<'v>>,
    failed: bool,
}

enum Place<'v> {
    At(Value<'v>),
    Within(std::vec::IntoIter<Value<'v>>),
}

impl<'v> Walk<'v> {
    /// What is here; nothing is left.
    fn take(&mut self) -> Value<'v> {
        match self.places.last_mut() {
            Some(Place::At(value)) => std::mem::replace(value, Value::Null),
            Some(Place::Within(_)) | None => {
                self.failed = true;
                Value::Null
            }
        }
    }

    fn enter(&mut self, value: Value<'v>) {
        self.places.push(Place::At(value));
    }
}

impl Source for Walk<'_> {
    fn fail(&mut self) {
        self.failed = true;
    }

    fn is_null(&self) -> bool {
        matches!(self.places.last(), Some(Place::At(Value::Null)))
    }

    fn number(&mut self) -> u64 {
        let number =
            if let Value::Number(digits) = self.take() { digits.parse().ok() } else { None };
        self.failed |= number.is_none();
        number.unwrap_or_default()
    }

    fn flag(&mut self) -> bool {
        let value = self.take();
        self.failed |= !matches!(value, Value::True | Value::False);
        value == Value::True
    }

    fn text(&mut self) -> String {
        let Value::Text(text) = self.take() else {
            self.failed = true;
            return String::new();
        };
        text.into_owned()
    }

    fn json(&mut self) -> String {
        to_compact(&self.take())
    }

    fn field(&mut self, name: &str) {
        let value = match self.places.last_mut() {
            Some(Place::At(Value::Object(object))) => object.take(name),
            Some(Place::At(_) | Place::Within(_)) | None => {
                self.failed = true;
                None
            }
        };
        self.enter(value.unwrap_or(Value::Null));
    }

    fn item(&mut self) -> bool {
        if let Some(Place::At(_)) = self.places.last() {
            let Value::Array(items) = self.take() else {
                self.failed = true;
                return false;
            };
            if let Some(place) = self.places.last_mut() {
                *place = Place::Within(items.into_iter());
            }
        }
        let Some(Place::Within(items)) = self.places.last_mut() else { return false };
        let Some(item) = items.next() else { return false };
        self.enter(item);
        true
    }

    fn variant(&mut self) -> String {
        let (name, value) = match self.take() {
            Value::Text(name) => (Some(name), Value::Null),
            Value::Object(object) => {
                let mut members = object.members.into_iter();
                let first = members.next();
                self.failed |= members.next().is_some();
                first.map_or((None, Value::Null), |(name, value)| {
                    (Some(name), value.unwrap_or(Value::Null))
                })
            }
            Value::Null | Value::True | Value::False | Value::Number(_) | Value::Array(_) => {
                (None, Value::Null)
            }
        };
        self.failed |= name.is_none();
        self.enter(value);
        name.unwrap_or_default().into_owned()
    }

    fn leave(&mut self) {
        self.places.pop();
    }
}
