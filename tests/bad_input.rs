//! Bad frames: each gets one typed disposition, changes nothing, and the next good one works.
//!
//! The harness compares the state hash before and after; here every row also shows that the
//! request in question is still pending, and that a good answer then settles it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "bad_input/clocks.rs"]
mod clocks;
#[path = "harness/mod.rs"]
mod harness;
#[path = "bad_input/rows.rs"]
mod rows;

use serde_json::{Value, json};
use team_protocols::{DecodeError, Disposition, Event, Incarnation, Limits, Sender, Status, Uses};

use crate::harness::{Frame, LEAD, Net, at, digest, life, plan, verdict};
use crate::rows::{ANSWERS, ENVELOPES, PLANS, REPORTS, TEXTS};

/// A team in which the lead waits for alice, with the id of its request.
fn waiting() -> (Net, String) {
    let mut net = Net::team(&["alice", "bob"]);
    net.idle("alice");
    let id = net.ask_shutdown("alice");
    net.take_events(LEAD);
    (net, id)
}

fn good(id: &str, seq: u64) -> Frame {
    let message =
        json!({"type": "shutdown_response", "request_id": id, "approve": false, "reason": "busy"});
    Frame::from_worker(1, "alice", message).seq(seq)
}

/// Sends a bad frame, then a good one.
fn expect(frame: &str, code: &str) {
    let (mut net, id) = waiting();
    expect_in(&mut net, &id, &frame.replace("$ID", &id), code);
}

fn expect_in(net: &mut Net, id: &str, frame: &str, code: &str) {
    let shown: String = frame.chars().take(200).collect();
    let (hash, sent) = (net.engine(LEAD).state_hash(), net.network.sent.len());
    let lines = |net: &Net| net.node(LEAD).store.last();
    let heard = |net: &Net| net.view(LEAD, "alice").last_heard_at;
    net.set_now(net.now() + 1);
    let before = (lines(net), heard(net));
    let disposition = net.send("alice", LEAD, frame);
    assert_eq!(verdict(&disposition), code, "{shown}");
    // Only a sign of life, and a repeat that counts towards a storm, is written down.
    let counts = heard(net) != before.1 || code == "duplicate";
    assert_eq!(lines(net) - before.0, u64::from(counts), "lines for {shown}");
    assert_eq!(net.engine(LEAD).state_hash(), hash, "{shown}");
    assert_eq!(net.network.sent.len(), sent, "nothing is answered to {shown}");
    let told = net.take_events(LEAD);
    assert!(told.iter().all(|event| matches!(event, Event::Alarm(_))), "{shown}: {told:?}");
    assert_eq!(net.status(LEAD, id), Status::Pending, "{shown}");
    let entry = net.engine(LEAD).audit().last().unwrap();
    assert_eq!(entry.code, Some(code), "{shown}");
    assert_eq!(
        verdict(&net.send("alice", LEAD, &good(id, 900).text())),
        "settled",
        "after {shown}"
    );
    assert_eq!(net.outcome(LEAD, id).status, Status::Rejected);
}

fn wire(frame: &Frame) -> String {
    frame.text()
}

#[test]
fn a_text_that_is_no_frame() {
    for (text, code) in TEXTS {
        expect(text, code);
    }
}

#[test]
fn an_envelope_with_a_fault() {
    for (field, value, code) in ENVELOPES {
        let frame = good("$ID", 500);
        let frame = match *value {
            "" => frame.without(field),
            value => frame.with(field, serde_json::from_str(value).unwrap()),
        };
        expect(&wire(&frame), code);
    }
}

#[test]
fn an_answer_with_a_fault() {
    for (message, code) in ANSWERS {
        let message: Value = serde_json::from_str(message).unwrap();
        expect(&wire(&Frame::from_worker(1, "alice", message)), code);
    }
}

#[test]
fn a_request_with_a_fault() {
    for (field, value, code) in PLANS {
        let mut message = json!({"type": "plan_approval_request", "request_id": "p-1",
                                 "plan": plan(), "uses": "once", "timeout_ms": 60_000});
        let value: Value = serde_json::from_str(value).unwrap();
        match field.strip_prefix("plan.") {
            Some(inner) => message["plan"][inner] = value,
            None => message[field] = value,
        }
        expect(&wire(&Frame::from_worker(1, "alice", message)), code);
    }
}

#[test]
fn what_belongs_to_no_request_or_comes_from_the_wrong_side() {
    for (message, code) in REPORTS {
        let message: Value = serde_json::from_str(message).unwrap();
        expect(&wire(&Frame::from_worker(1, "alice", message)), code);
    }
}

#[test]
fn a_field_of_a_plan_that_is_missing_or_too_much() {
    for field in ["title", "scope", "steps", "risk", "text"] {
        let mut plan = json!(plan());
        plan.as_object_mut().unwrap().remove(field);
        let message = json!({"type": "plan_approval_request", "request_id": "p", "plan": plan});
        expect(&wire(&Frame::from_worker(1, "alice", message)), "missing_field");
    }
}

#[test]
fn duplicate_keys_wherever_they_stand() {
    let whole = wire(&good("$ID", 500));
    expect(&whole.replacen('{', r#"{"from":"bob","#, 1), "duplicate_field");
    let inner = r#""approve":true,"approve":false"#;
    expect(&whole.replace(r#""approve":false"#, inner), "duplicate_field");
    let escaped = r#""approve":false,"\u0061pprove":true"#;
    expect(&whole.replace(r#""approve":false"#, escaped), "duplicate_field");
}

#[test]
fn what_is_too_deep_too_wide_or_too_long() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    expect(&deep, "too_deep");
    let nested = wire(&good("$ID", 500)).replace("\"busy\"", &deep);
    expect(&nested, "too_deep");
    let wide = format!("[{}1]", "1,".repeat(2_000));
    expect(&wide, "too_many_items");
    expect(&"x".repeat(10_000_000), "too_large");
    let long = wire(&good("$ID", 500)).replace("busy", &"x".repeat(10_000_000));
    expect(&long, "too_large");
    let reason = wire(&good("$ID", 500)).replace("busy", &"x".repeat(300_000));
    expect(&reason, "text_too_long");
    let chat = Frame::from_worker(1, "alice", json!("x".repeat(300_000)));
    expect(&wire(&chat), "text_too_long");
}

#[test]
fn half_characters_and_invisible_ones() {
    let reason = |text: &str| wire(&good("$ID", 500)).replace("busy", text);
    for half in [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\ud800", r"\udbff\u0041"] {
        expect(&reason(half), "lone_surrogate");
        expect(&wire(&good(&format!("$ID{half}"), 500)).replace("\\\\u", "\\u"), "lone_surrogate");
    }
    expect(&reason("a\0b"), "not_json");
    expect(&reason("a\nb"), "not_json");
    for blank in [r"\u0000", r"\u200b", r"\ufeff\u00a0", " ", ""] {
        expect(&reason(blank), "reason_required");
    }
}

#[test]
fn what_is_odd_and_allowed() {
    let (mut net, id) = waiting();
    let odd = good(&id, 500).with("__proto__", json!({"approve": true}));
    let odd = odd.message("constructor", json!("x")).message("reason", json!("a\0b 😀 请"));
    assert_eq!(verdict(&net.send("alice", LEAD, &wire(&odd))), "settled");
    assert_eq!(net.outcome(LEAD, &id).reason.as_deref(), Some("a\0b 😀 请"));
    let marks: Vec<_> = net.engine(LEAD).audit().last().unwrap().marks.clone();
    assert_eq!(marks, ["unknown_field", "unknown_field"]);
}

#[test]
fn a_boolean_in_quotes_is_read_by_one_policy_and_recorded() {
    for (written, approves) in [("True ", true), ("FALSE", false), ("\ttrue\n", true)] {
        let (mut net, id) = waiting();
        let frame = good(&id, 500).message("approve", json!(written));
        assert_eq!(verdict(&net.send("alice", LEAD, &wire(&frame))), "settled", "{written:?}");
        let status = if approves { Status::Approved } else { Status::Rejected };
        assert_eq!(net.outcome(LEAD, &id).status, status, "{written:?}");
        let settled =
            net.engine(LEAD).audit().find(|entry| entry.status == Some(status)).unwrap().clone();
        assert_eq!(settled.marks, ["coerced"]);
    }
    let mut net = Net::with(&["alice"], |config| {
        config.booleans = team_protocols::BooleanPolicy::Strict;
    });
    let id = net.ask_shutdown("alice");
    expect_in(
        &mut net,
        &id,
        &wire(&good(&id, 500).message("approve", json!("true"))),
        "invalid_boolean",
    );
}

#[test]
fn an_answer_from_or_to_the_wrong_member_or_life() {
    let (mut net, id) = waiting();
    let from_bob = Frame::from_worker(2, "bob", good(&id, 0).0["message"].clone());
    assert_eq!(verdict(&net.send("bob", LEAD, &wire(&from_bob))), "wrong_responder");
    assert_eq!(verdict(&net.send("alice", "bob", &wire(&good(&id, 500)))), "misaddressed");
    let to_bob = good(&id, 501).with("to", json!("bob"));
    assert_eq!(verdict(&net.send("alice", "bob", &wire(&to_bob))), "response_not_to_lead");
    expect_in(&mut net, &id, &wire(&to_bob), "misaddressed");

    for (field, life, code) in [
        ("from_incarnation", Incarnation::new(at(0), 0), "stale_incarnation"),
        ("from_incarnation", Incarnation::new(at(9), 1), "unannounced_life"),
        ("to_incarnation", Incarnation::new(at(0), 9), "stale_incarnation"),
        ("to_incarnation", life(1), "stale_incarnation"),
    ] {
        let (mut net, id) = waiting();
        let frame = good(&id, 500).with(field, json!(life.to_string()));
        expect_in(&mut net, &id, &wire(&frame), code);
    }
}

#[test]
fn an_answer_of_the_wrong_kind() {
    let (mut net, id) = waiting();
    let message = json!({"type": "plan_approval_response", "request_id": id, "approve": true,
                         "digest": digest(&plan(), Uses::Once)});
    expect_in(&mut net, &id, &wire(&Frame::from_worker(1, "alice", message)), "not_allowed");
}

#[test]
fn who_sent_it_is_the_channel_s_word() {
    for (sender, code) in [
        (Sender::Unknown, "unidentified"),
        (Sender::Channel("bob"), "forged"),
        (Sender::Channel(LEAD), "forged"),
        (Sender::Channel("mallory"), "unknown_sender"),
        (Sender::Channel(""), "unknown_sender"),
        (Sender::Channel("alice\n"), "unknown_sender"),
    ] {
        let (mut net, id) = waiting();
        let disposition = net.deliver(LEAD, &wire(&good(&id, 500)), sender);
        assert_eq!(verdict(&disposition), code, "{sender:?}");
        assert_eq!(verdict(&net.send("alice", LEAD, &wire(&good(&id, 500)))), "settled");
    }
}

#[test]
fn what_the_binding_could_not_even_hand_over() {
    let (mut net, id) = waiting();
    let hash = net.engine(LEAD).state_hash();
    let bytes = usize::MAX;
    let error = DecodeError::TooLarge { bytes, limit: Limits::default().frame_bytes };
    let refused =
        net.act(LEAD, |e, now| e.handle_undecodable(now, error, Sender::Channel("alice")));
    assert_eq!(verdict(&refused), "too_large");
    assert_eq!(net.engine(LEAD).state_hash(), hash);
    assert_eq!(net.engine(LEAD).audit().last().unwrap().actor, "alice");
    assert_eq!(verdict(&net.send("alice", LEAD, &wire(&good(&id, 500)))), "settled");
}

/// Every prefix of a good frame, and every frame with one byte changed: nothing panics, and
/// nothing but the real thing approves.
#[test]
fn a_damaged_frame_never_approves() {
    let (mut net, id) = waiting();
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    let whole = Frame::from_worker(1, "alice", message).text();
    for end in 0..whole.len() {
        let disposition = net.send("alice", LEAD, &whole[..end]);
        assert_eq!(verdict(&disposition), "not_json", "{}", &whole[..end]);
    }
    let mut random = harness::Random::new(11);
    for round in 0..4_000_u64 {
        let mut bytes = whole.clone().into_bytes();
        let place = random.below(bytes.len() as u64) as usize;
        bytes[place] = b' ' + random.below(95) as u8;
        let damaged = String::from_utf8(bytes).unwrap();
        if damaged == whole {
            continue;
        }
        let (mut net, id) = if round % 50 == 0 { waiting() } else { continue_with(&id) };
        let disposition = net.send("alice", LEAD, &damaged);
        if net.status(LEAD, &id) == Status::Approved {
            assert!(matches!(disposition, Disposition::Settled(_)));
            assert!(damaged.contains("\"approve\":true"), "{damaged}");
            assert!(damaged.contains(&format!("\"request_id\":\"{id}\"")), "{damaged}");
        }
    }
}

fn continue_with(id: &str) -> (Net, String) {
    let (net, fresh) = waiting();
    assert_eq!(fresh, id, "ids count from the same place");
    (net, fresh)
}
