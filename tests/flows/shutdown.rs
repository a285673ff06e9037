//! A worker is asked to leave.

use team_protocols::{Alarm, AskOptions, Cause, Event, Liveness, Millis, Response, Status};

use crate::harness::{LEAD, Net, code, no, plan, yes};

#[test]
fn an_approved_shutdown_takes_two_frames_and_a_confirmation() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.approve("alice", &id);
    assert_eq!(net.network.talk(LEAD, "alice"), ["shutdown_request"]);
    assert_eq!(net.network.talk("alice", LEAD), ["shutdown_response"]);
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::Approved);
    assert_eq!(outcome.cause, Cause::Member);
    assert_eq!(outcome.by.unwrap().as_str(), "alice");
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
    assert_eq!(net.engine("alice").presence(), Liveness::Leaving);

    net.exit("alice").unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
    assert_eq!(net.engine("alice").presence(), Liveness::Left);
    net.advance(600_000);
    assert_eq!(net.alarms(LEAD), []);
}

#[test]
fn the_request_shows_the_worker_who_asks_why_and_until_when() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let Some(Event::Request(request)) = net.events("alice").first().cloned() else {
        panic!("alice was not asked");
    };
    assert_eq!(request.request_id.as_str(), id);
    assert_eq!(request.from.as_str(), LEAD);
    assert_eq!(request.reason.as_deref(), Some("work is done"));
    assert_eq!(request.answer_by.since(request.received_at), Millis::new(60_000));
}

#[test]
fn a_refusal_says_why_and_when_to_ask_again() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let busy = Response { retry_after: Some(Millis::new(9_000)), ..no("unit tests are writing") };
    net.answer("alice", &id, busy).unwrap();
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::Rejected);
    assert_eq!(outcome.reason.as_deref(), Some("unit tests are writing"));
    assert_eq!(outcome.retry_after_ms, Some(Millis::new(9_000)));
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    assert_eq!(net.engine("alice").presence(), Liveness::Active);

    let again = net.ask_shutdown("alice");
    assert_ne!(again, id);
    net.approve("alice", &again);
    assert_eq!(net.outcome(LEAD, &again).status, Status::Approved);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected, "the first answer stands");
}

#[test]
fn a_refusal_without_a_visible_reason_is_not_sent() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    for reason in ["", " \n", "\u{200b}\u{feff}", "\u{3164}"] {
        assert_eq!(code(&net.answer("alice", &id, no(reason))), "reason_required", "{reason:?}");
    }
    let silent = Response { reason: None, ..no("") };
    assert_eq!(code(&net.answer("alice", &id, silent)), "reason_required");
    assert_eq!(net.network.talk("alice", LEAD), [] as [&str; 0]);
    assert_eq!(net.status("alice", &id), Status::Pending);
    net.reject("alice", &id, "忙");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Rejected);
}

#[test]
fn a_worker_that_does_not_confirm_its_exit_is_reported_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    net.advance(9_999);
    assert_eq!(net.alarms(LEAD), []);
    net.advance(1);
    assert_eq!(net.alarms(LEAD), [Alarm::NotExited]);
    net.advance(600_000);
    assert_eq!(net.alarms(LEAD), [Alarm::NotExited]);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
    net.exit("alice").unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left, "late is better than never");
}

#[test]
fn asking_a_leaving_worker_again_returns_the_first_request() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    assert_eq!(net.ask_shutdown("alice"), id);
    net.advance(20_000);
    assert_eq!(net.ask_shutdown("alice"), id, "also when it is overdue");
    assert_eq!(net.network.talk(LEAD, "alice"), ["shutdown_request"]);
}

#[test]
fn asking_twice_before_the_answer_is_refused_with_the_open_request() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let again = net.try_shutdown("alice", AskOptions::default());
    assert_eq!(code(&again), "already_pending");
    net.reject("alice", &id, "busy");
    net.ask_shutdown("alice");
}

#[test]
fn a_confirmed_exit_settles_a_request_whose_answer_was_lost() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.network.cut("alice", LEAD);
    net.approve("alice", &id);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.network.heal();
    net.exit("alice").unwrap();
    let outcome = net.outcome(LEAD, &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Approved, Cause::PeerLeft));
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
    net.advance(600_000);
    assert_eq!(net.alarms(LEAD), []);
}

#[test]
fn an_exit_that_overtakes_the_answer_settles_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    net.act("alice", |e, now| e.exit(now)).unwrap();
    let answer = net.network.arrive(net.now() + crate::harness::START).unwrap();
    net.run_until_quiet();
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
    let late = net.send("alice", LEAD, &answer.frame);
    assert_eq!(crate::harness::verdict(&late), "sender_left");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn an_exit_nobody_asked_for_ends_what_is_open_with_that_worker() {
    let mut net = Net::team(&["alice", "bob"]);
    let shutdown = net.ask_shutdown("alice");
    let of_bob = net.ask_shutdown("bob");
    let plan = net.submit("alice", plan(), team_protocols::Uses::Once);
    net.exit("alice").unwrap();
    let outcome = net.outcome(LEAD, &shutdown);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLeft));
    let cancelled = net.outcome("alice", &plan);
    assert_eq!((cancelled.status, cancelled.cause), (Status::Cancelled, Cause::Leaving));
    assert_eq!(net.status(LEAD, &plan), Status::Cancelled);
    assert_eq!(net.status(LEAD, &of_bob), Status::Pending);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
}

#[test]
fn a_leaving_worker_begins_nothing_new_and_what_it_asked_for_ends() {
    let mut net = Net::team(&["alice"]);
    let waiting = net.submit("alice", plan(), team_protocols::Uses::Once);
    let other = crate::harness::scoped(&["write:docs/**"]);
    let approved = net.submit("alice", other.clone(), team_protocols::Uses::UntilReport);
    net.approve(LEAD, &approved);
    net.enter_gate("alice", "write:docs/a").unwrap();
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);

    let outcome = net.outcome("alice", &waiting);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Leaving));
    assert_eq!(net.status(LEAD, &waiting), Status::Cancelled);
    assert_eq!(code(&net.enter_gate("alice", "write:docs/a")), "self_leaving");
    assert_eq!(code(&net.try_submit("alice", other, team_protocols::Uses::Once)), "self_leaving");
    assert_eq!(code(&net.say(LEAD, "alice", "one more thing")), "recipient_leaving");
    net.say("alice", LEAD, "bye").unwrap();
}

#[test]
fn an_approval_after_the_deadline_is_a_fact_without_being_an_approval() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.network.cut(LEAD, "alice");
    net.advance(60_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    net.network.heal();
    net.approve("alice", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(net.alarm_count(LEAD, Alarm::LeftDespiteCancel), 1);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
    let told = net.events("alice").iter().any(|event| {
        matches!(event, Event::Closed(closed)
            if closed.status == Status::TimedOut && !closed.approval_without_effect)
    });
    assert!(told, "alice learns how it ended, and leaves: {:#?}", net.events("alice"));
    net.exit("alice").unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
}

#[test]
fn a_withdrawal_that_crosses_an_approval_stays_withdrawn_and_the_worker_leaves() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    net.act(LEAD, |e, now| e.cancel(now, &id)).unwrap();
    net.run_until_quiet();
    let outcome = net.outcome(LEAD, &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Member));
    assert_eq!(net.alarms(LEAD), [Alarm::LeftDespiteCancel]);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
    assert_eq!(net.engine("alice").presence(), Liveness::Leaving, "leaving is not taken back");
    assert_eq!(net.status("alice", &id), Status::Cancelled);

    let second = net.ask_shutdown("alice");
    assert_eq!(net.outcome(LEAD, &second).status, Status::Approved, "it is leaving anyway");
    assert_eq!(net.asked("alice"), 1, "the host is not asked again");
}

#[test]
fn a_withdrawn_request_need_not_be_answered() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(net.engine("alice").obligations(), []);
    assert_eq!(code(&net.answer("alice", &id, yes())), "not_pending");
    assert_eq!(net.engine("alice").presence(), Liveness::Active);
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(net.network.talk(LEAD, "alice"), ["shutdown_request", "cancel"]);
}

#[test]
fn an_answer_is_given_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.reject("alice", &id, "busy");
    assert_eq!(code(&net.answer("alice", &id, no("busy"))), "already_answered");
    assert_eq!(code(&net.answer("alice", &id, yes())), "answer_conflicts");
    assert_eq!(net.engine("alice").presence(), Liveness::Active);
}

#[test]
fn whoever_has_left_answers_nothing_and_owes_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.exit("alice").unwrap();
    assert_eq!(net.engine("alice").obligations(), []);
    assert_eq!(code(&net.answer("alice", &id, yes())), "self_leaving");
    assert_eq!(net.engine("alice").presence(), Liveness::Left);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
}
