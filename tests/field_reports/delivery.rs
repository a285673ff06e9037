//! Lost updates and broadcasts.

use serde_json::json;
use team_protocols::{AskOptions, Event, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, plan, verdict, yes};

/// Report 19.
#[test]
fn a_decision_reaches_a_worker_that_has_gone_idle() {
    for approve in [true, false] {
        let mut net = Net::team(&["w1"]);
        let id = net.submit("w1", plan(), Uses::Once);
        net.idle("w1");
        net.advance(30_000);
        let mut answer = yes();
        answer.approve = approve;
        answer.reason = Some("because".to_owned());
        net.answer(LEAD, &id, answer).unwrap();
        let woken = net.events("w1").iter().filter(|e| matches!(e, Event::Settled(_))).count();
        assert_eq!(woken, 1);
        let outcome = net.outcome("w1", &id);
        assert_eq!(outcome.status, if approve { Status::Approved } else { Status::Rejected });
        assert_eq!(outcome.reason.as_deref(), Some("because"));
        assert_eq!(net.status("w1", &id), outcome.status, "also for who polls");
    }
}

/// Report 24.
#[test]
fn an_answer_that_was_lost_is_asked_for_and_given_again() {
    let mut net = Net::team(&["w1", "w2"]);
    let (r1, r2) = (net.ask_shutdown("w1"), net.ask_shutdown("w2"));
    net.approve("w1", &r1);
    net.network.cut("w2", LEAD);
    net.approve("w2", &r2);
    net.network.heal();
    assert_eq!(net.outcome(LEAD, &r1).status, Status::Approved);
    assert_eq!(net.status(LEAD, &r2), Status::Pending);
    net.network.weather.duplication = 1_000;
    net.advance(15_000);
    assert_eq!(net.outcome(LEAD, &r2).status, Status::Approved);
    assert_eq!(net.asked("w2"), 1, "from its own record");
    let answers: Vec<_> = net.network.verdicts("w2", LEAD);
    assert!(answers.contains(&"settled"), "{answers:?}");
    assert!(answers.iter().filter(|v| **v == "duplicate").count() >= 1, "{answers:?}");
}

/// Report 27.
#[test]
fn a_typed_message_is_for_one_member() {
    let mut net = Net::team(&["w1", "w2"]);
    let all = net.act(LEAD, |e, now| e.request_shutdown(now, "*", None, AskOptions::default()));
    assert_eq!(code(&all), "broadcast");
    assert_eq!(net.network.sent.len(), 0, "before anything is sent");
    for (seq, message) in (500..).zip([
        json!({"type": "shutdown_request", "request_id": "r"}),
        json!({"type": "idle"}),
        json!({"type": "cancel", "request_id": "r"}),
    ]) {
        let frame = Frame::from_lead("*", message).seq(seq).text();
        assert_eq!(verdict(&net.send(LEAD, "w1", &frame)), "broadcast_frame");
    }
    assert_eq!(net.events("w1"), []);
}
