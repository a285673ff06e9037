//! Reading a plan. The one object in which unknown fields are refused.

use super::error::{DecodeError, Shape};
use super::fields::{Decode, Fields, wrong_type};
use super::json::{self, Value};
use crate::config::Limits;
use crate::message::{Payload, Plan, Uses};

/// Every way in which an approval may be used.
pub(crate) const USES: [Uses; 2] = [Uses::UntilReport, Uses::Once];

/// Reads a plan that stands alone, as a host hands it in.
///
/// # Errors
/// [`DecodeError`] names the first thing that is wrong; paths begin at `plan`.
pub fn decode_plan(text: &str, limits: &Limits) -> Result<Plan, DecodeError> {
    plan(json::document(text, limits)?, "plan").map_err(|error| *error)
}

/// Reads a payload that stands alone, as a host hands it in: any JSON.
///
/// # Errors
/// [`DecodeError`] when it is none, or larger or deeper than the limits allow.
pub fn decode_payload(text: &str, limits: &Limits) -> Result<Payload, DecodeError> {
    let value = json::document(text, limits)?;
    Ok(Payload::from_compact(json::to_compact(&value)))
}

/// Reads the plan at `path`. All five fields are required.
pub(crate) fn plan(value: Value<'_>, path: &str) -> Decode<Plan> {
    let Value::Object(object) = value else {
        return Err(wrong_type(path, Shape::Object, &value));
    };
    let mut fields = Fields::new(object, path);
    let plan = Plan {
        title: fields.text("title")?,
        scope: fields.texts("scope")?,
        steps: fields.texts("steps")?,
        risk: fields.text("risk")?,
        text: fields.text("text")?,
    };
    fields.refuse_rest()?;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::JsonType;

    const WHOLE: &str =
        r#"{"title":"T","scope":["write:src/**"],"steps":["a","b"],"risk":"R","text":"X"}"#;

    fn read(text: &str) -> Result<Plan, DecodeError> {
        decode_plan(text, &Limits::default())
    }

    #[test]
    fn a_whole_plan_is_read_as_written() {
        let plan = read(WHOLE).unwrap();
        assert_eq!(plan.title, "T");
        assert_eq!(plan.scope, ["write:src/**"]);
        assert_eq!(plan.steps, ["a", "b"]);
        assert_eq!((plan.risk.as_str(), plan.text.as_str()), ("R", "X"));
    }

    #[test]
    fn each_field_is_required() {
        for field in ["title", "scope", "steps", "risk", "text"] {
            let without = WHOLE.replace(&format!("\"{field}\""), "\"renamed\"");
            let Err(DecodeError::MissingField { path, .. }) = read(&without) else {
                panic!("{field}");
            };
            assert_eq!(path, format!("plan.{field}"));
        }
    }

    #[test]
    fn an_unknown_field_is_refused_for_no_decision_would_cover_it() {
        let more = WHOLE.replace("{\"title\"", "{\"and_also\":\"rm -rf /\",\"title\"");
        let refusal = DecodeError::UnknownField { path: "plan.and_also".into() };
        assert_eq!(read(&more), Err(refusal));
        let proto = WHOLE.replace("{\"title\"", "{\"__proto__\":null,\"title\"");
        assert!(matches!(read(&proto), Err(DecodeError::UnknownField { .. })));
    }

    #[test]
    fn texts_and_lists_are_never_converted() {
        let wrong = |from: &str, to: &str| match read(&WHOLE.replace(from, to)) {
            Err(DecodeError::WrongType { path, expected, found }) => (path, expected, found),
            other => panic!("{other:?}"),
        };
        assert_eq!(wrong("\"T\"", "7"), ("plan.title".into(), Shape::Text, JsonType::Number));
        assert_eq!(wrong("\"R\"", "null"), ("plan.risk".into(), Shape::Text, JsonType::Null));
        assert_eq!(wrong("\"X\"", "[]"), ("plan.text".into(), Shape::Text, JsonType::Array));
        assert_eq!(
            wrong("[\"a\",\"b\"]", "\"a, b\""),
            ("plan.steps".into(), Shape::TextList, JsonType::Text)
        );
        assert_eq!(
            wrong("\"b\"", "true"),
            ("plan.steps[1]".into(), Shape::Text, JsonType::Boolean)
        );
    }

    #[test]
    fn a_plan_is_an_object() {
        for (text, found) in [("\"do it\"", JsonType::Text), ("[]", JsonType::Array)] {
            let refusal =
                DecodeError::WrongType { path: "plan".into(), expected: Shape::Object, found };
            assert_eq!(read(text), Err(refusal));
        }
    }

    #[test]
    fn every_use_is_listed() {
        assert_eq!(USES.map(Uses::name), ["until_report", "once"]);
    }
}
