//! What a transport, a host or the bounds can do to a request.

use serde_json::json;
use team_protocols::{Alarm, AskOptions, Cause, Event, Millis, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, plan, scoped, verdict, yes};

#[test]
fn a_request_that_could_not_be_sent_is_over() {
    let mut net = Net::team(&["alice"]);
    net.network.part(LEAD, "alice");
    let id = net.ask_shutdown("alice");
    let seq = net.network.sent[0].seq;
    net.act(LEAD, |e, now| e.handle_send_failed(now, seq));
    let outcome = net.outcome(LEAD, &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::SendFailed));
    assert_eq!(net.engine(LEAD).poll_deadline(), None, "nothing is half-registered");
    assert_eq!(net.view(LEAD, "alice").asked, []);
    net.act(LEAD, |e, now| e.handle_send_failed(now, seq));
    assert_eq!(net.alarms(LEAD), [Alarm::SendFailed], "what it carried is over");
    let again = net.ask_shutdown("alice");
    assert_ne!(again, id);
}

#[test]
fn another_frame_that_could_not_be_sent_raises_an_alarm_and_settles_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.network.cut("alice", LEAD);
    net.approve("alice", &id);
    let seq = net.network.sent_of("alice", LEAD, "shutdown_response")[0].seq;
    net.act("alice", |e, now| e.handle_send_failed(now, seq));
    assert_eq!(net.alarms("alice"), [Alarm::SendFailed]);
    let about = net.events("alice").iter().find_map(|event| {
        if let Event::Alarm(alarm) = event { Some(alarm.member.as_str()) } else { None }
    });
    assert_eq!(about, Some(LEAD), "the member that did not get it");
    net.act("alice", |e, now| e.handle_send_failed(now, 9_999));
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.network.heal();
    net.advance(15_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved, "the reminder asks for it");
}

#[test]
fn a_failed_reminder_does_not_end_the_request() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(15_000);
    let seq = net.network.sent_of(LEAD, "alice", "shutdown_request")[1].seq;
    net.act(LEAD, |e, now| e.handle_send_failed(now, seq));
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    assert_eq!(net.alarms(LEAD), [Alarm::SendFailed]);
}

#[test]
fn closing_ends_what_was_asked_and_counts_no_later_input() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    let other = net.submit("alice", scoped(&["write:x"]), Uses::UntilReport);
    net.approve(LEAD, &other);
    net.act("alice", |e, now| e.close(now));
    net.run_until_quiet();
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Closed));
    assert_eq!(net.status(LEAD, &id), Status::Cancelled, "the lead is told");
    assert_eq!(net.engine("alice").poll_deadline(), None);
    assert_eq!(code(&net.enter_gate("alice", "write:x")), "closed");
    assert_eq!(code(&net.try_submit("alice", plan(), Uses::Once)), "closed");
    let frame = Frame::from_lead("alice", json!("hi"));
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "receiver_left");
    net.act("alice", |e, now| e.close(now));
    net.act("alice", |e, now| e.handle_send_failed(now, 1));
    assert_eq!(net.alarms("alice"), []);
}

#[test]
fn a_withdrawal_is_fine_twice_and_only_by_the_requester() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    assert_eq!(code(&net.cancel("alice", &id)), "unknown_request", "it is not hers");
    net.cancel(LEAD, &id).unwrap();
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(net.network.talk(LEAD, "alice"), ["shutdown_request", "cancel"]);
    let second = net.ask_shutdown("alice");
    net.reject("alice", &second, "busy");
    assert_eq!(code(&net.cancel(LEAD, &second)), "not_pending");
}

#[test]
fn open_requests_are_bounded_both_ways() {
    let mut net = Net::with(&["alice"], |config| config.limits.open_per_member = 3);
    for part in ["a", "b", "c"] {
        net.submit("alice", scoped(&[&format!("write:{part}")]), Uses::Once);
    }
    let more = net.try_submit("alice", scoped(&["write:d"]), Uses::Once);
    assert_eq!(code(&more), "too_many_open");
    let message = json!({"type": "plan_approval_request", "request_id": "x", "plan": plan()});
    let frame = Frame::from_worker(1, "alice", message);
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "too_many_open");
    assert_eq!(net.engine(LEAD).obligations().len(), 3);
    let first = net.engine(LEAD).obligations()[0].request.request_id.as_str().to_owned();
    net.reject(LEAD, &first, "no");
    net.submit("alice", scoped(&["write:d"]), Uses::Once);
}

#[test]
fn settled_requests_are_forgotten_in_order_and_answers_to_them_become_orphans() {
    let mut net = Net::with(&["alice"], |config| config.limits.remembered_per_member = 2);
    let mut ids = Vec::new();
    for _ in 0..4 {
        let id = net.ask_shutdown("alice");
        net.reject("alice", &id, "busy");
        ids.push(id);
    }
    assert_eq!(net.engine(LEAD).request(&ids[1]), None);
    assert_eq!(net.status(LEAD, &ids[3]), Status::Rejected);
    let answer = |id: &str, seq| {
        let message =
            json!({"type": "shutdown_response", "request_id": id, "approve": false, "reason": "x"});
        Frame::from_worker(1, "alice", message).seq(seq).text()
    };
    assert_eq!(verdict(&net.send("alice", LEAD, &answer(&ids[1], 500))), "orphan");
    assert_eq!(verdict(&net.send("alice", LEAD, &answer(&ids[3], 501))), "duplicate");
}

#[test]
fn an_id_source_that_repeats_itself_hangs_nothing() {
    struct Stuck;
    impl team_protocols::IdSource for Stuck {
        fn random_u128(&mut self) -> u128 {
            7
        }
    }
    let config = crate::harness::config(&["alice", "bob", "carol"], LEAD);
    let mut lead =
        team_protocols::Engine::new(crate::harness::at(0), config, Box::new(Stuck)).unwrap();
    let mut ids = std::collections::BTreeSet::new();
    for worker in ["alice", "bob", "carol"] {
        let id = lead.request_shutdown(crate::harness::at(0), worker, None, AskOptions::default());
        ids.insert(id.unwrap().as_str().to_owned());
    }
    assert_eq!(ids.len(), 3);
}

#[test]
fn two_decisions_in_one_tick_settle_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    let answer = net.network.arrive(crate::harness::START).unwrap();
    net.cancel(LEAD, &id).unwrap();
    assert_eq!(verdict(&net.send("alice", LEAD, &answer.frame)), "late");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Cancelled);
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    assert_eq!(code(&net.cancel(LEAD, &id)), "not_pending");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
    assert_eq!(net.outcome(LEAD, &id).retry_after_ms, None::<Millis>);
}
