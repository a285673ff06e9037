//! Members that wait for each other: what is refused, what is found, what is given up.

#[path = "deadlock/meanwhile.rs"]
mod meanwhile;
#[path = "deadlock/orders.rs"]
mod orders;
#[path = "deadlock/rings.rs"]
mod rings;

use team_protocols::{Alarm, AlarmEvent, AskOptions, Cause, Details, Event, Kind, Status};

use crate::harness::*;

/// `from` says that it waits for `to`; nothing is delivered.
fn ask(net: &mut Net, from: &str, to: &str) -> Called<String> {
    ask_for(net, from, to, AskOptions::default())
}

/// The same with limits of its own.
fn ask_for(net: &mut Net, from: &str, to: &str, options: AskOptions) -> Called<String> {
    let kind = Kind::DEPENDENCY;
    let id = net.act(from, |e, now| e.ask_for(now, &kind, to, Details::default(), options));
    id.map(|id| id.as_str().to_owned())
}

/// The names of a team of so many workers.
fn names(size: usize) -> Vec<String> {
    (0..size).map(|place| format!("worker-{place:02}")).collect()
}

/// A team of so many workers in which nobody has asked anything.
fn workers(size: usize) -> Net {
    let names = names(size);
    Net::team(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Each worker asks the next one, the last one the first; all at the same instant. Ids in order.
fn ask_round(net: &mut Net, size: usize) -> Vec<String> {
    let names = names(size);
    let pairs = names.iter().zip(names.iter().cycle().skip(1));
    pairs.map(|(from, to)| ask(net, from, to).unwrap()).collect()
}

/// The requests of a ring that were given up to break a deadlock.
fn victims(net: &Net, ids: &[String]) -> Vec<String> {
    let names = names(ids.len());
    let given_up = |(own, id): &(&String, &String)| {
        let outcome = net.engine(own).outcome_of(id);
        outcome.is_some_and(|outcome| outcome.cause == Cause::DeadlockBroken)
    };
    names.iter().zip(ids).filter(given_up).map(|(_, id)| id.clone()).collect()
}

/// The alarms about deadlocks that a member raised.
fn deadlocks(net: &Net, own: &str) -> Vec<AlarmEvent> {
    let alarm = |event: &Event| {
        let Event::Alarm(alarm) = event else { return None };
        (alarm.alarm == Alarm::Deadlock).then(|| alarm.clone())
    };
    net.events(own).iter().filter_map(alarm).collect()
}

/// How many probes were sent by anybody.
fn probes(net: &Net) -> usize {
    net.network.sent.iter().filter(|packet| packet.frame.contains("\"type\":\"probe\"")).count()
}

#[test]
fn two_workers_that_wait_for_interface_and_model_go_on_after_one_gave_up() {
    // The case of the article that started this project.
    let mut net = Net::team(&["coder", "modeller"]);
    let interface = ask(&mut net, "modeller", "coder").unwrap();
    let model = ask(&mut net, "coder", "modeller").unwrap();
    net.run_until_quiet();
    // Both asked first of their members; the ids end in their numbers.
    let (victim, kept) = if interface > model { (interface, model) } else { (model, interface) };
    assert_eq!(victim.as_bytes().last(), Some(&b'2'), "the modeller's id is the greater");
    let outcome = net.outcome("modeller", &victim);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::DeadlockBroken));
    assert_eq!(net.status("coder", &kept), Status::Pending);

    let [alarm] = &deadlocks(&net, "modeller")[..] else { panic!("one alarm") };
    assert_eq!(alarm.member.as_str(), "coder");
    assert_eq!(alarm.request_id.as_ref().map(|id| id.as_str()), Some(victim.as_str()));
    let cycle: Vec<_> = alarm.cycle.iter().map(|wait| wait.member.as_str()).collect();
    assert_eq!(cycle.len(), 2);
    assert!(cycle.contains(&"coder") && cycle.contains(&"modeller"));
    assert_eq!(deadlocks(&net, "coder"), []);

    // The coder is told that nobody waits for the interface any more, and gets the model.
    let closed = |event: &Event| {
        matches!(event, Event::Closed(closed)
        if closed.request_id.as_str() == victim && closed.cause == Cause::DeadlockBroken)
    };
    assert!(net.events("coder").iter().any(closed));
    net.approve("modeller", &kept);
    assert_eq!(net.outcome("coder", &kept).status, Status::Approved);
}

#[test]
fn whoever_is_waited_for_may_not_wait_in_turn() {
    let mut net = Net::team(&["coder", "modeller"]);
    let interface = ask(&mut net, "modeller", "coder").unwrap();
    net.run_until_quiet();
    let before = net.engine("coder").state_hash();
    let refused = ask(&mut net, "coder", "modeller");
    assert_eq!(code(&refused), "would_deadlock");
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("modeller") && text.contains(&interface), "{text}");
    assert_eq!(net.engine("coder").state_hash(), before);
    assert_eq!(probes(&net), 0);

    net.approve("coder", &interface);
    ask(&mut net, "coder", "modeller").unwrap();
}

#[test]
fn plain_text_and_waiting_one_way_cost_no_probe() {
    let mut net = Net::team(&["alice", "bob", "carol"]);
    ask(&mut net, "alice", "bob").unwrap();
    ask(&mut net, "alice", "carol").unwrap();
    net.say("bob", "alice", "which interface do you mean?").unwrap();
    net.run_until_quiet();
    assert_eq!(probes(&net), 0, "nobody both waits and owes");
    ask(&mut net, "bob", "carol").unwrap();
    net.run_until_quiet();
    assert_eq!(probes(&net), 1, "bob does; carol waits for nobody");
    assert_eq!(net.alarms("alice").len() + net.alarms("bob").len(), 0);
}

#[test]
fn a_shutdown_is_no_edge() {
    let mut net = Net::team(&["alice", "bob"]);
    let needed = ask(&mut net, "alice", "bob").unwrap();
    net.ask_shutdown("bob");
    net.ask_shutdown("alice");
    let plan = net.submit("bob", plan(), team_protocols::Uses::Once);
    net.run_until_quiet();
    // The lead waits for bob's and alice's exits and owes bob the decision on a plan.
    net.advance(50_000);
    assert_eq!(deadlocks(&net, LEAD), []);
    assert_eq!(net.status("alice", &needed), Status::Pending);
    assert_eq!(net.status("bob", &plan), Status::Pending);
    let from_lead = net.network.sent.iter().filter(|packet| packet.from == LEAD);
    assert!(from_lead.filter(|packet| packet.frame.contains("\"type\":\"probe\"")).count() == 0);
}
