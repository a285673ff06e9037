use proptest::prelude::*;

use super::*;
use crate::ids::RequestIdError;
use crate::wire::error::{JsonType, Shape, Syntax};

fn read(text: &str) -> Result<ToolCall, DecodeError> {
    decode_tool_call(text, &Limits::default(), BooleanPolicy::Semantic)
}

fn understood(text: &str) -> ToolCall {
    read(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn refused(text: &str) -> DecodeError {
    read(text).expect_err(text)
}

/// `inner` as a JSON text.
fn quoted(inner: &str) -> String {
    serde_json::to_string(inner).unwrap()
}

fn ambiguous(path: &str, other: &str) -> DecodeError {
    DecodeError::Ambiguous { path: path.into(), other: other.into() }
}

fn unwrapped(path: &str) -> Note {
    Note::Unwrapped { path: path.into() }
}

const APPROVAL: &str = r#"{"type":"shutdown_response","request_id":"r","approve":true}"#;

#[test]
fn the_same_decision_is_read_from_every_wrapping() {
    let flat = r#"{"type":"shutdown_response","request_id":"r","approve":true}"#.to_owned();
    let object = format!(r#"{{"message":{APPROVAL}}}"#);
    let in_text = format!(r#"{{"message":{}}}"#, quoted(APPROVAL));
    let in_content = format!(r#"{{"content":{}}}"#, quoted(APPROVAL));
    let content_object = format!(r#"{{"content":{APPROVAL}}}"#);
    let whole = quoted(&object);
    let whole_and_message = quoted(&in_text);
    let expected = ToolMessage::ShutdownResponse {
        request_id: Some("r".into()),
        approve: true,
        reason: None,
        retry_after_ms: None,
    };
    let alias = Note::Alias { path: "content".into(), canonical: "message" };
    for (text, notes) in [
        (flat, vec![]),
        (object, vec![]),
        (in_text, vec![unwrapped("message")]),
        (in_content, vec![unwrapped("content"), alias.clone()]),
        (content_object, vec![alias]),
        (whole, vec![unwrapped("")]),
        (whole_and_message, vec![unwrapped(""), unwrapped("message")]),
    ] {
        let call = understood(&text);
        assert_eq!((call.message, call.notes), (expected.clone(), notes), "{text}");
    }
}

#[test]
fn each_text_is_unwrapped_once() {
    let nested = |path: &str| DecodeError::NestedTooOften { path: path.into() };
    let message_twice = format!(r#"{{"message":{}}}"#, quoted(&quoted(APPROVAL)));
    assert_eq!(refused(&message_twice), nested("message"));
    let content_twice = format!(r#"{{"content":{}}}"#, quoted(&quoted(APPROVAL)));
    assert_eq!(refused(&content_twice), nested("content"));
    let whole_twice = quoted(&quoted(&format!(r#"{{"message":{APPROVAL}}}"#)));
    assert_eq!(refused(&whole_twice), nested(""));
    assert_eq!(refused(&quoted(&whole_twice)), nested(""));
}

#[test]
fn a_text_that_is_not_certainly_a_message_stays_chat() {
    for text in [
        "fine, I'm done",
        "shutdown_approved",
        "approve: true",
        r#"{"approve":true}"#,
        r#"{"type":7,"approve":true}"#,
        r#"{"type":"weather","approve":true}"#,
        r#"{"type":"message","content":"hi"}"#,
        r#"{"type":"settled","request_id":"r","status":"approved","cause":"member"}"#,
        r#"{"type":"shutdown_response","approve":True}"#,
        r#"{"type":"shutdown_response","approve":true,"approve":false}"#,
        r#"[{"type":"shutdown_response","request_id":"r","approve":true}]"#,
        r#"```json {"type":"shutdown_response","request_id":"r","approve":true}```"#,
        r#""a quotation""#,
        "true",
    ] {
        let call = understood(&format!(r#"{{"to":"bob","message":{}}}"#, quoted(text)));
        let expected = ToolMessage::Text { text: text.into(), summary: None };
        assert_eq!((call.message, call.notes), (expected, vec![]), "{text}");
    }
}

#[test]
fn chat_that_looks_like_a_message_is_recognised() {
    for text in [
        APPROVAL,
        " \n{\"type\":\"anything\"}",
        r#"{"type":"shutdown_response","approve":True}"#,
        r#"{"type":"a","type":"b"}"#,
    ] {
        assert!(looks_like_protocol(text), "{text}");
    }
    for text in [
        "",
        "hello",
        r#"{"a":1}"#,
        r#"{"type":1}"#,
        r#"{"a":{"type":"b"}}"#,
        "[{\"type\":\"a\"}]",
        "{",
    ] {
        assert!(!looks_like_protocol(text), "{text}");
    }
}

#[test]
fn spellings_that_disagree_are_refused_with_both_places() {
    let cases = [
        (r#"{"to":"alice","recipient":"bob","message":"x"}"#, "to", "recipient"),
        (r#"{"to":"*","recipient":"bob","message":"x"}"#, "to", "recipient"),
        (r#"{"type":"broadcast","to":"bob","message":"x"}"#, "type", "to"),
        (r#"{"to":"bob","message":"x","content":"y"}"#, "message", "content"),
        (r#"{"type":"shutdown_request","reason":"x","content":"y"}"#, "reason", "content"),
        (
            r#"{"type":"shutdown_request","message":{"type":"shutdown_response"}}"#,
            "message.type",
            "type",
        ),
        (r#"{"type":"shutdown_response","approve":true,"approved":false}"#, "approve", "approved"),
        (r#"{"type":"shutdown_approved","approve":false}"#, "approve", "type"),
        (r#"{"type":"plan_rejected","action":"approve"}"#, "action", "type"),
        (
            r#"{"approve":false,"message":{"type":"shutdown_response","approve":true}}"#,
            "message.approve",
            "approve",
        ),
        (r#"{"type":"cancel","request_id":"a","requestId":"b"}"#, "request_id", "requestId"),
        (r#"{"type":"progress","busy_for_ms":1,"busyForMs":2}"#, "busy_for_ms", "busyForMs"),
    ];
    for (text, path, other) in cases {
        assert_eq!(refused(text), ambiguous(path, other), "{text}");
    }
}

#[test]
fn the_order_in_which_spellings_stand_changes_nothing() {
    let one = r#"{"type":"shutdown_response","approved":"false","approve":true}"#;
    let two = r#"{"approve":true,"approved":"false","type":"shutdown_response"}"#;
    assert_eq!(refused(one), refused(two));
}

#[test]
fn what_is_left_empty_is_not_said() {
    let call = understood(
        r#"{"type":"plan_approval_response","to":"bob","recipient":"","request_id":"","requestId":"r",
            "approve":true,"feedback":"","content":"good","reason":null}"#,
    );
    assert_eq!(
        call.message,
        ToolMessage::PlanApprovalResponse {
            request_id: Some("r".into()),
            approve: true,
            feedback: Some("good".into()),
        }
    );
    assert_eq!(call.to, Recipient::parse("bob").ok());
}

#[test]
fn an_undecided_decision_is_refused_even_beside_a_decided_one() {
    for value in ["null", "\"\"", "\"maybe\"", "0", "{}"] {
        let text = format!(r#"{{"type":"shutdown_response","approve":{value},"approved":true}}"#);
        let DecodeError::InvalidBoolean { path, .. } = refused(&text) else { panic!("{text}") };
        assert_eq!(path, "approve");
    }
}

#[test]
fn a_missing_field_is_missed_where_it_belongs() {
    let missing = |path: &str, expected| DecodeError::MissingField { path: path.into(), expected };
    for (text, path, expected) in [
        (r#"{"type":"shutdown_response"}"#, "approve", Shape::Boolean),
        (r#"{"message":{"type":"shutdown_response"}}"#, "message.approve", Shape::Boolean),
        (r#"{"type":"execution_report"}"#, "ok", Shape::Boolean),
        (r#"{"type":"plan_approval_request"}"#, "plan", Shape::Object),
        (r#"{"to":"bob"}"#, "message", Shape::TextOrObject),
        (r#"{"to":"bob","message":null,"summary":" "}"#, "message", Shape::TextOrObject),
        (r#"{"to":"bob","message":" ","summary":""}"#, "message", Shape::TextOrObject),
        (r#"{"to":"bob","message":{}}"#, "message.type", Shape::Text),
        (r#"{"to":"bob","message":"ok","approve":true}"#, "type", Shape::Text),
        (r#"{"to":"bob","summary":"ok","approved":"yes"}"#, "type", Shape::Text),
    ] {
        assert_eq!(refused(text), missing(path, expected), "{text}");
    }
}

#[test]
fn wrong_types_name_both_types() {
    for (text, path, expected, found) in [
        (r#"{"to":7,"message":"x"}"#, "to", Shape::Text, JsonType::Number),
        (r#"{"to":"b","message":7}"#, "message", Shape::TextOrObject, JsonType::Number),
        (r#"{"to":"b","content":[]}"#, "content", Shape::TextOrObject, JsonType::Array),
        (r#"{"type":true}"#, "type", Shape::Text, JsonType::Boolean),
        (r#"{"type":"exited","requestId":5}"#, "requestId", Shape::Text, JsonType::Number),
        (r#"{"type":"idle","note":{}}"#, "note", Shape::Text, JsonType::Object),
        (r#"{"type":"progress","busy_for_ms":"9"}"#, "busy_for_ms", Shape::Integer, JsonType::Text),
    ] {
        let refusal = DecodeError::WrongType { path: path.into(), expected, found };
        assert_eq!(refused(text), refusal, "{text}");
    }
}

#[test]
fn an_unknown_type_is_told_what_it_resembles() {
    for (found, nearest) in [
        ("shutdown_respons", Some("shutdown_response")),
        ("plan_approval_requests", Some("plan_approval_request")),
        ("receipt", None),
        ("permission_response", None),
    ] {
        let path = "type".to_owned();
        let refusal = DecodeError::UnknownType { path, found: found.into(), nearest };
        assert_eq!(refused(&format!(r#"{{"type":"{found}"}}"#)), refusal);
    }
}

#[test]
fn an_id_may_be_short_but_not_longer_than_any_id() {
    let exited = |id: &str| format!(r#"{{"type":"exited","request_id":"{id}"}}"#);
    let short = ToolMessage::Exited { request_id: Some("req_0".into()) };
    assert_eq!(understood(&exited("req_0")).message, short);
    let refusal =
        DecodeError::InvalidId { path: "request_id".into(), why: RequestIdError::TooLong };
    assert_eq!(refused(&exited(&"x".repeat(257))), refusal);
}

#[test]
fn a_text_in_the_summary_is_used_only_when_there_is_no_other() {
    let chat = |text: &str| {
        let call = understood(text);
        let ToolMessage::Text { text, summary } = call.message else { panic!("{text}") };
        (text, summary, call.notes)
    };
    let both = chat(r#"{"to":"bob","message":"long","summary":"short"}"#);
    assert_eq!(both, ("long".into(), Some("short".into()), vec![]));
    for message in ["", r#""message":null,"#, r#""message":"","#, "\"message\":\" \u{200b}\","] {
        let only = chat(&format!(r#"{{{message}"to":"bob","summary":"short"}}"#));
        assert_eq!(only, ("short".into(), None, vec![Note::TextFromSummary]));
    }
}

#[test]
fn the_preview_of_a_decision_is_never_its_reason() {
    let call = understood(
        r#"{"type":"shutdown_response","request_id":"r","approve":false,"summary":"still busy"}"#,
    );
    let ToolMessage::ShutdownResponse { reason, .. } = call.message else { panic!() };
    assert_eq!((reason, call.notes), (None, vec![]));
}

#[test]
fn a_plan_that_is_prose_is_refused_as_prose() {
    for text in ["do it", "\\\"Delete\\\" it", "", "7"] {
        let call = format!(r#"{{"type":"plan_approval_request","plan":"{text}"}}"#);
        let (path, found) = ("plan".to_owned(), JsonType::Text);
        let refusal = DecodeError::WrongType { path, expected: Shape::Object, found };
        assert_eq!(refused(&call), refusal);
    }
}

#[test]
fn input_is_bounded_like_every_frame() {
    let small = Limits { frame_bytes: 64, ..Limits::default() };
    let text = format!(r#"{{"to":"bob","message":"{}"}}"#, "x".repeat(64));
    let refusal = decode_tool_call(&text, &small, BooleanPolicy::Semantic);
    assert_eq!(refusal, Err(DecodeError::TooLarge { bytes: text.len(), limit: 64 }));
    assert_eq!(refused(&"[".repeat(10_000)), DecodeError::TooDeep { limit: 32 });
    let deep_inside = quoted(&format!("{{\"a\":{}", "[".repeat(10_000)));
    assert_eq!(refused(&deep_inside), DecodeError::TooDeep { limit: 32 });
}

#[test]
fn what_is_no_object_is_refused_as_what_it_is() {
    for (text, found) in [
        ("null", JsonType::Null),
        ("[]", JsonType::Array),
        ("7", JsonType::Number),
        (r#""shutdown approved""#, JsonType::Text),
        (r#""\"quoted prose\"""#, JsonType::Text),
    ] {
        assert_eq!(refused(text), DecodeError::NotAnObject { found }, "{text}");
    }
    let broken = DecodeError::NotJson { at: 8, expected: Syntax::CommaOrEnd };
    assert_eq!(refused(&quoted(r#"{"to":"b"#)).path(), None);
    assert_eq!(refused(r#"{"to":7 "#), broken);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_096, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fields are thrown together: no panic, and no approval that no field says or another one
    /// denies.
    #[test]
    fn no_mixture_of_fields_approves_what_none_of_them_does(
        names in prop::collection::btree_set(prop::sample::select(FIELDS), 0..8),
        values in prop::collection::vec(prop::sample::select(VALUES), 8),
    ) {
        let members = names.iter().zip(&values);
        let members: Vec<_> = members.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let text = format!("{{{}}}", members.join(","));
        let call = decode_tool_call(&text, &Limits::default(), BooleanPolicy::Wide);
        let approved = call.is_ok_and(|call| matches!(
            call.message,
            ToolMessage::ShutdownResponse { approve: true, .. }
                | ToolMessage::PlanApprovalResponse { approve: true, .. }
        ));
        let said = ["true", "shutdown_approved"].iter().any(|word| text.contains(word));
        let denials = [
            r#""approve":false"#,
            r#""approve":"no""#,
            r#""approved":"false""#,
            r#""action":"reject""#,
            r#""type":"shutdown_rejected""#,
        ];
        let denied = denials.iter().any(|denial| text.contains(denial));
        prop_assert!(!approved || (said && !denied), "{text}");
    }
}

const FIELDS: &[&str] = &[
    "type",
    "msg_type",
    "to",
    "recipient",
    "message",
    "content",
    "text",
    "summary",
    "request_id",
    "requestId",
    "approve",
    "approved",
    "action",
    "reason",
    "feedback",
    "plan",
    "ok",
    "uses",
];

const VALUES: &[&str] = &[
    "null",
    "7",
    "false",
    "\"false\"",
    "\"no\"",
    "\"\"",
    "\"bob\"",
    "\"*\"",
    "\"shutdown_response\"",
    "\"plan_approval_response\"",
    "\"shutdown_rejected\"",
    "\"reject\"",
    "true",
    "\"shutdown_approved\"",
    "{\"type\":\"shutdown_response\"}",
    "{\"type\":\"shutdown_response\",\"approve\":\"true\",\"request_id\":\"r\"}",
    "\"{\\\"type\\\":\\\"plan_approval_response\\\",\\\"approve\\\":false}\"",
    "[]",
    "{}",
];
