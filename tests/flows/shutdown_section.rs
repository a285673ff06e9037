//! Critical sections answer for a busy worker.

use team_protocols::{Event, Liveness, Millis, SectionPolicy, Status};

use crate::harness::{LEAD, Net, code, no, yes};

#[test]
fn a_critical_section_refuses_for_the_worker_with_its_name_and_end() {
    let mut net = Net::team(&["alice"]);
    let section =
        net.enter_section("alice", "database migration", Some(10_000), SectionPolicy::Reject);
    net.advance(2_000);
    let id = net.ask_shutdown("alice");
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::Rejected);
    assert_eq!(outcome.retry_after_ms, Some(Millis::new(8_000)));
    assert!(outcome.reason.unwrap().contains("`database migration`"));
    assert_eq!(net.asked("alice"), 0, "the host is not bothered");
    assert_eq!(net.engine("alice").obligations(), []);

    net.leave_section("alice", section);
    let again = net.ask_shutdown("alice");
    net.approve("alice", &again);
    assert_eq!(net.outcome(LEAD, &again).status, Status::Approved);
}

#[test]
fn a_deferring_section_holds_the_request_back_and_the_deadline_open() {
    let mut net = Net::team(&["alice"]);
    let section = net.enter_section("alice", "tests", Some(90_000), SectionPolicy::Defer);
    let id = net.ask_shutdown("alice");
    assert_eq!(net.asked("alice"), 0);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    let told = net.events(LEAD).iter().any(|event| {
        matches!(event, Event::Progress(p) if p.note.as_deref().is_some_and(|n| n.contains("tests")))
    });
    assert!(told, "the lead learns what holds the request back");
    net.advance(90_000);
    assert_eq!(net.status(LEAD, &id), Status::Pending, "each reminder was answered with progress");
    net.leave_section("alice", section);
    assert_eq!(net.asked("alice"), 1);
    net.approve("alice", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn a_deferred_request_still_ends_at_its_cap() {
    let mut net = Net::team(&["alice"]);
    net.enter_section("alice", "tests", None, SectionPolicy::Defer);
    let id = net.ask_shutdown("alice");
    net.advance(599_999);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(net.status("alice", &id), Status::TimedOut);
    assert_eq!(net.engine("alice").obligations(), []);
}

#[test]
fn a_deferred_request_is_an_obligation_that_the_host_may_refuse_and_not_approve() {
    let mut net = Net::team(&["alice"]);
    let section = net.enter_section("alice", "tests", Some(5_000), SectionPolicy::Defer);
    let id = net.ask_shutdown("alice");
    let obligations = net.engine("alice").obligations();
    assert_eq!(obligations.len(), 1);
    assert!(obligations[0].deferred);
    assert_eq!(code(&net.answer("alice", &id, yes())), "in_critical_section");
    net.answer("alice", &id, no("not today")).unwrap();
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected);
    net.leave_section("alice", section);
    assert_eq!(net.asked("alice"), 0, "it was answered");
}

#[test]
fn nobody_agrees_to_leave_in_a_critical_section() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let section = net.enter_section("alice", "tests", Some(5_000), SectionPolicy::Defer);
    assert_eq!(code(&net.answer("alice", &id, yes())), "in_critical_section");
    assert_eq!(code(&net.exit("alice")), "in_critical_section");
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    assert_eq!(net.engine("alice").presence(), Liveness::Active);
    net.leave_section("alice", section);
    assert_eq!(net.asked("alice"), 2, "the request comes up again");
    net.approve("alice", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn a_section_answers_what_waits_for_the_host_already() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.enter_section("alice", "tests", Some(5_000), SectionPolicy::Reject);
    net.run_until_quiet();
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::Rejected);
    assert_eq!(outcome.retry_after_ms, Some(Millis::new(5_000)));
    assert_eq!(code(&net.answer("alice", &id, yes())), "in_critical_section");
}

#[test]
fn sections_nest_and_the_last_one_out_lets_the_request_through() {
    let mut net = Net::team(&["alice"]);
    let outer = net.enter_section("alice", "outer", Some(60_000), SectionPolicy::Defer);
    let inner = net.enter_section("alice", "inner", None, SectionPolicy::Defer);
    net.ask_shutdown("alice");
    net.leave_section("alice", inner);
    assert_eq!(net.asked("alice"), 0);
    assert_eq!(net.engine("alice").sections().collect::<Vec<_>>(), ["outer"]);
    net.leave_section("alice", outer);
    assert_eq!(net.asked("alice"), 1);
}

#[test]
fn one_section_that_refuses_outweighs_one_that_defers() {
    let mut net = Net::team(&["alice"]);
    net.enter_section("alice", "soft", Some(60_000), SectionPolicy::Defer);
    net.enter_section("alice", "hard", Some(30_000), SectionPolicy::Reject);
    let id = net.ask_shutdown("alice");
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::Rejected);
    assert_eq!(outcome.retry_after_ms, Some(Millis::new(60_000)), "both must be over");
}

#[test]
fn a_section_is_left_once_and_needs_a_name() {
    let mut net = Net::team(&["alice"]);
    let section = net.enter_section("alice", "tests", None, SectionPolicy::Reject);
    net.leave_section("alice", section);
    let twice = net.act("alice", |e, now| e.leave_section(now, section));
    assert_eq!(code(&twice), "unknown_section");
    let blank = net.act("alice", |e, now| e.enter_section(now, " ", None, SectionPolicy::Reject));
    assert_eq!(code(&blank), "blank");
    for _ in 0..64 {
        net.enter_section("alice", "tests", None, SectionPolicy::Reject);
    }
    let more = net.act("alice", |e, now| e.enter_section(now, "x", None, SectionPolicy::Reject));
    assert_eq!(code(&more), "too_many_sections");
}

#[test]
fn a_section_that_refuses_also_answers_what_another_holds_back() {
    let mut net = Net::team(&["alice"]);
    net.enter_section("alice", "soft", Some(60_000), SectionPolicy::Defer);
    let id = net.ask_shutdown("alice");
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.enter_section("alice", "hard", Some(5_000), SectionPolicy::Reject);
    net.run_until_quiet();
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected);
}
