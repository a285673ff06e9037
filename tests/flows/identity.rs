//! Who speaks, and which life of it.

use serde_json::json;
use team_protocols::{Alarm, Cause, Incarnation, Liveness, Sender, Status, Uses};

use crate::harness::{Counting, Frame, LEAD, Net, at, code, config, plan, verdict, yes};

fn idle(from: &str, place: u64) -> Frame {
    Frame::from_worker(place, from, json!({"type": "idle"}))
}

#[test]
fn a_frame_that_claims_another_sender_than_its_channel_is_dropped_and_reported() {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.ask_shutdown("bob");
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    let forged = Frame::from_worker(2, "bob", message);
    assert_eq!(verdict(&net.send("alice", LEAD, &forged.text())), "forged");
    assert_eq!(net.alarms(LEAD), [Alarm::Forged]);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    let entry = net.engine(LEAD).audit().last().unwrap().clone();
    assert_eq!(entry.actor, "alice", "the channel's word");
    assert_eq!(entry.from.unwrap().as_str(), "bob", "the frame's word");
    assert_eq!(entry.request_id.unwrap().as_str(), id);
    assert_eq!(entry.message, Some("shutdown_response"));
    net.approve("bob", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn a_frame_without_a_claimed_sender_is_the_channel_s() {
    let mut net = Net::team(&["alice"]);
    let frame = idle("alice", 1).without("from");
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "sign_of_life");
}

#[test]
fn without_channel_identity_nothing_is_believed_unless_the_host_says_so() {
    let mut net = Net::team(&["alice"]);
    let frame = idle("alice", 1);
    assert_eq!(verdict(&net.deliver(LEAD, &frame.text(), Sender::Unknown)), "unidentified");
    assert_eq!(net.engine(LEAD).audit().last().unwrap().actor, "unidentified");

    let mut net = Net::with(&["alice"], |config| config.trust_claimed_sender = true);
    assert_eq!(verdict(&net.deliver(LEAD, &frame.text(), Sender::Unknown)), "sign_of_life");
    assert_eq!(net.engine(LEAD).audit().last().unwrap().marks, ["claimed_sender"]);
    let nobody = frame.clone().without("from").seq(501);
    assert_eq!(verdict(&net.deliver(LEAD, &nobody.text(), Sender::Unknown)), "unidentified");
    let stranger = idle("mallory", 9);
    assert_eq!(verdict(&net.deliver(LEAD, &stranger.text(), Sender::Unknown)), "unknown_sender");
    let forged = idle("alice", 1).seq(502).with("from", json!(LEAD));
    assert_eq!(verdict(&net.send("alice", LEAD, &forged.text())), "forged", "the channel wins");
}

#[test]
fn strangers_and_one_s_own_echo_are_dropped() {
    let mut net = Net::team(&["alice"]);
    let frame = idle("mallory", 1);
    assert_eq!(verdict(&net.send("mallory", LEAD, &frame.text())), "unknown_sender");
    assert_eq!(verdict(&net.send("../x", LEAD, &idle("alice", 1).text())), "unknown_sender");
    let echo = Frame::from_lead(LEAD, json!({"type": "idle"}));
    assert_eq!(verdict(&net.send(LEAD, LEAD, &echo.text())), "from_self");
}

#[test]
fn aliases_of_the_lead_are_the_lead_on_every_way() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": false,
                         "reason": "busy"});
    let frame = Frame::from_worker(1, "alice", message).with("to", json!("leader"));
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "settled");
    net.say("alice", "lead", "hello").unwrap();
    assert_eq!(net.network.talk("alice", LEAD), ["text"]);
    let from_alias = Frame::from_lead("alice", json!({"type": "idle"})).with("from", json!("lead"));
    assert_eq!(verdict(&net.send("leader", "alice", &from_alias.text())), "sign_of_life");
    let taken = crate::harness::member("Leader", team_protocols::Role::Worker);
    let refused = net.act(LEAD, |e, now| e.add_member(now, &taken));
    assert_eq!(code(&refused), "name_taken");
}

fn reborn(net: &mut Net) -> Incarnation {
    reborn_after(net, 30_000)
}

fn reborn_after(net: &mut Net, ms: u64) -> Incarnation {
    net.advance(ms);
    let life = Incarnation::new(at(net.now()), 7);
    let config = team_protocols::Config { incarnation: life, ..config(&["alice"], "alice") };
    net.respawn("alice", config)
}

#[test]
fn a_new_life_nobody_announced_never_acts_until_it_is_announced() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    let life = reborn(&mut net);
    net.idle("alice");
    assert_eq!(net.network.verdicts("alice", LEAD), ["sign_of_life", "unannounced_life"]);
    assert_eq!(net.alarms(LEAD), [Alarm::UnannouncedLife]);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    net.idle("alice");
    assert_eq!(net.network.verdicts("alice", LEAD).last(), Some(&"sign_of_life"));
    assert_eq!(net.view(LEAD, "alice").incarnation, Some(life));
}

#[test]
fn a_respawn_ends_everything_with_the_former_life() {
    let mut net = Net::team(&["alice"]);
    let plan_id = net.submit("alice", plan(), Uses::Once);
    let id = net.ask_shutdown("alice");
    let life = reborn(&mut net);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    let ended = net.take_events(LEAD).into_iter().find_map(|event| {
        if let team_protocols::Event::Settled(outcome) = event { Some(outcome) } else { None }
    });
    let ended = ended.unwrap();
    assert_eq!(ended.request_id.as_str(), id);
    assert_eq!((ended.status, ended.cause), (Status::Cancelled, Cause::PeerLeft));
    assert_eq!(net.engine(LEAD).obligations(), []);
    assert_eq!(code(&net.answer(LEAD, &plan_id, yes())), "unknown_request");
    let again = net.ask_shutdown("alice");
    net.approve("alice", &again);
    assert_eq!(net.outcome(LEAD, &again).status, Status::Approved);
}

#[test]
fn a_frame_of_a_former_life_is_stale() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    let life = Incarnation::new(at(10), 7);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    let old = idle("alice", 1);
    assert_eq!(verdict(&net.send("alice", LEAD, &old.text())), "stale_incarnation");
    assert_eq!(net.alarms(LEAD), []);
}

#[test]
fn a_request_to_a_former_life_does_not_reach_its_successor() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    net.network.cut(LEAD, "alice");
    net.ask_shutdown("alice");
    let stored = net.network.sent_of(LEAD, "alice", "shutdown_request")[0].frame.clone();
    reborn(&mut net);
    assert_eq!(verdict(&net.send(LEAD, "alice", &stored)), "stale_incarnation");
    assert_eq!(net.asked("alice"), 0);
    assert_eq!(net.engine("alice").presence(), Liveness::Active);
}

#[test]
fn mail_from_before_a_life_began_is_not_meant_for_it_even_without_a_name_of_the_life() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    let stored = net.network.sent_of(LEAD, "alice", "shutdown_request")[0].frame.clone();
    assert!(!stored.contains("to_incarnation"), "the lead did not know the life yet");
    reborn_after(&mut net, 60_001);
    assert_eq!(verdict(&net.send(LEAD, "alice", &stored)), "stale_incarnation");
}

#[test]
fn the_clock_of_a_member_may_be_behind_by_an_idle_limit_when_a_team_begins() {
    let idle_limit = 60_000;
    for (behind, expected) in [(idle_limit, "exit"), (idle_limit + 1, "stale_incarnation")] {
        let mut net = Net::team(&[]);
        let own = config(&["alice"], "alice");
        net.remove(LEAD);
        net.add(config(&["alice"], LEAD), 0);
        net.add_node(own, Box::new(Counting { member: 1, next: 0 }), -behind);
        net.exit("alice").unwrap();
        assert_eq!(net.network.verdicts("alice", LEAD), [expected], "{behind} ms behind");
    }
}

#[test]
fn lives_only_go_forward() {
    let mut net = Net::team(&["alice"]);
    let (later, former) = (Incarnation::new(at(20), 1), Incarnation::new(at(10), 1));
    net.act(LEAD, |e, now| e.announce(now, "alice", later)).unwrap();
    net.act(LEAD, |e, now| e.announce(now, "alice", later)).unwrap();
    let back = net.act(LEAD, |e, now| e.announce(now, "alice", former));
    assert_eq!(code(&back), "life_not_later");
    let own = net.act(LEAD, |e, now| e.announce(now, LEAD, later));
    assert_eq!(code(&own), "life_not_later");
    let nobody = net.act(LEAD, |e, now| e.announce(now, "alcie", later));
    assert_eq!(code(&nobody), "unknown_recipient");
}

#[test]
fn a_frame_that_does_not_count_teaches_no_life() {
    let mut net = Net::team(&["alice"]);
    let old = Incarnation::new(at(0), 99);
    let orphan = json!({"type": "shutdown_response", "request_id": "none", "approve": true});
    for (seq, message, expected) in
        [(1, orphan, "orphan"), (2, json!({"type": "sudo"}), "unknown_type")]
    {
        let frame = Frame::new("alice", old, LEAD, message).seq(seq);
        assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), expected);
    }
    assert_eq!(net.view(LEAD, "alice").incarnation, None);
    net.idle("alice");
    assert_eq!(net.network.verdicts("alice", LEAD), ["sign_of_life"], "alice is not locked out");
}

#[test]
fn a_member_that_left_does_not_speak_and_its_successor_does() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    net.exit("alice").unwrap();
    let ghost = idle("alice", 1);
    assert_eq!(verdict(&net.send("alice", LEAD, &ghost.text())), "sender_left");
    let life = reborn(&mut net);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    net.idle("alice");
    assert_eq!(net.network.verdicts("alice", LEAD).last(), Some(&"sign_of_life"));
}

#[test]
fn a_member_can_join_later() {
    let mut net = Net::team(&["alice"]);
    let bob = crate::harness::member("bob", team_protocols::Role::Worker);
    assert_eq!(code(&net.say(LEAD, "bob", "hi")), "unknown_recipient");
    net.act(LEAD, |e, now| e.add_member(now, &bob)).unwrap();
    net.say(LEAD, "bob", "hi").unwrap();
    let lead = crate::harness::member("boss", team_protocols::Role::Lead);
    assert_eq!(code(&net.act(LEAD, |e, now| e.add_member(now, &lead))), "second_lead");
    assert_eq!(code(&net.act(LEAD, |e, now| e.add_member(now, &bob))), "name_taken");
}

#[test]
fn the_audit_tells_that_a_new_life_was_announced() {
    let mut net = Net::team(&["alice"]);
    let life = Incarnation::new(at(5), 9);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    let entry = net.engine(LEAD).audit().last().cloned().unwrap();
    assert_eq!((entry.code, entry.actor.as_str()), (Some("announced"), "host"));
    assert_eq!(entry.reason, Some(life.to_string()));
}
