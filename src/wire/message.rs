//! Reading the structured messages: one function each, in one table.

use super::canonical::Decoded;
use super::error::{DecodeError, Shape, cut};
use super::fields::{Decode, Fields, unknown_type, wrong_type};
use super::json::{Object, Value};
use super::plan::{USES, plan};
use crate::config::BooleanPolicy;
use crate::message::{
    Cancel, Cause, Digest, ExecutionReport, Exited, Follows, Idle, KindRequest, KindResponse, Link,
    Message, PlanApprovalRequest, PlanApprovalResponse, Progress, Receipt, Received, Reopen,
    SettleCode, Settled, ShutdownRequest, ShutdownResponse, Status, Timing, Undeliverable, Uses,
};

type In<'f, 'a> = &'f mut Fields<'a, 'static>;
type Out = Decode<Message>;
type Reader = (&'static str, fn(In<'_, '_>, BooleanPolicy) -> Out);

/// Reads a structured message by its `type`.
pub(super) fn decode(object: Object<'_>, policy: BooleanPolicy) -> Decode<Decoded> {
    let mut fields = Fields::new(object, PATH);
    let name = fields.word("type")?;
    let Some((_, read)) = READERS.iter().find(|(known, _)| *known == name) else {
        let known = READERS.iter().map(|(known, _)| *known);
        return Err(unknown_type(fields.path_of("type"), &name, known));
    };
    let message = read(&mut fields, policy)?;
    Ok(Decoded { message, notes: fields.into_notes() })
}

fn shutdown_request(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::ShutdownRequest(ShutdownRequest {
        request_id: fields.id("request_id")?,
        reason: fields.optional_text("reason")?,
        follows: follows(fields)?,
        timing: timing(fields)?,
    }))
}

fn shutdown_response(fields: In<'_, '_>, policy: BooleanPolicy) -> Out {
    Ok(Message::ShutdownResponse(ShutdownResponse {
        request_id: fields.id("request_id")?,
        approve: fields.boolean("approve", policy)?,
        reason: fields.optional_text("reason")?,
        retry_after_ms: fields.optional_millis("retry_after_ms")?,
    }))
}

fn plan_approval_request(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::PlanApprovalRequest(PlanApprovalRequest {
        request_id: fields.id("request_id")?,
        plan: plan(fields.required("plan", Shape::Object)?, "message.plan")?,
        uses: fields.optional_choice("uses", &USES, Uses::name)?.unwrap_or_default(),
        follows: follows(fields)?,
        timing: timing(fields)?,
    }))
}

fn plan_approval_response(fields: In<'_, '_>, policy: BooleanPolicy) -> Out {
    Ok(Message::PlanApprovalResponse(PlanApprovalResponse {
        request_id: fields.id("request_id")?,
        approve: fields.boolean("approve", policy)?,
        feedback: fields.optional_text("feedback")?,
        digest: digest(fields)?,
    }))
}

fn request(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Request(KindRequest {
        request_id: fields.id("request_id")?,
        kind: fields.kind("kind")?,
        payload: fields.optional_payload("payload"),
        scope: fields.optional_texts("scope")?,
        uses: fields.optional_choice("uses", &USES, Uses::name)?,
        follows: follows(fields)?,
        timing: timing(fields)?,
    }))
}

fn response(fields: In<'_, '_>, policy: BooleanPolicy) -> Out {
    let digest = fields.optional_word("digest")?;
    Ok(Message::Response(KindResponse {
        request_id: fields.id("request_id")?,
        kind: fields.kind("kind")?,
        approve: fields.boolean("approve", policy)?,
        reason: fields.optional_text("reason")?,
        retry_after_ms: fields.optional_millis("retry_after_ms")?,
        payload: fields.optional_payload("payload"),
        digest: digest.map(|text| parse_digest(fields, &text)).transpose()?,
    }))
}

fn settled(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Settled(Settled {
        request_id: fields.id("request_id")?,
        status: fields.choice("status", &TERMINAL, Status::name)?,
        code: fields.optional_choice("code", &CODES, SettleCode::name)?,
        cause: fields.choice("cause", &Cause::ALL, Cause::name)?,
    }))
}

fn progress(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Progress(Progress {
        request_id: fields.optional_id("request_id")?,
        note: fields.optional_text("note")?,
        busy_for_ms: fields.optional_millis("busy_for_ms")?,
    }))
}

fn receipt(fields: In<'_, '_>, policy: BooleanPolicy) -> Out {
    Ok(Message::Receipt(Receipt {
        request_id: fields.id("request_id")?,
        of: fields.optional_choice("of", &Received::ALL, Received::name)?.unwrap_or_default(),
        rolled_back: fields.optional_boolean("rolled_back", policy)?,
    }))
}

fn cancel(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Cancel(Cancel {
        request_id: fields.id("request_id")?,
        reason: fields.optional_text("reason")?,
    }))
}

fn reopen(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Reopen(Reopen {
        request_id: fields.id("request_id")?,
        reason: fields.optional_text("reason")?,
    }))
}

fn execution_report(fields: In<'_, '_>, policy: BooleanPolicy) -> Out {
    Ok(Message::ExecutionReport(ExecutionReport {
        request_id: fields.id("request_id")?,
        ok: fields.boolean("ok", policy)?,
        rolled_back: fields.optional_boolean("rolled_back", policy)?,
        detail: fields.optional_text("detail")?,
    }))
}

fn exited(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Exited(Exited { request_id: fields.optional_id("request_id")? }))
}

fn idle(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Idle(Idle { note: fields.optional_text("note")? }))
}

fn undeliverable(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Undeliverable(Undeliverable {
        to: fields.member("to")?,
        excerpt: fields.optional_text("excerpt")?,
        cause: fields.choice("cause", &Cause::ALL, Cause::name)?,
    }))
}

fn probe(fields: In<'_, '_>, _: BooleanPolicy) -> Out {
    Ok(Message::Probe(super::probe::probe(fields)?))
}

fn timing(fields: In<'_, '_>) -> Decode<Timing> {
    Ok(Timing {
        timeout_ms: fields.optional_millis("timeout_ms")?,
        cap_ms: fields.optional_millis("cap_ms")?,
    })
}

/// What the request goes on from, with a field of its own for every word that it has.
fn follows(fields: In<'_, '_>) -> Decode<Option<Follows>> {
    let Some(value) = fields.optional("follows") else { return Ok(None) };
    let Value::Object(object) = value else {
        return Err(wrong_type(fields.path_of("follows"), Shape::Object, &value));
    };
    let mut inner = Fields::new(object, "message.follows");
    let follows = Follows {
        request_id: inner.id("request_id")?,
        link: inner.choice("as", &Link::ALL, Link::name)?,
        justification: inner.optional_text("justification")?,
    };
    fields.note(inner.into_notes());
    Ok(Some(follows))
}

fn digest(fields: In<'_, '_>) -> Decode<Digest> {
    let text = fields.word("digest")?;
    parse_digest(fields, &text)
}

fn parse_digest(fields: &Fields<'_, '_>, text: &str) -> Decode<Digest> {
    let invalid =
        || DecodeError::InvalidDigest { path: fields.path_of("digest"), found: cut(text) }.into();
    Digest::parse(text).ok_or_else(invalid)
}

/// Where a message stands in its envelope.
const PATH: &str = "message";

/// Every structured message and its reader.
const READERS: [Reader; 16] = [
    ("shutdown_request", shutdown_request),
    ("shutdown_response", shutdown_response),
    ("plan_approval_request", plan_approval_request),
    ("plan_approval_response", plan_approval_response),
    ("request", request),
    ("response", response),
    ("settled", settled),
    ("progress", progress),
    ("receipt", receipt),
    ("cancel", cancel),
    ("reopen", reopen),
    ("execution_report", execution_report),
    ("exited", exited),
    ("idle", idle),
    ("undeliverable", undeliverable),
    ("probe", probe),
];

/// What a request can be settled as.
const TERMINAL: [Status; 4] =
    [Status::Approved, Status::Rejected, Status::TimedOut, Status::Cancelled];

const CODES: [SettleCode; 1] = [SettleCode::TimeoutRejected];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use crate::ids::RequestIdError;
    use crate::time::Millis;
    use crate::wire::{JsonType, Note, json};

    fn read(text: &str) -> Result<Decoded, DecodeError> {
        let json::Value::Object(object) = json::parse(text, &Limits::default()).unwrap() else {
            panic!("not an object: {text}");
        };
        decode(object, BooleanPolicy::Semantic).map_err(|error| *error)
    }

    fn refused(text: &str) -> DecodeError {
        read(text).expect_err(text)
    }

    /// A text with every required field of every message.
    fn full(name: &str) -> String {
        let digest = "0".repeat(64);
        format!(
            r#"{{"type":"{name}","request_id":"r","approve":true,"ok":true,"status":"approved",
            "cause":"clock","to":"bob","kind":"dependency","digest":"b3_{digest}","round":1,"path":[],
            "plan":{{"title":"t","scope":[],"steps":[],"risk":"r","text":"x"}}}}"#
        )
    }

    #[test]
    fn a_reader_makes_the_message_it_is_listed_for() {
        for (name, _) in READERS {
            assert_eq!(read(&full(name)).unwrap().message.type_name(), name);
        }
    }

    #[test]
    fn a_request_is_settled_as_anything_but_pending() {
        let terminal: Vec<_> = Status::ALL.into_iter().filter(|s| s.is_terminal()).collect();
        assert_eq!(terminal, TERMINAL);
        let refusal = refused(&full("settled").replace("approved", "pending"));
        assert_eq!(
            refusal,
            DecodeError::InvalidChoice {
                path: "message.status".into(),
                found: "pending".into(),
                accepted: vec!["approved", "rejected", "timed_out", "cancelled"],
            }
        );
    }

    #[test]
    fn an_unknown_type_is_refused_with_the_nearest_known_one() {
        for (found, nearest) in [
            ("shutdown_reqest", Some("shutdown_request")),
            ("Shutdown_Response", Some("shutdown_response")),
            ("plan_aproval_response", Some("plan_approval_response")),
            ("execute_sudo", None),
            ("", None),
        ] {
            let path = "message.type".to_owned();
            let refusal = DecodeError::UnknownType { path, found: found.into(), nearest };
            assert_eq!(refused(&format!(r#"{{"type":"{found}"}}"#)), refusal);
        }
    }

    #[test]
    fn a_type_is_a_text_and_there() {
        let path = || "message.type".to_owned();
        let missing = DecodeError::MissingField { path: path(), expected: Shape::Text };
        assert_eq!(refused("{}"), missing);
        for (text, found) in [("null", JsonType::Null), ("1", JsonType::Number)] {
            let wrong = DecodeError::WrongType { path: path(), expected: Shape::Text, found };
            assert_eq!(refused(&format!(r#"{{"type":{text}}}"#)), wrong);
        }
    }

    #[test]
    fn a_number_is_no_request_id() {
        let refusal = DecodeError::WrongType {
            path: "message.request_id".into(),
            expected: Shape::Text,
            found: JsonType::Number,
        };
        assert_eq!(refused(r#"{"type":"receipt","request_id":7}"#), refusal);
        for (text, why) in
            [("", RequestIdError::Empty), (&"x".repeat(257), RequestIdError::TooLong)]
        {
            let refusal = DecodeError::InvalidId { path: "message.request_id".into(), why };
            assert_eq!(refused(&format!(r#"{{"type":"receipt","request_id":"{text}"}}"#)), refusal);
        }
    }

    #[test]
    fn a_decision_is_never_assumed() {
        let without = full("shutdown_response").replace("\"approve\":true,", "");
        let missing =
            DecodeError::MissingField { path: "message.approve".into(), expected: Shape::Boolean };
        assert_eq!(refused(&without), missing);
        for value in ["null", "1", "0", "\"\"", "\"yes\"", "[]", "{}"] {
            for name in ["shutdown_response", "plan_approval_response"] {
                let with = full(name).replace("true", value);
                assert!(matches!(refused(&with), DecodeError::InvalidBoolean { .. }), "{with}");
            }
        }
        let noted = read(&full("shutdown_response").replace("true", "\"True \"")).unwrap();
        let note =
            Note::BooleanFromText { path: "message.approve".into(), found: "\"True \"".into() };
        assert!(noted.notes.contains(&note));
    }

    #[test]
    fn null_in_an_optional_field_is_the_same_as_nothing() {
        let text = r#"{"type":"progress","request_id":null,"note":null,"busy_for_ms":null}"#;
        let decoded = read(text).unwrap();
        let nothing = Progress { request_id: None, note: None, busy_for_ms: None };
        assert_eq!(decoded.message, Message::Progress(nothing));
        assert_eq!(decoded.notes, []);
    }

    #[test]
    fn spans_are_whole_numbers_in_range() {
        let progress = |ms: &str| format!(r#"{{"type":"progress","busy_for_ms":{ms}}}"#);
        for (text, ms) in [("0", 0), ("10000", 10_000), ("9007199254740991", (1 << 53) - 1)] {
            let Message::Progress(read) = read(&progress(text)).unwrap().message else {
                panic!("{text}");
            };
            assert_eq!(read.busy_for_ms, Some(Millis::new(ms)));
        }
        for text in ["-1", "-0", "1.0", "1e3", "0.5", "9007199254740992", "99999999999999999999"] {
            let path = "message.busy_for_ms".to_owned();
            let refusal = DecodeError::InvalidNumber { path, found: text.into() };
            assert_eq!(refused(&progress(text)), refusal, "{text}");
        }
        assert!(matches!(refused(&progress("\"10\"")), DecodeError::WrongType { .. }));
    }

    #[test]
    fn unknown_fields_are_noted_with_their_path() {
        let text = r#"{"type":"idle","__proto__":{"approve":true},"from":"x"}"#;
        let paths = ["message.__proto__", "message.from"];
        let notes = paths.map(|path| Note::UnknownField { path: path.into() });
        let decoded = read(text).unwrap();
        assert_eq!(decoded.message, Message::Idle(Idle { note: None }));
        assert_eq!(decoded.notes, notes);
    }

    #[test]
    fn a_plan_may_be_used_until_the_report_unless_it_says_once() {
        let uses = |field: &str| {
            let text = full("plan_approval_request").replace("\"ok\":true", field);
            read(&text).map(|decoded| {
                let Message::PlanApprovalRequest(request) = decoded.message else { panic!() };
                request.uses
            })
        };
        assert_eq!(uses("\"ok\":1"), Ok(Uses::UntilReport));
        assert_eq!(uses("\"uses\":null"), Ok(Uses::UntilReport));
        assert_eq!(uses("\"uses\":\"once\""), Ok(Uses::Once));
        assert!(matches!(uses("\"uses\":\"twice\""), Err(DecodeError::InvalidChoice { .. })));
    }

    #[test]
    fn a_digest_is_checked_for_its_form() {
        let text = full("plan_approval_response").replace("b3_0", "b3_Z");
        let Err(DecodeError::InvalidDigest { path, found }) = read(&text) else { panic!() };
        assert_eq!((path.as_str(), found.len()), ("message.digest", 67));
    }
}
