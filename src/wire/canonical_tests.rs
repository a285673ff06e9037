use proptest::prelude::*;

use super::*;
use crate::ids::{NameError, RequestId, RequestIdError};
use crate::message::*;
use crate::time::Millis;
use crate::wire::error::{JsonType, Syntax};

const CHAT: &str = r#"{"v":1,"id":"ab-1","seq":1,"from":"alice","from_incarnation":"5-00000000000000ab","to":"team-lead","at":7,"message":"hi"}"#;

fn read(text: &str) -> Result<Head<'_>, DecodeError> {
    decode_envelope(text, &Limits::default())
}

fn refused(text: &str) -> DecodeError {
    read(text).expect_err(text)
}

/// [`CHAT`] with one piece replaced.
fn with(from: &str, to: &str) -> String {
    assert!(CHAT.contains(from), "{from}");
    CHAT.replace(from, to)
}

#[test]
fn an_envelope_is_read_whole() {
    let life = Incarnation::parse("5-00000000000000ab").unwrap();
    let head = read(CHAT).unwrap();
    assert_eq!(
        head,
        Head {
            id: "ab-1".into(),
            seq: 1,
            from: MemberName::parse("alice").ok(),
            from_incarnation: life,
            to: Recipient::parse("team-lead").unwrap(),
            to_incarnation: None,
            at: Timestamp::from_ms(7),
            reminder: None,
            body: RawBody::Text("hi".into()),
            notes: vec![],
        }
    );
    assert!(matches!(head.id, Cow::Borrowed(_)));
}

#[test]
fn the_sender_and_everything_optional_may_be_left_to_others() {
    for text in [with("\"from\":\"alice\",", ""), with("\"from\":\"alice\"", "\"from\":null")] {
        let head = read(&text).unwrap();
        assert_eq!((head.from, head.notes), (None, vec![]));
    }
    assert_eq!(read(&with("team-lead", "*")).unwrap().to, Recipient::Everyone);
}

#[test]
fn each_required_field_is_missed_by_name() {
    for (field, expected) in [
        ("v", Shape::Integer),
        ("id", Shape::Text),
        ("seq", Shape::Integer),
        ("from_incarnation", Shape::Text),
        ("to", Shape::Text),
        ("at", Shape::Integer),
        ("message", Shape::TextOrObject),
    ] {
        let without = with(&format!("\"{field}\":"), &format!("\"x_{field}\":"));
        let missing = DecodeError::MissingField { path: field.into(), expected };
        assert_eq!(refused(&without), missing);
    }
}

#[test]
fn each_mistyped_field_names_both_types() {
    let cases = [
        ("\"v\":1", "\"v\":\"1\"", "v", Shape::Integer, JsonType::Text),
        ("\"ab-1\"", "12", "id", Shape::Text, JsonType::Number),
        ("\"seq\":1", "\"seq\":\"1\"", "seq", Shape::Integer, JsonType::Text),
        ("\"alice\"", "[\"alice\"]", "from", Shape::Text, JsonType::Array),
        ("\"5-00000000000000ab\"", "5", "from_incarnation", Shape::Text, JsonType::Number),
        ("\"team-lead\"", "null", "to", Shape::Text, JsonType::Null),
        ("\"at\":7", "\"at\":true", "at", Shape::Integer, JsonType::Boolean),
        ("\"hi\"", "[]", "message", Shape::TextOrObject, JsonType::Array),
        ("\"hi\"", "null", "message", Shape::TextOrObject, JsonType::Null),
    ];
    for (from, to, path, expected, found) in cases {
        let wrong = DecodeError::WrongType { path: path.into(), expected, found };
        assert_eq!(refused(&with(from, to)), wrong);
    }
}

#[test]
fn only_version_1_is_spoken() {
    for found in ["2", "0", "10", "1.0", "-1"] {
        let unsupported = DecodeError::UnsupportedVersion { found: found.into() };
        assert_eq!(refused(&with("\"v\":1", &format!("\"v\":{found}"))), unsupported);
    }
    assert_eq!(crate::message::WIRE_VERSION, 1);
}

#[test]
fn a_sequence_begins_at_1_and_time_at_0() {
    for (from, to, path, found) in [
        ("\"seq\":1", "\"seq\":0", "seq", "0"),
        ("\"seq\":1", "\"seq\":1.0", "seq", "1.0"),
        ("\"seq\":1", "\"seq\":1e3", "seq", "1e3"),
        ("\"seq\":1", "\"seq\":9007199254740992", "seq", "9007199254740992"),
        ("\"at\":7", "\"at\":-7", "at", "-7"),
    ] {
        let refusal = DecodeError::InvalidNumber { path: path.into(), found: found.into() };
        assert_eq!(refused(&with(from, to)), refusal);
    }
    assert_eq!(read(&with("\"at\":7", "\"at\":0")).unwrap().at, Timestamp::from_ms(0));
}

#[test]
fn names_ids_and_lives_are_checked_for_their_form() {
    let name = |path: &str, found: &str, why| DecodeError::InvalidName {
        path: path.into(),
        found: found.into(),
        why,
    };
    assert_eq!(refused(&with("alice", "../x")), name("from", "../x", NameError::BadCharacter));
    assert_eq!(refused(&with("team-lead", "")), name("to", "", NameError::Empty));
    let long = "x".repeat(5_000);
    let Err(DecodeError::InvalidName { found, .. }) = read(&with("team-lead", &long)).map(drop)
    else {
        panic!("a long name");
    };
    assert_eq!(found.chars().count(), 80);
    let id = |why| DecodeError::InvalidId { path: "id".into(), why };
    assert_eq!(refused(&with("ab-1", "")), id(RequestIdError::Empty));
    assert_eq!(refused(&with("ab-1", &long)), id(RequestIdError::TooLong));
    let life =
        DecodeError::InvalidIncarnation { path: "from_incarnation".into(), found: "5".into() };
    assert_eq!(refused(&with("5-00000000000000ab", "5")), life);
}

#[test]
fn unknown_fields_are_noted_and_change_nothing() {
    let more = with("{\"v\"", "{\"__proto__\":{\"from\":\"team-lead\"},\"constructor\":1,\"v\"");
    let paths = ["__proto__", "constructor"];
    let head = read(&more).unwrap();
    assert_eq!(head.notes, paths.map(|path| Note::UnknownField { path: path.into() }));
    assert_eq!(Head { notes: vec![], ..head }, read(CHAT).unwrap());
}

#[test]
fn a_reminder_tells_its_count_and_text() {
    let reminded =
        with("\"message\"", "\"reminder\":{\"count\":2,\"text\":\"t\",\"x\":0},\"message\"");
    let head = read(&reminded).unwrap();
    assert_eq!(head.reminder, Some(Reminder { count: 2, text: "t".into() }));
    assert_eq!(head.notes, [Note::UnknownField { path: "reminder.x".into() }]);
    for (reminder, path) in [
        ("7", "reminder"),
        ("{\"count\":1}", "reminder.text"),
        ("{\"count\":0,\"text\":\"t\"}", "reminder.count"),
    ] {
        let text = with("\"message\"", &format!("\"reminder\":{reminder},\"message\""));
        assert_eq!(refused(&text).path(), Some(path));
    }
}

#[test]
fn what_is_no_frame_at_all_is_refused_as_such() {
    let not_json = |at, expected| DecodeError::NotJson { at, expected };
    assert_eq!(refused(""), not_json(0, Syntax::Value));
    assert_eq!(refused("shutdown please"), not_json(0, Syntax::Value));
    assert_eq!(refused(&format!("{CHAT}{CHAT}")), not_json(CHAT.len(), Syntax::End));
    assert_eq!(refused("[]"), DecodeError::NotAnObject { found: JsonType::Array });
    assert_eq!(refused("\"x\""), DecodeError::NotAnObject { found: JsonType::Text });
    let twice = with("\"to\"", "\"seq\":2,\"to\"");
    assert_eq!(refused(&twice), DecodeError::DuplicateField { field: "seq".into() });
    assert_eq!(refused(&"[".repeat(10_000)), DecodeError::TooDeep { limit: 32 });
    assert_eq!(refused(&with("\"hi\"", "\"\\ud800\"")).path(), None);
}

#[test]
fn a_frame_that_is_too_large_is_not_even_read() {
    let text = "x".repeat(10 << 20);
    assert_eq!(refused(&text), DecodeError::TooLarge { bytes: 10 << 20, limit: 1 << 20 });
    let exact = Limits { frame_bytes: CHAT.len(), ..Limits::default() };
    assert!(decode_envelope(CHAT, &exact).is_ok());
}

#[test]
fn a_nul_in_a_text_is_a_character_like_others() {
    let head = read(r#"{"v":1,"id":"a","seq":1,"from_incarnation":"5-00000000000000ab","to":"b","at":7,"message":"a\u0000b"}"#).unwrap();
    assert_eq!(head.body, RawBody::Text("a\0b".into()));
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z \"\\\\\n请😀\u{0}]{0,20}", any::<String>()]
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let texts = || prop::collection::vec(any_text(), 0..4);
    (any_text(), texts(), texts(), any_text(), any_text())
        .prop_map(|(title, scope, steps, risk, text)| Plan { title, scope, steps, risk, text })
}

fn waits() -> impl Strategy<Value = Vec<Wait>> {
    let wait = ("[a-z0-9_-]{1,9}", any::<u128>()).prop_map(|(member, id)| Wait {
        member: MemberName::parse(&member).unwrap(),
        request_id: RequestId::from_random(id),
    });
    prop::collection::vec(wait, 0..4)
}

fn any_id() -> impl Strategy<Value = RequestId> {
    any::<u128>().prop_map(RequestId::from_random)
}

fn some_text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any_text())
}

fn some_ms() -> impl Strategy<Value = Option<Millis>> {
    prop::option::of((0..=Millis::MAX_FROM_OUTSIDE).prop_map(Millis::new))
}

fn any_timing() -> impl Strategy<Value = Timing> {
    (some_ms(), some_ms()).prop_map(|(timeout_ms, cap_ms)| Timing { timeout_ms, cap_ms })
}

fn any_uses() -> impl Strategy<Value = Uses> {
    prop::sample::select(&[Uses::Once, Uses::UntilReport])
}

fn any_follows() -> impl Strategy<Value = Option<Follows>> {
    let follows = (any_id(), prop::sample::select(&Link::ALL), some_text());
    prop::option::of(follows.prop_map(|(request_id, link, justification)| Follows {
        request_id,
        link,
        justification,
    }))
}

fn any_payload() -> impl Strategy<Value = Option<Payload>> {
    let value = prop_oneof![
        any_text().prop_map(|text| serde_json::to_string(&text).unwrap()),
        prop::sample::select(&["true", "-1.50", "[1e9,[],{}]", r#"{"b":[null],"a":{"":0}}"#])
            .prop_map(str::to_owned),
    ];
    prop::option::of(value.prop_map(Payload::from_compact))
}

fn any_kind() -> impl Strategy<Value = Kind> {
    "[a-z][a-z0-9_]{0,8}".prop_map(|name| Kind::parse(&name).unwrap())
}

fn any_request() -> impl Strategy<Value = Message> {
    prop_oneof![
        (any_id(), some_text(), any_follows(), any_timing()).prop_map(
            |(request_id, reason, follows, timing)| {
                Message::ShutdownRequest(ShutdownRequest { request_id, reason, follows, timing })
            }
        ),
        (any_id(), any_plan(), any_uses(), any_follows(), any_timing()).prop_map(
            |(request_id, plan, uses, follows, timing)| {
                let request = PlanApprovalRequest { request_id, plan, uses, follows, timing };
                Message::PlanApprovalRequest(request)
            }
        ),
        (
            (any_id(), any_kind(), any_payload()),
            (prop::collection::vec(any_text(), 0..3), prop::option::of(any_uses())),
            (any_follows(), any_timing()),
        )
            .prop_map(|((request_id, kind, payload), (scope, uses), (follows, timing))| {
                let request =
                    KindRequest { request_id, kind, payload, scope, uses, follows, timing };
                Message::Request(request)
            }),
    ]
}

fn any_response() -> impl Strategy<Value = Message> {
    prop_oneof![
        (any_id(), any::<bool>(), some_text(), some_ms()).prop_map(
            |(request_id, approve, reason, retry_after_ms)| {
                let response = ShutdownResponse { request_id, approve, reason, retry_after_ms };
                Message::ShutdownResponse(response)
            }
        ),
        (any_id(), any::<bool>(), some_text(), any_plan()).prop_map(
            |(request_id, approve, feedback, plan)| {
                let digest = plan.digest(Uses::Once);
                let response = PlanApprovalResponse { request_id, approve, feedback, digest };
                Message::PlanApprovalResponse(response)
            }
        ),
        (
            (any_id(), any_kind(), any::<bool>(), some_text()),
            (some_ms(), any_payload(), prop::option::of(any_plan())),
        )
            .prop_map(
                |((request_id, kind, approve, reason), (retry_after_ms, payload, plan))| {
                    let digest = plan.map(|plan| plan.digest(Uses::Once));
                    Message::Response(KindResponse {
                        request_id,
                        kind,
                        approve,
                        reason,
                        retry_after_ms,
                        payload,
                        digest,
                    })
                }
            ),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        any_request(),
        any_response(),
        (any_id(), prop::sample::select(&Status::ALL[1..]), prop::sample::select(&Cause::ALL))
            .prop_map(|(request_id, status, cause)| {
                Message::Settled(Settled { request_id, status, code: status.code(), cause })
            }),
        (prop::option::of(any_id()), some_text(), some_ms()).prop_map(
            |(request_id, note, busy_for_ms)| {
                Message::Progress(Progress { request_id, note, busy_for_ms })
            }
        ),
        (any_id(), prop::sample::select(Received::ALL.to_vec()), any::<Option<bool>>()).prop_map(
            |(request_id, of, rolled_back)| Message::Receipt(Receipt {
                request_id,
                of,
                rolled_back
            })
        ),
        (any_id(), some_text())
            .prop_map(|(request_id, reason)| Message::Cancel(Cancel { request_id, reason })),
        (any_id(), some_text())
            .prop_map(|(request_id, reason)| Message::Reopen(Reopen { request_id, reason })),
        (any_id(), any::<bool>(), any::<Option<bool>>(), some_text()).prop_map(
            |(request_id, ok, rolled_back, detail)| {
                Message::ExecutionReport(ExecutionReport { request_id, ok, rolled_back, detail })
            }
        ),
        prop::option::of(any_id()).prop_map(|request_id| Message::Exited(Exited { request_id })),
        some_text().prop_map(|note| Message::Idle(Idle { note })),
        (some_text(), prop::sample::select(&Cause::ALL)).prop_map(|(excerpt, cause)| {
            let to = MemberName::parse("bob").unwrap();
            Message::Undeliverable(Undeliverable { to, excerpt, cause })
        }),
        (1..1_000_000u64, waits())
            .prop_map(|(round, path)| Message::Probe(Probe::Open { round, path })),
        (waits(), 0..300usize).prop_map(|(cycle, at)| Message::Probe(Probe::Closed { cycle, at })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_is_read_back_without_a_note(message in any_message(), seq in 1..1_000_000u64, reminded: bool) {
        let life = Incarnation::new(Timestamp::from_ms(seq), seq << 20);
        let envelope = Envelope {
            v: 1,
            id: format!("{:016x}-{seq}", life.nonce()),
            seq,
            from: MemberName::parse("alice").unwrap(),
            from_incarnation: life,
            to: MemberName::parse("team-lead").unwrap(),
            to_incarnation: reminded.then_some(life),
            at: Timestamp::from_ms(seq),
            reminder: reminded.then(|| Reminder { count: 1, text: "answer".into() }),
            message: Body::Structured(message.clone()),
        };
        let text = encode(&envelope);
        let head = read(&text).unwrap();
        prop_assert_eq!(&head.id, &envelope.id);
        prop_assert_eq!((head.seq, head.at, head.from.as_ref()), (seq, envelope.at, Some(&envelope.from)));
        prop_assert_eq!((head.from_incarnation, head.to_incarnation), (life, envelope.to_incarnation));
        prop_assert_eq!(&head.reminder, &envelope.reminder);
        let RawBody::Structured(object) = head.body else { panic!("a structured message") };
        let decoded = decode_message(object, BooleanPolicy::Strict);
        prop_assert_eq!(decoded, Ok(Decoded { message, notes: vec![] }));
        prop_assert_eq!(head.notes, vec![]);
    }

    #[test]
    fn a_damaged_frame_never_panics(message in any_message(), place: prop::sample::Index, byte: u8) {
        let mut bytes = serde_json::to_vec(&message).unwrap();
        let at = place.index(bytes.len());
        bytes[at] = byte;
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(Value::Object(object)) = json::parse(&text, &Limits::default()) {
            let _any = decode_message(object, BooleanPolicy::Wide);
        }
    }
}
