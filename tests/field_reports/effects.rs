//! Terminal states, expiry and effects.

use serde_json::json;
use team_protocols::{AskOptions, Cause, Engine, Event, Saved, Status, Uses, Verdict};

use crate::decision;
use crate::harness::{Counting, Frame, LEAD, Net, code, name, plan, verdict};

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

/// Report 38.
#[test]
fn what_was_open_when_the_process_ended_is_open_in_the_next_one() {
    let mut net = Net::team(&["w1"]);
    let options = AskOptions { on_approved: Some("deploy".into()), ..AskOptions::default() };
    let id = net.act("w1", |e, now| e.submit_plan(now, plan(), Uses::UntilReport, options));
    let id = id.unwrap().as_str().to_owned();
    net.run_until_quiet();
    let before = net.engine("w1").request(&id).unwrap();
    let store = net.halt("w1");
    let snapshot = store.snapshot.clone().unwrap();
    net.advance(3_000);
    let ids = || Box::new(Counting { member: 1, next: 90 });
    net.go_on("w1", store, true, ids(), 0);
    let after = net.engine("w1").request(&id).unwrap();
    assert_eq!((after.request_id, after.status), (before.request_id, Status::Pending));
    assert_eq!(after.expires_at, before.expires_at, "deadlines are points in time");

    net.approve(LEAD, &id);
    assert_eq!(net.status("w1", &id), Status::Approved);
    let told = |net: &Net, wanted: fn(&Event) -> bool| net.events("w1").iter().any(wanted);
    assert!(told(&net, |event| matches!(event, Event::Work(work) if work.name == "deploy")));
    net.act("w1", |e, now| e.work_missing(now, &id, 1)).unwrap();
    assert!(told(&net, |event| matches!(event, Event::WorkMissing(_))), "a name nobody knows");

    let now = net.local("w1");
    let restore = |member: &str, snapshot: &str| {
        let saved = Saved { snapshot: Some(snapshot), journal: &net.node("w1").store.journal };
        code(&Engine::restore(now, &name(member), saved, ids()).map(drop))
    };
    assert_eq!(restore("w1", &snapshot.replace("w1", "w2")), "saved_corrupt");
    assert_eq!(restore("w2", &snapshot), "saved_foreign");
    let newer = snapshot.replacen("{\"snapshot\":1", "{\"snapshot\":9", 1);
    assert_eq!(restore("w1", &newer), "saved_newer");
    let journal = &net.node("w1").store.journal;
    let mixed = format!("{journal}{}\n", journal.lines().last().unwrap());
    let twice = Saved { snapshot: None, journal: &mixed };
    let twice = Engine::restore(now, &name("w1"), twice, ids()).map(drop);
    assert_eq!(code(&twice), "restored_twice", "two processes went on from the same state");
}
