//! Reading what looks for deadlocks.

use super::error::{DecodeError, Shape};
use super::fields::{Decode, Fields, wrong_type};
use super::json::Value;
use crate::message::{Probe, Wait};

/// A closed probe has a `cycle`, an open one has none.
pub(super) fn probe(fields: &mut Fields<'_, 'static>) -> Decode<Probe> {
    if let Some(cycle) = fields.optional("cycle") {
        let cycle = waits(fields, "cycle", cycle)?;
        // More than fits a `usize` is beyond the end of any cycle.
        let at = usize::try_from(fields.integer("at", 0)?).unwrap_or(usize::MAX);
        return Ok(Probe::Closed { cycle, at });
    }
    let round = fields.integer("round", 1)?;
    let path = fields.required("path", Shape::ObjectList)?;
    Ok(Probe::Open { round, path: waits(fields, "path", path)? })
}

fn waits(fields: &mut Fields<'_, '_>, field: &str, value: Value<'_>) -> Decode<Vec<Wait>> {
    let Value::Array(items) = value else {
        return Err(wrong_type(fields.path_of(field), Shape::ObjectList, &value));
    };
    if items.len() > Probe::MAX_WAITS {
        return Err(DecodeError::TooManyItems { limit: Probe::MAX_WAITS }.into());
    }
    let mut waits = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        let path = format!("{}[{at}]", fields.path_of(field));
        let Value::Object(object) = item else {
            return Err(wrong_type(path, Shape::Object, &item));
        };
        let mut inner = Fields::new(object, &path);
        waits.push(Wait { member: inner.member("member")?, request_id: inner.id("request_id")? });
        fields.note(inner.into_notes());
    }
    Ok(waits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BooleanPolicy, Limits};
    use crate::ids::{MemberName, NameError, RequestId};
    use crate::message::Message;
    use crate::wire::{Decoded, JsonType, Note, decode_message, json};

    const OPEN: &str = r#"{"type":"probe","round":3,"path":[{"member":"alice","request_id":"a"}]}"#;

    fn read(text: &str) -> Result<Decoded, DecodeError> {
        let json::Value::Object(object) = json::parse(text, &Limits::default()).unwrap() else {
            panic!("not an object: {text}");
        };
        decode_message(object, BooleanPolicy::Strict)
    }

    fn alice() -> Wait {
        let member = MemberName::parse("alice").unwrap();
        Wait { member, request_id: RequestId::parse("a").unwrap() }
    }

    #[test]
    fn a_probe_is_open_unless_it_has_a_cycle() {
        let open = Probe::Open { round: 3, path: vec![alice()] };
        assert_eq!(read(OPEN).unwrap().message, Message::Probe(open));
        let text = OPEN.replace("\"round\":3,\"path\"", "\"at\":0,\"cycle\"");
        let closed = Probe::Closed { cycle: vec![alice()], at: 0 };
        assert_eq!(read(&text).unwrap().message, Message::Probe(closed));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named_with_its_place() {
        let refused = |from: &str, to: &str| read(&OPEN.replace(from, to)).unwrap_err();
        let missing =
            |path: &str, expected| DecodeError::MissingField { path: path.to_owned(), expected };
        assert_eq!(refused("\"round\"", "\"x\""), missing("message.round", Shape::Integer));
        assert_eq!(refused("\"path\"", "\"x\""), missing("message.path", Shape::ObjectList));
        assert_eq!(
            refused("\"round\"", "\"cycle\""),
            DecodeError::WrongType {
                path: "message.cycle".into(),
                expected: Shape::ObjectList,
                found: JsonType::Number,
            }
        );
        let item = "message.path[0]";
        assert_eq!(refused("\"member\"", "\"x\""), missing(&format!("{item}.member"), Shape::Text));
        let no_id = missing(&format!("{item}.request_id"), Shape::Text);
        assert_eq!(refused("\"request_id\"", "\"x\""), no_id);
        let (path, found) = (format!("{item}.member"), "a b".to_owned());
        let invalid = DecodeError::InvalidName { path, found, why: NameError::BadCharacter };
        assert_eq!(refused("alice", "a b"), invalid);
        assert_eq!(
            refused("{\"member\":\"alice\",\"request_id\":\"a\"}", "7"),
            DecodeError::WrongType {
                path: item.into(),
                expected: Shape::Object,
                found: JsonType::Number,
            }
        );
        assert!(matches!(refused("3", "0"), DecodeError::InvalidNumber { .. }));
    }

    #[test]
    fn unknown_fields_are_noted_inside_too() {
        let decoded = read(&OPEN.replace("\"member\"", "\"x\":1,\"member\"")).unwrap();
        let note = Note::UnknownField { path: "message.path[0].x".into() };
        assert_eq!(decoded.notes, [note]);
    }

    #[test]
    fn no_list_is_longer_than_a_team() {
        let wait = "{\"member\":\"alice\",\"request_id\":\"a\"}";
        let text = |count: usize| OPEN.replace(wait, &vec![wait; count].join(","));
        assert!(read(&text(Probe::MAX_WAITS)).is_ok());
        let refusal = DecodeError::TooManyItems { limit: Probe::MAX_WAITS };
        assert_eq!(read(&text(Probe::MAX_WAITS + 1)), Err(refusal));
    }
}
