//! To whom something may be said.

use serde_json::json;
use team_protocols::{AskOptions, Event, InvalidMessage, ProtocolError, Role, Uses};

use crate::harness::{Called, Frame, LEAD, Net, code, config, member, plan, verdict};

fn ask(net: &mut Net, from: &str, to: &str) -> Called<()> {
    let asked = net.act(from, |e, now| e.request_shutdown(now, to, None, AskOptions::default()));
    net.run_until_quiet();
    asked.map(|_| ())
}

#[test]
fn an_unknown_name_is_refused_with_the_roster_and_the_nearest_name() {
    let mut net = Net::team(&["engineer", "tester"]);
    for refused in [ask(&mut net, LEAD, "enginer"), net.say(LEAD, "enginer", "hi").map(|_| ())] {
        let Err(ProtocolError::Invalid(InvalidMessage::UnknownRecipient { name, nearest, roster })) =
            refused
        else {
            panic!("{refused:?}");
        };
        assert_eq!(name, "enginer");
        assert_eq!(nearest.unwrap().as_str(), "engineer");
        let roster: Vec<_> = roster.iter().map(|name| name.as_str()).collect();
        assert_eq!(roster, [LEAD, "engineer", "tester"]);
    }
    assert_eq!(code(&ask(&mut net, LEAD, "")), "unknown_recipient");
    assert_eq!(code(&ask(&mut net, LEAD, "../engineer")), "unknown_recipient");
    assert_eq!(code(&ask(&mut net, LEAD, &"x".repeat(100_000))), "unknown_recipient");
    assert_eq!(net.network.sent.len(), 0);
}

#[test]
fn names_differ_in_case() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&ask(&mut net, LEAD, "Alice")), "unknown_recipient");
}

#[test]
fn a_structured_message_is_never_for_everyone() {
    let mut net = Net::team(&["alice", "bob"]);
    assert_eq!(code(&ask(&mut net, LEAD, "*")), "broadcast");
    let message = json!({"type": "shutdown_request", "request_id": "r"});
    let frame = Frame::from_lead("*", message);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "broadcast_frame");
    assert_eq!(net.asked("alice"), 0);
}

#[test]
fn chat_may_go_to_everyone_who_is_there() {
    let mut net = Net::team(&["alice", "bob"]);
    assert_eq!(net.say(LEAD, "*", "stand-up in five"), Ok(2));
    assert_eq!(net.say("alice", "*", "ok"), Ok(2));
    net.exit("bob").unwrap();
    assert_eq!(net.say(LEAD, "*", "bob has left"), Ok(1));
    let heard = net.events("alice").iter().filter(|e| matches!(e, Event::Message(_))).count();
    assert_eq!(heard, 2);
    let frame = Frame::from_lead("*", json!("all hands"));
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "chat");
}

#[test]
fn the_lead_is_no_shutdown_target_not_even_its_own() {
    let mut net = Net::team(&["alice"]);
    for target in [LEAD, "lead", "leader"] {
        assert_eq!(code(&ask(&mut net, LEAD, target)), "to_oneself", "{target}");
        assert_eq!(code(&ask(&mut net, "alice", target)), "not_allowed", "{target}");
    }
    let message = json!({"type": "shutdown_request", "request_id": "r"});
    let frame = Frame::from_worker(1, "alice", message);
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "not_allowed");
    assert_eq!(net.asked(LEAD), 0);
}

#[test]
fn workers_ask_nobody_to_leave_and_each_other_for_no_approval() {
    let mut net = Net::team(&["alice", "bob"]);
    assert_eq!(code(&ask(&mut net, "alice", "bob")), "not_allowed");
    assert_eq!(code(&ask(&mut net, "alice", "alice")), "to_oneself");
    for (seq, message) in (500..).zip([
        json!({"type": "shutdown_request", "request_id": "r"}),
        json!({"type": "plan_approval_request", "request_id": "r", "plan": plan()}),
    ]) {
        let frame = Frame::from_worker(1, "alice", message).with("to", json!("bob")).seq(seq);
        assert_eq!(verdict(&net.send("alice", "bob", &frame.text())), "not_allowed");
    }
    assert_eq!(net.asked("bob"), 0);
    net.say("alice", "bob", "can you look at this?").unwrap();
}

#[test]
fn the_lead_submits_no_plans() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.try_submit(LEAD, plan(), Uses::Once)), "to_oneself");
    let message = json!({"type": "plan_approval_request", "request_id": "r", "plan": plan()});
    let frame = Frame::from_lead("alice", message);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "not_allowed");
}

#[test]
fn an_approver_is_not_shut_down() {
    let mut net =
        Net::with(&["alice"], |config| config.members.push(member("carol", Role::Approver)));
    let mut carol = config(&["alice", "carol"], "carol");
    carol.members[2].role = Role::Approver;
    net.add(carol, 2);
    assert_eq!(code(&ask(&mut net, LEAD, "carol")), "not_allowed");
    net.say(LEAD, "carol", "hello").unwrap();
}

#[test]
fn the_lead_does_not_leave_and_is_not_believed_to() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.exit(LEAD)), "to_oneself");
    for (seq, message) in
        [(500, json!({"type": "exited"})), (501, json!({"type": "exited", "request_id": "r"}))]
    {
        let frame = Frame::from_lead("alice", message).seq(seq).text();
        assert_eq!(verdict(&net.send(LEAD, "alice", &frame)), "not_allowed");
    }
    net.say(LEAD, "alice", "still here").unwrap();
    assert_eq!(net.network.verdicts(LEAD, "alice"), ["chat"]);
}

#[test]
fn nobody_talks_to_itself() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.say("alice", "alice", "hm")), "to_oneself");
    assert_eq!(code(&net.progress(LEAD, None, None)), "to_oneself");
    assert_eq!(code(&net.act(LEAD, |e, now| e.idle(now, None))), "to_oneself");
    assert_eq!(code(&net.exit(LEAD)), "to_oneself");
}

#[test]
fn a_frame_for_another_member_is_not_read() {
    let mut net = Net::team(&["alice", "bob"]);
    let message = json!({"type": "shutdown_request", "request_id": "r"});
    let frame = Frame::from_lead("bob", message);
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "misaddressed");
    assert_eq!(net.asked("alice"), 0);
    let nobody = Frame::from_lead("nobody", json!("hi"));
    assert_eq!(verdict(&net.send(LEAD, "alice", &nobody.text())), "misaddressed");
}

#[test]
fn an_answer_to_a_shutdown_goes_to_the_lead_and_no_one_else() {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.ask_shutdown("alice");
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    let to_bob = Frame::from_worker(1, "alice", message.clone()).with("to", json!("bob"));
    assert_eq!(verdict(&net.send("alice", "bob", &to_bob.text())), "response_not_to_lead");
    let from_lead = Frame::from_lead("alice", message);
    assert_eq!(verdict(&net.send(LEAD, "alice", &from_lead.text())), "not_allowed");
}

#[test]
fn nobody_who_has_left_is_spoken_to_or_speaks() {
    let mut net = Net::team(&["alice"]);
    net.exit("alice").unwrap();
    assert_eq!(code(&net.say(LEAD, "alice", "one more thing")), "recipient_left");
    assert_eq!(code(&ask(&mut net, LEAD, "alice")), "recipient_left");
    assert_eq!(code(&net.say("alice", LEAD, "actually")), "self_leaving");
    assert_eq!(code(&net.exit("alice")), "self_leaving");
    let frame = Frame::from_lead("alice", json!("are you there?"));
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "receiver_left");
}
