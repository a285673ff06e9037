//! What can be read: the team, what is owed, the audit.

use serde_json::Value;
use team_protocols::{
    Alarm, AuditEntry, Cause, Kind, Liveness, Millis, Role, SectionPolicy, Status, Uses, Verdict,
};

use crate::harness::{Frame, LEAD, Net, at, code, no, plan, yes};

#[test]
fn one_call_shows_every_member_with_what_is_open_both_ways() {
    let mut net = Net::team(&["alice", "bob"]);
    net.advance(1_000);
    let shutdown = net.ask_shutdown("alice");
    net.advance(1_000);
    let plan_id = net.submit("alice", plan(), Uses::Once);
    let team = net.engine(LEAD).team();
    let names: Vec<_> = team.iter().map(|m| (m.name.as_str(), m.role, m.me)).collect();
    let expected =
        [(LEAD, Role::Lead, true), ("alice", Role::Worker, false), ("bob", Role::Worker, false)];
    assert_eq!(names, expected);
    let alice = &team[1];
    assert_eq!(alice.liveness, Liveness::Active);
    assert_eq!(alice.incarnation, Some(crate::harness::life(1)));
    assert_eq!(alice.last_heard_at, Some(at(2_000)));
    assert_eq!(alice.waiting_since, Some(at(1_000)));
    assert_eq!(alice.asked[0].request_id.as_str(), shutdown);
    assert_eq!(alice.asked[0].expires_at, Some(at(61_000)));
    assert_eq!(alice.owed[0].request_id.as_str(), plan_id);
    assert_eq!(alice.owed[0].kind, Kind::PLAN_APPROVAL);
    assert_eq!(team[2].incarnation, None, "bob has not spoken yet");
    assert_eq!(team[2].waiting_since, None);
    assert_eq!(team[2].last_heard_at, None);
}

#[test]
fn approved_work_is_open_and_nobody_waits_for_a_decision() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    let alice = net.view(LEAD, "alice");
    assert_eq!(alice.owed[0].status, Status::Approved);
    assert_eq!(alice.waiting_since, None);
    net.report("alice", &id, true).unwrap();
    assert_eq!(net.view(LEAD, "alice").owed, []);
    assert_eq!(net.view("alice", LEAD).asked, []);
}

#[test]
fn what_is_owed_comes_with_the_exact_answers() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(10_000);
    net.act("alice", team_protocols::Engine::handle_deadline);
    let owed = net.engine("alice").obligations();
    assert_eq!(owed.len(), 1);
    assert_eq!(owed[0].time_left_ms, Millis::new(50_000));
    assert!(!owed[0].deferred);
    let approve: Value = serde_json::from_str(&owed[0].approve_with).unwrap();
    let expected = serde_json::json!({"to": LEAD, "message":
        {"type": "shutdown_response", "request_id": id, "approve": true}});
    assert_eq!(approve, expected);
    let reject: Value = serde_json::from_str(&owed[0].reject_with).unwrap();
    assert_eq!(reject["message"]["approve"], false);
    assert!(reject["message"]["reason"].is_string());
    net.reject("alice", &id, "busy");
    assert_eq!(net.engine("alice").obligations(), []);
}

#[test]
fn obligations_come_oldest_first() {
    let mut net = Net::team(&["alice", "bob"]);
    let mut expected = Vec::new();
    for (who, scope) in [("bob", "write:a"), ("alice", "write:b"), ("bob", "write:c")] {
        expected.push(net.submit(who, crate::harness::scoped(&[scope]), Uses::Once));
        net.advance(10);
    }
    let owed = net.engine(LEAD).obligations();
    let ids: Vec<_> = owed.iter().map(|o| o.request.request_id.as_str()).collect();
    assert_eq!(ids, expected);
}

fn last(net: &Net, own: &str, verdict: Verdict) -> AuditEntry {
    net.engine(own).audit().filter(|entry| entry.verdict == verdict).last().unwrap().clone()
}

#[test]
fn a_decision_leaves_an_entry_on_both_sides_with_who_and_why() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let accepted = last(&net, LEAD, Verdict::Accepted);
    assert_eq!(accepted.actor, "host");
    assert_eq!(accepted.status, Some(Status::Pending));
    let received = last(&net, "alice", Verdict::Accepted);
    assert_eq!(received.actor, LEAD);
    net.reject("alice", &id, "tests are writing");
    let answered = last(&net, "alice", Verdict::Answered);
    assert_eq!((answered.actor.as_str(), answered.was), ("host", Some(Status::Pending)));
    let settled = last(&net, LEAD, Verdict::Settled);
    assert_eq!(settled.actor, "alice");
    assert_eq!(settled.cause, Some(Cause::Member));
    for entry in [answered, settled] {
        assert_eq!(entry.request_id.unwrap().as_str(), id);
        assert_eq!(entry.kind, Some(Kind::SHUTDOWN));
        assert_eq!(entry.reason.as_deref(), Some("tests are writing"));
        assert_eq!(entry.status, Some(Status::Rejected));
        assert_eq!(entry.from.unwrap().as_str(), LEAD);
        assert_eq!(entry.to.unwrap().as_str(), "alice");
    }
}

#[test]
fn a_timeout_is_the_clock_s_and_nobody_s_decision() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    net.advance(60_000);
    let settled = last(&net, LEAD, Verdict::Settled);
    assert_eq!((settled.actor.as_str(), settled.cause), ("clock", Some(Cause::Clock)));
    assert_eq!(settled.code, Some("TIMEOUT_REJECTED"));
    assert_eq!(settled.at, at(60_000));
}

#[test]
fn drops_name_the_frame_and_refused_calls_the_fault() {
    let mut net = Net::team(&["alice"]);
    let message = serde_json::json!(
        {"type": "shutdown_response", "request_id": "r-9", "approve": true});
    net.send("alice", LEAD, &Frame::from_worker(1, "alice", message).text());
    let dropped = last(&net, LEAD, Verdict::Dropped);
    assert_eq!((dropped.actor.as_str(), dropped.code), ("alice", Some("orphan")));
    assert_eq!(dropped.request_id.unwrap().as_str(), "r-9");
    assert_eq!(dropped.message, Some("shutdown_response"));
    assert_eq!(dropped.from.unwrap().as_str(), "alice");
    assert_eq!(dropped.to.unwrap().as_str(), LEAD);

    let id = net.ask_shutdown("alice");
    assert_eq!(code(&net.answer("alice", &id, no(" "))), "reason_required");
    let refused = last(&net, "alice", Verdict::Refused);
    assert_eq!((refused.actor.as_str(), refused.code), ("host", Some("reason_required")));
    assert_eq!(refused.request_id.unwrap().as_str(), id);
    assert_eq!(refused.reason.as_deref(), Some("message.reason"));
}

#[test]
fn a_section_s_answer_and_every_alarm_are_marked_as_such() {
    let mut net = Net::team(&["alice"]);
    let section = net.enter_section("alice", "tests", None, SectionPolicy::Reject);
    net.ask_shutdown("alice");
    assert_eq!(last(&net, "alice", Verdict::Answered).marks, ["critical_section"]);
    net.leave_section("alice", section);
    let id = net.ask_shutdown("alice");
    net.answer("alice", &id, yes()).unwrap();
    net.advance(10_000);
    let alarm = last(&net, LEAD, Verdict::Alarm);
    assert_eq!((alarm.actor.as_str(), alarm.code), ("clock", Some(Alarm::NotExited.name())));
    assert_eq!(alarm.request_id.unwrap().as_str(), id);
}

#[test]
fn entries_are_bounded_and_their_numbers_go_on() {
    let mut net = Net::with(&["alice"], |config| config.limits.audit_entries = 4);
    for _ in 0..10 {
        net.idle("alice");
    }
    let seqs: Vec<_> = net.engine(LEAD).audit().map(|entry| entry.seq).collect();
    assert_eq!(seqs, [7, 8, 9, 10]);
    let line = net.engine(LEAD).audit().last().unwrap().to_json();
    let entry: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(entry["seq"], 10);
    assert_eq!(entry["verdict"], "noted");
    assert_eq!(entry["message"], "idle");
}

#[test]
fn the_same_inputs_give_the_same_state() {
    let play = |reason: &str| {
        let mut net = Net::team(&["alice"]);
        let id = net.submit("alice", plan(), Uses::Once);
        net.approve(LEAD, &id);
        let id = net.ask_shutdown("alice");
        net.reject("alice", &id, reason);
        [LEAD, "alice"].map(|own| net.engine(own).state_hash().to_string())
    };
    assert_eq!(play("busy"), play("busy"));
    assert_ne!(play("busy"), play("busy."));
}
