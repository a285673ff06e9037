//! Texts that do not get through are told to their writer and to the lead.

use serde_json::json;
use team_protocols::{Alarm, Cause, Event};

use crate::harness::{Frame, LEAD, Net, verdict};

fn undelivered(net: &Net, own: &str) -> Vec<(String, String, Option<String>, Cause)> {
    let told = |event: &Event| {
        let Event::Undeliverable(e) = event else { return None };
        let (from, to) = (e.from.as_str().to_owned(), e.to.as_str().to_owned());
        Some((from, to, e.excerpt.clone(), e.cause))
    };
    net.events(own).iter().filter_map(told).collect()
}

/// The transport could not send the last text from one to the other.
fn fail_text(net: &mut Net, from: &str, to: &str) {
    let seq = net.network.sent_of(from, to, "text").last().unwrap().seq;
    net.act(from, |e, now| e.handle_send_failed(now, seq));
    net.run_until_quiet();
}

#[test]
fn a_text_that_was_not_sent_is_told_to_its_writer_and_to_the_lead() {
    let mut net = Net::team(&["alice", "bob"]);
    net.network.cut("alice", "bob");
    net.say("alice", "bob", "the interface has changed").unwrap();
    fail_text(&mut net, "alice", "bob");
    let told = [(
        "alice".to_owned(),
        "bob".to_owned(),
        Some("the interface has changed".to_owned()),
        Cause::SendFailed,
    )];
    assert_eq!(undelivered(&net, "alice"), told);
    assert_eq!(undelivered(&net, LEAD), told);
    assert_eq!(undelivered(&net, "bob"), []);
    assert_eq!(net.alarms("alice"), [Alarm::SendFailed]);
    assert_eq!(net.network.verdicts("alice", LEAD), ["undeliverable"]);
    fail_text(&mut net, "alice", "bob");
    assert_eq!(undelivered(&net, "alice").len(), 1, "told once");
    assert_eq!(undelivered(&net, LEAD).len(), 1);
}

#[test]
fn a_text_of_the_lead_or_to_it_is_told_to_its_writer_alone() {
    let mut net = Net::team(&["alice"]);
    net.network.part("alice", LEAD);
    net.say(LEAD, "alice", "stand-up in five").unwrap();
    fail_text(&mut net, LEAD, "alice");
    net.say("alice", LEAD, "coming").unwrap();
    fail_text(&mut net, "alice", LEAD);
    assert_eq!(undelivered(&net, LEAD).len(), 1);
    assert_eq!(undelivered(&net, "alice").len(), 1);
    assert_eq!(net.network.sent_of("alice", LEAD, "undeliverable").len(), 0);
}

#[test]
fn only_the_beginning_of_a_long_text_is_told() {
    let mut net = Net::team(&["alice", "bob"]);
    net.network.cut("alice", "bob");
    let text = "好".repeat(200_000 / 3);
    net.say("alice", "bob", &text).unwrap();
    fail_text(&mut net, "alice", "bob");
    let expected = format!("{}…", "好".repeat(160));
    assert_eq!(undelivered(&net, LEAD)[0].2.as_deref(), Some(expected.as_str()));
}

#[test]
fn each_lost_copy_of_a_text_to_everyone_is_told_and_failures_of_that_are_not() {
    let mut net = Net::team(&["alice", "bob", "carol"]);
    for other in ["bob", "carol", LEAD] {
        net.network.cut("alice", other);
    }
    assert_eq!(net.say("alice", "*", "hello"), Ok(3));
    for other in ["bob", "carol", LEAD] {
        fail_text(&mut net, "alice", other);
    }
    let to: Vec<String> = undelivered(&net, "alice").into_iter().map(|told| told.1).collect();
    assert_eq!(to, ["bob", "carol", LEAD]);
    let notes: Vec<u64> = net
        .network
        .sent_of("alice", LEAD, "undeliverable")
        .iter()
        .map(|packet| packet.seq)
        .collect();
    assert_eq!(notes.len(), 2);
    let sent = net.network.sent.len();
    for seq in notes {
        net.act("alice", |e, now| e.handle_send_failed(now, seq));
    }
    assert_eq!(net.network.sent.len(), sent, "no note about a note");
    assert_eq!(undelivered(&net, "alice").len(), 3);
}

#[test]
fn what_is_no_text_is_not_told_as_one() {
    let mut net = Net::team(&["alice"]);
    net.network.part("alice", LEAD);
    net.idle("alice");
    net.act("alice", |e, now| e.handle_send_failed(now, 1));
    net.ask_shutdown("alice");
    net.act(LEAD, |e, now| e.handle_send_failed(now, 1));
    assert_eq!((undelivered(&net, "alice"), undelivered(&net, LEAD)), (vec![], vec![]));
}

#[test]
fn only_the_lead_is_told_what_others_could_not_get_through() {
    let mut net = Net::team(&["alice", "bob"]);
    let message = json!({"type": "undeliverable", "to": "bob", "cause": "send_failed"});
    let to_alice = Frame::from_worker(2, "bob", message.clone()).with("to", json!("alice"));
    assert_eq!(verdict(&net.send("bob", "alice", &to_alice.text())), "not_allowed");
    let to_lead = Frame::from_worker(2, "bob", message);
    assert_eq!(verdict(&net.send("bob", LEAD, &to_lead.text())), "undeliverable");
}
