//! Shutdown handshakes that did not close.

use serde_json::json;
use team_protocols::Verdict::{Accepted, Dropped, Noted, Refused, Settled};
use team_protocols::{Alarm, AskOptions, Event, Liveness, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, limits, plan, verdict};
use crate::yes_frame;

/// Report 8.
#[test]
fn idle_pings_are_no_answer_and_the_reminder_spells_one_out() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    for _ in 0..5 {
        net.advance(2_500);
        net.idle("w1");
    }
    let unanswered = net.events(LEAD).iter().all(|event| {
        !matches!(event, Event::Idle(idle) if idle.unanswered.iter().all(|r| r.as_str() != id))
    });
    assert!(unanswered, "each ping comes with what it leaves unanswered");
    net.advance(2_500);
    let again = net.network.sent_of(LEAD, "w1", "shutdown_request");
    assert_eq!(again.len(), 2);
    assert!(again[1].frame.contains(&id) && again[1].frame.contains("shutdown_response"));
    net.approve("w1", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);

    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    for _ in 0..24 {
        net.advance(2_500);
        net.idle("w1");
    }
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut, "pings hold nothing up");
}

/// Report 9.
#[test]
fn prose_is_passed_on_and_the_obligation_stays_with_its_shape() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    for _ in 0..5 {
        net.say("w1", LEAD, "fine, I'm done").unwrap();
    }
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    let hinted = net.events(LEAD).iter().filter(|event| {
        matches!(event, Event::Message(chat) if chat.unanswered.iter().any(|r| r.as_str() == id))
    });
    assert_eq!(hinted.count(), 5);
    let owed = net.engine("w1").obligations().remove(0);
    assert_eq!(owed.request.request_id.as_str(), id);
    assert_eq!(owed.time_left_ms.as_ms(), 60_000);
    let done = net.act("w1", |e, now| e.call_tool(now, &owed.approve_with)).unwrap();
    net.run_until_quiet();
    assert_eq!(done.sent, "shutdown_response", "the shape is what the tool takes");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

/// Report 10.
#[test]
fn a_hung_worker_is_given_up_and_may_come_back() {
    let mut net = Net::team(&["w1"]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(net.ask_shutdown("w1"));
        net.advance(65_000);
    }
    for id in &ids {
        assert_eq!(net.outcome(LEAD, id).status, Status::TimedOut);
    }
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim]);
    assert_eq!(net.liveness(LEAD, "w1"), Liveness::Lost);
    assert_eq!(code(&net.try_shutdown("w1", AskOptions::default())), "recipient_lost");
    let late = yes_frame(1, "w1", &ids[1], 900);
    assert_eq!(verdict(&net.send("w1", LEAD, &late)), "late");
    assert_eq!(net.alarm_count(LEAD, Alarm::LostWorkerAlive), 1);
    assert_eq!(net.outcome(LEAD, &ids[1]).status, Status::TimedOut);
}

/// Report 11.
#[test]
fn agreeing_is_not_having_left() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    net.approve("w1", &id);
    assert_eq!(net.liveness(LEAD, "w1"), Liveness::Leaving);
    assert_eq!(code(&net.say(LEAD, "w1", "one more task")), "recipient_leaving");
    net.idle("w1");
    assert_eq!(net.liveness(LEAD, "w1"), Liveness::Leaving);
    assert!(net.audit_codes(LEAD).contains_key("sign_of_life"), "audited all the same");
    net.advance(10_000);
    assert_eq!(net.alarms(LEAD), [Alarm::NotExited]);
    assert_eq!(net.ask_shutdown("w1"), id, "the first outcome, no new handshake");
}

/// Report 29.
#[test]
fn progress_extends_the_wait_up_to_the_cap() {
    let mut net = Net::team(&["w1"]);
    let id = net.submit("w1", plan(), Uses::Once);
    for _ in 0..11 {
        net.advance(50_000);
        net.act(LEAD, |e, now| e.progress(now, Some(&id), None, None)).unwrap();
        net.run_until_quiet();
    }
    assert_eq!(net.status("w1", &id), Status::Pending);
    let unknown = Frame::from_lead("w1", json!({"type": "progress", "request_id": "none"}));
    assert_eq!(verdict(&net.send(LEAD, "w1", &unknown.text())), "orphan");
    net.advance(50_000);
    assert_eq!(net.now(), 600_000);
    assert_eq!(net.outcome("w1", &id).status, Status::TimedOut);
    let late = Frame::from_lead("w1", json!({"type": "progress", "request_id": id})).seq(501);
    assert_eq!(verdict(&net.send(LEAD, "w1", &late.text())), "late");
}

/// Report 30.
#[test]
fn one_silent_worker_does_not_hold_up_the_others() {
    let mut net = Net::team(&["w1", "w2", "w3"]);
    net.network.part(LEAD, "w2");
    let ids = ["w1", "w2", "w3"].map(|worker| net.ask_shutdown(worker));
    net.approve("w1", &ids[0]);
    net.reject("w3", &ids[2], "busy");
    net.advance(65_000);
    let ends = ids.each_ref().map(|id| net.outcome(LEAD, id).status);
    assert_eq!(ends, [Status::Approved, Status::TimedOut, Status::Rejected]);
    net.advance(60_000);
    let trial = net.try_shutdown("w2", limits(60_000, None)).unwrap();
    net.advance(10_000);
    assert_eq!(net.outcome(LEAD, &trial).status, Status::TimedOut, "one probe, short limit");
    net.act(LEAD, |e, now| e.close(now));
    let told = net.events(LEAD).len();
    assert_eq!(net.engine(LEAD).poll_deadline(), None);
    net.advance(600_000);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.events(LEAD).len(), told, "no timer fires after the run");
}

/// Report 40.
#[test]
fn the_record_says_who_why_and_when() {
    let mut net = Net::team(&["w1"]);
    let id = net.ask_shutdown("w1");
    net.reject("w1", &id, "tests are writing");
    net.send("w1", LEAD, &yes_frame(1, "w1", "none", 500));
    assert_eq!(code(&net.try_shutdown("w9", AskOptions::default())), "unknown_recipient");
    net.ask_shutdown("w1");
    net.advance(60_000);
    let entries: Vec<_> = net.engine(LEAD).audit().cloned().collect();
    let told: Vec<_> = entries
        .iter()
        .filter(|entry| entry.verdict != Noted)
        .map(|entry| (entry.verdict, entry.actor.as_str(), entry.reason.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            (Accepted, "host", None),
            (Settled, "w1", Some("tests are writing")),
            (Dropped, "w1", None),
            (Refused, "host", Some("to")),
            (Accepted, "host", None),
            (Settled, "clock", None),
        ]
    );
    let receipts = entries.iter().filter(|entry| entry.message == Some("receipt")).count();
    assert_eq!(receipts, entries.len() - told.len(), "the rest is what the engine said of itself");
}
