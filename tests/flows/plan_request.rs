//! The lead asks for a plan: the worker is gated until one is approved.

use serde_json::json;
use team_protocols::{Details, Status, Uses};

use crate::harness::{LEAD, Net, code, payload, plan, scoped};

fn asked(net: &mut Net) -> String {
    let task = payload(&json!({"task": "move the parser"}));
    net.ask_for(LEAD, "plan_request", "alice", task).unwrap()
}

#[test]
fn a_worker_told_to_plan_is_gated_until_its_plan_is_approved() {
    let mut net = Net::team(&["alice"]);
    let before = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &before);
    net.enter_gate("alice", "write:src/a.rs").unwrap();
    let request = asked(&mut net);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_plan_required");
    let next = net.submit("alice", scoped(&["write:src/**", "delete:src/b.rs"]), Uses::UntilReport);
    assert_eq!(net.status(LEAD, &request), Status::Approved, "the plan is the answer");
    let note = net.outcome(LEAD, &request).reason;
    assert_eq!(note.as_deref(), Some(next.as_str()), "which names the plan");
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_plan_required");
    net.approve(LEAD, &next);
    assert_eq!(net.enter_gate("alice", "write:src/a.rs").unwrap().1, next);
    net.report("alice", &before, true).unwrap();
    assert_eq!(net.enter_gate("alice", "delete:src/b.rs").unwrap().1, next);
}

#[test]
fn a_refused_plan_opens_nothing() {
    let mut net = Net::team(&["alice"]);
    asked(&mut net);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.reject(LEAD, &id, "say how to go back");
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_plan_required");
}

#[test]
fn a_worker_that_will_not_plan_says_why_and_stays_gated() {
    let mut net = Net::team(&["alice"]);
    let request = asked(&mut net);
    net.reject("alice", &request, "there is nothing to plan");
    assert_eq!(net.status(LEAD, &request), Status::Rejected);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_plan_required");
}

#[test]
fn silence_opens_nothing_and_a_withdrawal_ends_the_demand() {
    let mut net = Net::team(&["alice"]);
    asked(&mut net);
    net.advance(700_000);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_plan_required");
    let mut net = Net::team(&["alice"]);
    let request = asked(&mut net);
    net.cancel(LEAD, &request).unwrap();
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_no_plan");
}

#[test]
fn only_the_lead_asks_for_a_plan_and_only_a_worker() {
    let mut net = Net::team(&["alice", "bob"]);
    for (own, to) in [("alice", "bob"), ("alice", LEAD)] {
        let refused = net.ask_for(own, "plan_request", to, Details::default());
        assert_eq!(code(&refused), "not_allowed");
    }
}
