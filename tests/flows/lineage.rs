//! Asking again: retry, appeal, revision, and what is a loop.

use team_protocols::{Alarm, AskOptions, Cause, Event, FollowSpec, Link, Status, Uses};

use crate::harness::{LEAD, Net, code, plan, scoped};

/// A plan of alice's that the lead rejected.
fn rejected() -> (Net, String) {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.reject(LEAD, &id, "no way back");
    (net, id)
}

#[test]
fn the_same_plan_after_a_rejection_is_refused_with_the_reason() {
    let (mut net, id) = rejected();
    let again = net.try_submit("alice", plan(), Uses::UntilReport);
    assert_eq!(code(&again), "already_rejected");
    let text = again.unwrap_err().message(team_protocols::Lang::En);
    assert!(text.contains(&id) && text.contains("no way back"), "{text}");
    assert_eq!(code(&net.follow_up("alice", (Link::Retry, &id), None, plan())), "already_rejected");
    assert!(net.engine(LEAD).obligations().is_empty());
    net.submit("bob", plan(), Uses::UntilReport);
    assert_eq!(net.engine(LEAD).obligations().len(), 1, "another member's plan is its own");
}

#[test]
fn an_appeal_with_something_new_is_a_linked_request() {
    let (mut net, id) = rejected();
    let said = Some("there is a backup of an hour ago");
    let appeal = net.follow_up("alice", (Link::Appeal, &id), said, plan()).unwrap();
    let request = net.engine(LEAD).obligations().remove(0).request;
    let follows = request.follows.expect("the lead sees what it goes on from");
    assert_eq!((follows.request_id.as_str(), follows.link), (id.as_str(), Link::Appeal));
    assert_eq!(follows.justification.as_deref(), said);
    let view = net.engine("alice").request(&appeal).unwrap();
    assert_eq!(view.follows.map(|follows| follows.link), Some(Link::Appeal));
    net.approve(LEAD, &appeal);
    assert_eq!(net.status("alice", &appeal), Status::Approved);
    assert_eq!(net.status("alice", &id), Status::Rejected, "the first decision stays");
    net.enter_gate("alice", "write:src/a.rs").unwrap();
}

#[test]
fn an_appeal_says_something_new_and_there_are_few() {
    let (mut net, id) = rejected();
    let appeal =
        |net: &mut Net, id: &str, said| net.follow_up("alice", (Link::Appeal, id), said, plan());
    assert_eq!(code(&appeal(&mut net, &id, None)), "blank");
    assert_eq!(code(&appeal(&mut net, &id, Some(" \u{200b}"))), "blank");
    let first = appeal(&mut net, &id, Some("a backup")).unwrap();
    net.reject(LEAD, &first, "too old");
    assert_eq!(code(&appeal(&mut net, &first, Some(" a backup "))), "cannot_follow");
    let second = appeal(&mut net, &first, Some("a new backup")).unwrap();
    net.reject(LEAD, &second, "no");
    assert_eq!(code(&appeal(&mut net, &second, Some("please"))), "appeals_exhausted");
}

#[test]
fn a_lead_that_was_refused_may_retry_and_appeal_too() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.reject("alice", &id, "tests are writing");
    let ask = |net: &mut Net, link, said: Option<&str>, id: &str| {
        let justification = said.map(str::to_owned);
        let follows = Some(FollowSpec { request_id: id.to_owned(), link, justification });
        net.try_shutdown("alice", AskOptions { follows, ..AskOptions::default() })
    };
    let retry = ask(&mut net, Link::Retry, None, &id).unwrap();
    net.reject("alice", &retry, "still");
    let appeal = ask(&mut net, Link::Appeal, Some("the budget is used up"), &retry).unwrap();
    net.approve("alice", &appeal);
    assert_eq!(net.status(LEAD, &appeal), Status::Approved);
}

#[test]
fn a_revision_takes_the_place_of_what_waits() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    let other = scoped(&["write:docs/**"]);
    let revision = net.follow_up("alice", (Link::Revision, &id), None, other.clone()).unwrap();
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Superseded));
    let owed = net.engine(LEAD).obligations();
    assert_eq!(owed.len(), 1, "only the revision waits");
    assert_eq!(owed[0].request.request_id.as_str(), revision);
    net.approve(LEAD, &revision);
    let same = net.follow_up("alice", (Link::Revision, &id), None, plan());
    assert_eq!(code(&same), "cannot_follow", "a revision asks for something else");
}

#[test]
fn nothing_follows_what_it_does_not_fit() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    for link in [Link::Retry, Link::Appeal] {
        assert_eq!(code(&net.follow_up("alice", (link, &id), Some("x"), plan())), "cannot_follow");
    }
    net.cancel("alice", &id).unwrap();
    let other = scoped(&["write:docs/**"]);
    assert_eq!(code(&net.follow_up("alice", (Link::Retry, &id), None, other)), "cannot_follow");
    let unknown = net.follow_up("alice", (Link::Retry, "req_nothing"), None, plan());
    assert_eq!(code(&unknown), "unknown_request");
    net.follow_up("alice", (Link::Retry, &id), None, plan()).unwrap();
}

#[test]
fn a_plan_that_is_approved_and_not_used_up_is_not_asked_for_again() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &id);
    assert_eq!(net.submit("alice", plan(), Uses::UntilReport), id);
    assert!(net.engine(LEAD).obligations().is_empty());
    net.report("alice", &id, true).unwrap();
    assert_ne!(
        net.submit("alice", plan(), Uses::UntilReport),
        id,
        "afterwards it is a new request"
    );
    let once = net.submit("alice", scoped(&["write:b"]), Uses::Once);
    net.approve(LEAD, &once);
    assert_eq!(net.submit("alice", scoped(&["write:b"]), Uses::Once), once);
    net.enter_gate("alice", "write:b").unwrap();
    assert_ne!(net.submit("alice", scoped(&["write:b"]), Uses::Once), once, "it was spent");
}

#[test]
fn a_line_of_requests_is_bounded_and_half_of_it_raises_the_alarm_once_on_both_sides() {
    let mut net = Net::team(&["alice"]);
    let mut id = net.submit("alice", plan(), Uses::UntilReport);
    for round in 2..=8 {
        net.cancel("alice", &id).unwrap();
        id = net.follow_up("alice", (Link::Retry, &id), None, plan()).unwrap();
        let told = usize::from(round >= 4);
        for side in ["alice", LEAD] {
            assert_eq!(net.alarm_count(side, Alarm::RequestLoop), told, "{side} in round {round}");
        }
    }
    net.cancel("alice", &id).unwrap();
    let more = net.follow_up("alice", (Link::Retry, &id), None, plan());
    assert_eq!(code(&more), "lineage_exhausted");
}

#[test]
fn a_peer_that_asks_the_same_again_is_answered_as_before_and_the_host_is_not_asked() {
    use crate::harness::Frame;
    let (mut net, _) = rejected();
    let message = serde_json::json!({
        "type": "plan_approval_request", "request_id": "again", "plan": plan(),
        "uses": "until_report",
    });
    let asked = |net: &Net| {
        net.events(LEAD).iter().filter(|event| matches!(event, Event::Request(_))).count()
    };
    let before = asked(&net);
    net.send("alice", LEAD, &Frame::from_worker(1, "alice", message).text());
    assert_eq!(asked(&net), before);
    assert_eq!(net.engine(LEAD).request("again").unwrap().status, Status::Rejected);
}

#[test]
fn the_lead_may_call_off_what_it_should_decide() {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.cancel(LEAD, &id).unwrap();
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Member));
    assert_eq!(net.engine(LEAD).request(&id).unwrap().status, Status::Cancelled);
    let other = net.submit("alice", scoped(&["write:b"]), Uses::UntilReport);
    let message = serde_json::json!({"type": "cancel", "request_id": other});
    let life = crate::harness::life(2);
    let frame = crate::harness::Frame::new("bob", life, "alice", message);
    net.send("bob", "alice", &frame.text());
    assert_eq!(net.status("alice", &other), Status::Pending, "nobody else may");
}
