//! Whoever rejected a plan reopens it: the same may be asked once more, and that is no appeal.

use serde_json::json;
use team_protocols::{Event, Link, ReopenedEvent, Role, Status, Uses};

use crate::harness::{Called, Frame, LEAD, Net, code, member, plan, scoped, stage, tool, verdict};

fn reopen(net: &mut Net, own: &str, id: &str, reason: Option<&str>) -> Called<()> {
    let reason = reason.map(str::to_owned);
    let done = net.act(own, |e, now| e.reopen(now, id, reason)).map(drop);
    net.run_until_quiet();
    done
}

/// A plan of alice's that the lead rejected.
fn rejected() -> (Net, String) {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.reject(LEAD, &id, "no way back");
    (net, id)
}

fn told(net: &Net, own: &str) -> Vec<ReopenedEvent> {
    let told = |event: &Event| {
        if let Event::Reopened(event) = event { Some(event.clone()) } else { None }
    };
    net.events(own).iter().filter_map(told).collect()
}

#[test]
fn a_reopened_plan_is_asked_again_without_an_appeal() {
    let (mut net, id) = rejected();
    assert_eq!(code(&net.try_submit("alice", plan(), Uses::UntilReport)), "already_rejected");
    reopen(&mut net, LEAD, &id, Some("there is a backup now")).unwrap();
    let event = told(&net, "alice").remove(0);
    assert_eq!((event.request_id.as_str(), event.by.as_str()), (id.as_str(), LEAD));
    assert_eq!(event.reason.as_deref(), Some("there is a backup now"));
    let again = net.submit("alice", plan(), Uses::UntilReport);
    assert_eq!(net.engine(LEAD).obligations().len(), 1, "the host is asked");
    net.approve(LEAD, &again);
    net.enter_gate("alice", "write:src/a.rs").unwrap();
    for own in ["alice", LEAD] {
        assert_eq!(net.status(own, &id), Status::Rejected, "the first decision stays at {own}");
    }
}

#[test]
fn it_costs_no_appeal_and_holds_for_one_more_decision() {
    let (mut net, id) = rejected();
    let mut last = id.clone();
    for said in ["a backup", "a newer backup"] {
        last = net.follow_up("alice", (Link::Appeal, &last), Some(said), plan()).unwrap();
        net.reject(LEAD, &last, "no");
    }
    let appeal = net.follow_up("alice", (Link::Appeal, &last), Some("please"), plan());
    assert_eq!(code(&appeal), "appeals_exhausted");
    reopen(&mut net, LEAD, &last, None).unwrap();
    let again = net.follow_up("alice", (Link::Retry, &last), None, plan()).unwrap();
    let request = net.engine(LEAD).obligations().remove(0).request;
    assert_eq!(request.follows.map(|follows| follows.link), Some(Link::Retry));
    net.reject(LEAD, &again, "still no");
    assert_eq!(code(&net.try_submit("alice", plan(), Uses::UntilReport)), "already_rejected");
    assert!(net.engine(LEAD).obligations().is_empty());
}

#[test]
fn it_stays_open_until_somebody_decides() {
    let (mut net, id) = rejected();
    reopen(&mut net, LEAD, &id, None).unwrap();
    let first = net.submit("alice", plan(), Uses::UntilReport);
    net.cancel("alice", &first).unwrap();
    let second = net.submit("alice", plan(), Uses::UntilReport);
    net.advance(60_000);
    assert_eq!(net.status("alice", &second), Status::TimedOut);
    net.submit("alice", plan(), Uses::UntilReport);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
}

#[test]
fn only_what_this_member_rejected_last_can_be_reopened() {
    let (mut net, id) = rejected();
    assert_eq!(code(&reopen(&mut net, LEAD, "req_nothing", None)), "unknown_request");
    assert_eq!(code(&reopen(&mut net, "alice", &id, None)), "not_allowed", "it is her own");
    assert_eq!(code(&reopen(&mut net, "bob", &id, None)), "unknown_request");
    let other = net.submit("alice", scoped(&["write:docs/**"]), Uses::UntilReport);
    assert_eq!(code(&reopen(&mut net, LEAD, &other, None)), "nothing_to_reopen", "it waits");
    net.approve(LEAD, &other);
    assert_eq!(code(&reopen(&mut net, LEAD, &other, None)), "nothing_to_reopen", "a yes");
    let said = Some("a backup");
    let appeal = net.follow_up("alice", (Link::Appeal, &id), said, plan()).unwrap();
    net.reject(LEAD, &appeal, "too old");
    assert_eq!(code(&reopen(&mut net, LEAD, &id, None)), "nothing_to_reopen", "decided anew since");
    reopen(&mut net, LEAD, &appeal, None).unwrap();
    let shutdown = net.ask_shutdown("alice");
    net.reject("alice", &shutdown, "busy");
    assert_eq!(code(&reopen(&mut net, "alice", &shutdown, None)), "not_allowed", "no plan");
    assert_eq!(told(&net, "alice").len(), 1);
}

#[test]
fn nobody_but_the_decider_reopens_on_the_wire() {
    let (mut net, id) = rejected();
    let message = |id: &str| json!({"type": "reopen", "request_id": id});
    let from_bob = Frame::from_worker(2, "bob", message(&id)).with("to", json!("alice"));
    assert_eq!(verdict(&net.send("bob", "alice", &from_bob.text())), "not_allowed");
    let at_lead = Frame::from_worker(1, "alice", message(&id)).seq(500);
    assert_eq!(verdict(&net.send("alice", LEAD, &at_lead.text())), "not_allowed");
    let from_lead = |id: &str, seq| Frame::from_lead("alice", message(id)).seq(seq).text();
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead("req_none", 500))), "orphan");
    let shutdown = net.ask_shutdown("alice");
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead(&shutdown, 501))), "orphan");
    let other = net.submit("alice", scoped(&["write:docs/**"]), Uses::UntilReport);
    net.approve(LEAD, &other);
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead(&other, 502))), "not_rejected");
    assert_eq!(told(&net, "alice"), []);
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead(&id, 503))), "reopened");
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead(&id, 504))), "duplicate");
    assert_eq!(told(&net, "alice").len(), 1);
}

#[test]
fn a_lost_word_is_told_again_and_one_that_overtakes_the_refusal_counts() {
    let (mut net, id) = rejected();
    net.network.cut(LEAD, "alice");
    reopen(&mut net, LEAD, &id, None).unwrap();
    net.network.heal();
    assert_eq!(told(&net, "alice"), []);
    reopen(&mut net, LEAD, &id, None).unwrap();
    assert_eq!(told(&net, "alice").len(), 1);

    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.network.cut(LEAD, "alice");
    net.reject(LEAD, &id, "no way back");
    net.network.heal();
    reopen(&mut net, LEAD, &id, None).unwrap();
    assert_eq!(net.status("alice", &id), Status::Pending, "the refusal is lost");
    net.advance(20_000);
    assert_eq!(net.status("alice", &id), Status::Rejected, "and comes with the reminder");
    net.submit("alice", plan(), Uses::UntilReport);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
}

#[test]
fn of_several_approvers_each_reopens_what_it_said_itself() {
    let mut net = Net::with(&["alice"], |config| {
        config.members.push(member("carol", Role::Approver));
        config.members.push(member("dave", Role::Approver));
    });
    for (own, place) in [("carol", 2), ("dave", 3)] {
        let mut config = crate::harness::config(&["alice"], "alice");
        config.member = crate::harness::name(own);
        config.incarnation = crate::harness::life(place);
        config.members.push(member("carol", Role::Approver));
        config.members.push(member("dave", Role::Approver));
        net.add(config, place);
    }
    let stages = || vec![stage(&["carol", "dave"], 2, false)];
    let id = net.submit_to("alice", stages(), None).unwrap();
    net.approve("dave", &id);
    net.reject("carol", &id, "no way back");
    assert_eq!(net.status("alice", &id), Status::Rejected);
    assert_eq!(code(&reopen(&mut net, "dave", &id, None)), "nothing_to_reopen", "it said yes");
    let message = json!({"type": "reopen", "request_id": id});
    let by_dave = Frame::from_worker(3, "dave", message).with("to", json!("alice")).seq(500);
    assert_eq!(verdict(&net.send("dave", "alice", &by_dave.text())), "not_rejected");
    reopen(&mut net, "carol", &id, None).unwrap();
    let again = net.submit_to("alice", stages(), None).unwrap();
    for own in ["carol", "dave"] {
        net.approve(own, &again);
    }
    assert_eq!(net.status("alice", &again), Status::Approved);
}

#[test]
fn a_model_may_reopen_with_its_tool() {
    let (mut net, id) = rejected();
    let message = json!({"type": "reopen", "request_id": id, "reason": "a backup"});
    let done = tool(&mut net, LEAD, json!({"to": "alice", "message": message})).unwrap();
    assert_eq!(done.sent, "reopen");
    assert_eq!(told(&net, "alice")[0].reason.as_deref(), Some("a backup"));
    let nameless = tool(&mut net, LEAD, json!({"to": "alice", "message": {"type": "reopen"}}));
    assert_eq!(code(&nameless), "request_id_missing");
}
