//! Terminal states, expiry and effects.

use serde_json::json;
use team_protocols::{Cause, Event, Status, Uses, Verdict};

use crate::decision;
use crate::harness::{Frame, LEAD, Net, code, plan, verdict};

/// Report 31.
#[test]
fn silence_is_nobody_s_consent() {
    let mut net = Net::team(&["w1"]);
    let id = net.submit("w1", plan(), Uses::UntilReport);
    net.advance(60_000);
    let outcome = net.outcome("w1", &id);
    assert_eq!((outcome.status, outcome.cause, outcome.by), (Status::TimedOut, Cause::Clock, None));
    assert_eq!(code(&net.enter_gate("w1", "write:src/a")), "gate_no_plan");
    for own in [LEAD, "w1"] {
        let decided = net
            .engine(own)
            .audit()
            .any(|entry| matches!(entry.status, Some(Status::Approved | Status::Rejected)));
        assert!(!decided, "{own} recorded a decision that nobody made");
    }
    let settled = net.engine("w1").audit().find(|e| e.verdict == Verdict::Settled).unwrap();
    assert_eq!(settled.actor, "clock");
}

/// Report 34.
#[test]
fn what_has_ended_is_not_moved_by_a_late_update() {
    let mut net = Net::team(&["w1", "w2"]);
    let id = net.submit("w1", plan(), Uses::UntilReport);
    let approve = decision(&id, true, 500);
    assert_eq!(verdict(&net.send(LEAD, "w1", &approve.text())), "settled");
    assert_eq!(code(&net.cancel("w1", &id)), "not_pending");
    for (seq, message, expected) in [
        (501, json!({"type": "progress", "request_id": id}), "late"),
        (
            502,
            json!({"type": "settled", "request_id": id, "status": "timed_out", "cause": "clock"}),
            "orphan",
        ),
        (503, json!({"type": "cancel", "request_id": id}), "orphan"),
    ] {
        let frame = Frame::from_lead("w1", message).seq(seq).text();
        assert_eq!(verdict(&net.send(LEAD, "w1", &frame)), expected);
    }
    assert_eq!(net.outcome("w1", &id).status, Status::Approved);

    let id = net.ask_shutdown("w1");
    net.cancel(LEAD, &id).unwrap();
    let told = net.events(LEAD).len();
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(net.events(LEAD).len(), told, "a second withdrawal is no event");
    let id = net.ask_shutdown("w1");
    let foreign = Frame::from_worker(2, "w2", json!({"type": "cancel", "request_id": id}));
    assert_eq!(verdict(&net.send("w2", LEAD, &foreign.text())), "orphan");
    assert_eq!(code(&net.cancel("w2", &id)), "unknown_request");
    assert_eq!(net.status(LEAD, &id), Status::Pending);
}

/// Report 35.
#[test]
fn one_approval_lets_one_piece_of_work_start() {
    let mut net = Net::team(&["w1"]);
    let id = net.submit("w1", plan(), Uses::Once);
    net.approve(LEAD, &id);
    let twice = net.network.sent_of(LEAD, "w1", "plan_approval_response")[0].frame.clone();
    assert_eq!(verdict(&net.send(LEAD, "w1", &twice)), "duplicate");
    let settled = net.events("w1").iter().filter(|e| matches!(e, Event::Settled(_))).count();
    assert_eq!(settled, 1);
    let (permit, _) = net.enter_gate("w1", "write:src/a").unwrap();
    assert_eq!(code(&net.enter_gate("w1", "write:src/a")), "gate_spent");
    net.start_failed("w1", permit).unwrap();
    net.enter_gate("w1", "write:src/a").unwrap();
    assert_eq!(net.status("w1", &id), Status::Approved, "a failed start costs no approval");
}

/// Report 38.
#[test]
fn an_approval_of_what_is_not_known_here_opens_nothing_and_says_why() {
    let mut net = Net::team(&["w1"]);
    let unknown = decision("req_from_before_the_restart", true, 500);
    assert_eq!(verdict(&net.send(LEAD, "w1", &unknown.text())), "orphan");
    let dropped = net.engine("w1").audit().last().unwrap();
    assert_eq!(dropped.request_id.as_ref().unwrap().as_str(), "req_from_before_the_restart");
    assert_eq!(code(&net.enter_gate("w1", "write:src/a")), "gate_no_plan");
}
