//! Orphan, stale and misaddressed answers; ids.

use serde_json::json;
use team_protocols::{Incarnation, Liveness, Status, Uses};

use crate::harness::{Frame, LEAD, Net, at, code, config, plan, scoped, verdict, yes};
use crate::{tool, yes_frame};

/// Report 1.
#[test]
fn an_approval_nobody_asked_for_ends_nobody() {
    let mut net = Net::team(&["w1"]);
    for seq in 500..504 {
        assert_eq!(
            verdict(&net.send("w1", LEAD, &yes_frame(1, "w1", "none-given", seq))),
            "orphan"
        );
    }
    assert_eq!(net.events(LEAD), []);
    assert_eq!(net.engine(LEAD).presence(), Liveness::Active);
    assert_eq!(net.audit_codes(LEAD)["orphan"], 4);
    let id = net.ask_shutdown("w1");
    assert_eq!(verdict(&net.send("w1", LEAD, &yes_frame(1, "w1", &id, 504))), "settled");
    assert_eq!(net.outcome(LEAD, &id).to.as_str(), "w1");
    assert_eq!(net.engine(LEAD).presence(), Liveness::Active, "the target leaves, never the lead");
}

/// Report 2.
#[test]
fn an_old_shutdown_request_does_not_reach_a_respawned_namesake() {
    let mut net = Net::team(&["builder"]);
    net.idle("builder");
    let id = net.ask_shutdown("builder");
    let stored = net.network.sent_of(LEAD, "builder", "shutdown_request")[0].frame.clone();
    net.approve("builder", &id);
    net.exit("builder").unwrap();
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);

    net.advance(1_000);
    let second = Incarnation::new(at(1_000), 2);
    let own = team_protocols::Config { incarnation: second, ..config(&["builder"], "builder") };
    net.respawn("builder", own);
    net.act(LEAD, |e, now| e.announce(now, "builder", second)).unwrap();
    assert_eq!(verdict(&net.send(LEAD, "builder", &stored)), "stale_incarnation");
    assert_eq!(net.engine("builder").obligations(), []);
    let old_answer = yes_frame(1, "builder", &id, 600);
    assert_eq!(verdict(&net.send("builder", LEAD, &old_answer)), "stale_incarnation");
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    let new_answer = Frame::new("builder", second, LEAD, message).text();
    assert_eq!(verdict(&net.send("builder", LEAD, &new_answer)), "orphan");
    assert_eq!(net.liveness(LEAD, "builder"), Liveness::Active);
}

/// Report 4.
#[test]
fn two_members_with_the_same_id_get_their_own_answers() {
    let mut net = Net::team(&["a", "b"]);
    let ask = |seq: u64, place: u64, from: &str| {
        let message = json!({"type": "plan_approval_request", "request_id": "7",
                             "plan": scoped(&[&format!("write:{from}")])});
        Frame::from_worker(place, from, message).seq(seq).text()
    };
    assert_eq!(verdict(&net.send("a", LEAD, &ask(1, 1, "a"))), "accepted");
    assert_eq!(verdict(&net.send("b", LEAD, &ask(1, 2, "b"))), "accepted");
    assert_eq!(code(&net.answer(LEAD, "7", yes())), "ambiguous_prefix");
    let cancel = Frame::from_worker(1, "a", json!({"type": "cancel", "request_id": "7"})).seq(2);
    assert_eq!(verdict(&net.send("a", LEAD, &cancel.text())), "settled");
    net.answer(LEAD, "7", yes()).unwrap();
    assert_eq!(net.network.talk(LEAD, "a"), [] as [&str; 0]);
    assert_eq!(net.network.talk(LEAD, "b"), ["plan_approval_response"]);
    let other = Frame::from_worker(
        2,
        "b",
        json!({"type": "plan_approval_request",
        "request_id": "7", "plan": scoped(&["delete:b"])}),
    );
    assert_eq!(verdict(&net.send("b", LEAD, &other.seq(3).text())), "id_reused");
}

/// Report 5.
#[test]
fn an_id_that_came_back_as_a_number_is_not_matched() {
    let mut net = Net::team(&["w1"]);
    let ask = json!({"type": "plan_approval_request", "request_id": "1", "plan": plan()});
    net.send("w1", LEAD, &Frame::from_worker(1, "w1", ask).text());
    for (seq, id, expected) in [(501, json!(1), "wrong_type"), (502, json!("1"), "settled")] {
        let cancel = Frame::from_worker(1, "w1", json!({"type": "cancel", "request_id": id}));
        assert_eq!(verdict(&net.send("w1", LEAD, &cancel.seq(seq).text())), expected);
    }
    let own = net.ask_shutdown("w1");
    assert!(own.parse::<f64>().is_err(), "our ids are no numbers in any language");
}

/// Report 6.
#[test]
fn an_answer_without_an_id_is_refused_with_what_is_open() {
    let mut net = Net::team(&["w1"]);
    let r1 = net.submit("w1", scoped(&["write:a"]), Uses::Once);
    let r2 = net.submit("w1", scoped(&["write:b"]), Uses::Once);
    assert_ne!(r1, r2);
    let bare = json!({"to": "w1", "message": {"type": "plan_approval_response", "approve": true}});
    let refused = tool(&mut net, LEAD, bare);
    assert_eq!(code(&refused), "request_id_missing");
    let shown = format!("{:?}", refused.unwrap_err());
    assert!(shown.contains(&r1) && shown.contains(&r2), "{shown}");
    assert_eq!(net.status("w1", &r1), Status::Pending);
    let named = json!({"to": "w1", "message":
        {"type": "plan_approval_response", "request_id": r2, "approve": true}});
    tool(&mut net, LEAD, named).unwrap();
    assert_eq!(net.outcome("w1", &r2).status, Status::Approved);
    assert_eq!(net.status("w1", &r1), Status::Pending);
}

/// Report 22.
#[test]
fn a_quoted_false_never_approves_and_a_quoted_true_is_read_by_one_policy() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    let answer = |value: serde_json::Value, seq: u64| {
        let message = json!({"type": "shutdown_response", "request_id": id, "approve": value});
        Frame::from_worker(1, "w1", message).seq(seq).text()
    };
    for (seq, value, expected) in [
        (500, json!("false"), "reason_required"),
        (501, json!(1), "invalid_boolean"),
        (502, json!("yes"), "invalid_boolean"),
        (503, json!("1"), "invalid_boolean"),
        (504, json!(null), "invalid_boolean"),
    ] {
        assert_eq!(
            verdict(&net.send("w1", LEAD, &answer(value.clone(), seq))),
            expected,
            "{value}"
        );
        assert_eq!(net.status(LEAD, &id), Status::Pending);
    }
    assert_eq!(verdict(&net.send("w1", LEAD, &answer(json!("true"), 505))), "settled");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

/// Report 23.
#[test]
fn an_answer_in_a_string_is_unwrapped_once_for_a_model_and_prose_is_no_verdict() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    let inner = json!({"type": "shutdown_response", "request_id": id, "approve": false,
                       "reason": "busy"});
    // On the wire a string is chat, whatever it looks like.
    let chat = Frame::from_worker(1, "w1", json!(inner.to_string())).text();
    assert_eq!(verdict(&net.send("w1", LEAD, &chat)), "chat");
    assert_eq!(verdict(&net.send("w1", LEAD, "{\"message\":\"broken")), "not_json");
    let untyped = Frame::from_worker(1, "w1", json!({"request_id": id, "approve": true}));
    let untyped = untyped.seq(501);
    assert_eq!(verdict(&net.send("w1", LEAD, &untyped.text())), "missing_field");
    assert_eq!(verdict(&net.send("w1", LEAD, &untyped.text())), "duplicate", "told once");
    net.say("w1", LEAD, "I disapprove of approving this").unwrap();
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    let done = tool(&mut net, "w1", json!({"to": LEAD, "message": inner.to_string()})).unwrap();
    assert!(done.notes.contains(&"unwrapped"), "{:?}", done.notes);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected);
    let twice = json!(inner.to_string()).to_string();
    let again = net.ask_shutdown("w1");
    let refused = tool(&mut net, "w1", json!({"to": LEAD, "message": twice}));
    assert_eq!(code(&refused), "nested_too_often");
    assert_eq!(net.status(LEAD, &again), Status::Pending);
}
