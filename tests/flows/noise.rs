//! What is said again and again is told once, and answered within reason.

use serde_json::{Value, json};
use team_protocols::{Alarm, Event, IdleEvent, Millis, Status, Uses};

use crate::harness::{Frame, LEAD, Net, Random, Weather, code, digest, no, plan, scoped, tool};
use crate::harness::{verdict, yes};

fn idles(net: &Net) -> Vec<IdleEvent> {
    let idle =
        |event: &Event| if let Event::Idle(idle) = event { Some(idle.clone()) } else { None };
    net.events(LEAD).iter().filter_map(idle).collect()
}

fn told(net: &mut Net) -> usize {
    net.idle("alice");
    idles(net).len()
}

// ---- idle ----

#[test]
fn a_member_that_goes_on_being_idle_is_told_of_once_and_every_notice_is_audited() {
    let mut net = Net::team(&["alice"]);
    for _ in 0..5 {
        assert_eq!(told(&mut net), 1);
        net.advance(1_000);
    }
    let verdicts = ["sign_of_life", "idle_again", "idle_again", "idle_again", "idle_again"];
    assert_eq!(net.network.verdicts("alice", LEAD), verdicts);
    assert_eq!(net.audit_codes(LEAD)["idle_again"], 4);
}

#[test]
fn every_member_is_idle_for_itself() {
    let mut net = Net::team(&["alice", "bob"]);
    net.idle("alice");
    net.idle("bob");
    net.idle("alice");
    let from: Vec<String> = idles(&net).iter().map(|e| e.from.as_str().to_owned()).collect();
    assert_eq!(from, ["alice", "bob"]);
}

#[test]
fn whatever_else_a_member_says_makes_its_next_idleness_news() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(told(&mut net), 1);
    net.say("alice", LEAD, "looking around").unwrap();
    assert_eq!((told(&mut net), told(&mut net)), (2, 2));
    net.progress("alice", None, None).unwrap();
    assert_eq!((told(&mut net), told(&mut net)), (3, 3));
    let id = net.submit("alice", plan(), Uses::Once);
    assert_eq!((told(&mut net), told(&mut net)), (4, 4));
    net.approve(LEAD, &id);
    assert_eq!((told(&mut net), told(&mut net)), (5, 5), "her plan was decided on");
    net.report("alice", &id, true).unwrap();
    assert_eq!((told(&mut net), told(&mut net)), (6, 6));
}

#[test]
fn idleness_is_told_again_with_what_is_owed_when_that_has_changed() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    let id = net.ask_shutdown("alice");
    net.advance(1_000);
    assert_eq!((told(&mut net), told(&mut net)), (2, 2));
    net.reject("alice", &id, "busy");
    assert_eq!((told(&mut net), told(&mut net)), (3, 3));
    let second = net.ask_shutdown("alice");
    assert_eq!((told(&mut net), told(&mut net)), (4, 4));
    net.cancel(LEAD, &second).unwrap();
    assert_eq!((told(&mut net), told(&mut net)), (5, 5));
    let unanswered: Vec<Vec<String>> = idles(&net)
        .iter()
        .map(|idle| idle.unanswered.iter().map(|id| id.as_str().to_owned()).collect())
        .collect();
    assert_eq!(unanswered, [vec![], vec![id], vec![], vec![second], vec![]]);
}

#[test]
fn reminders_and_receipts_are_no_news() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    assert_eq!(told(&mut net), 1);
    net.advance(16_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 2, "a reminder");
    net.advance(6_000);
    assert_eq!(net.network.sent_of("alice", LEAD, "receipt").len(), 1);
    assert_eq!(told(&mut net), 1);
}

#[test]
fn a_frame_that_counts_for_nothing_is_no_news() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(told(&mut net), 1);
    let unknown = json!({"type": "execute_sudo"});
    let orphan = json!({"type": "shutdown_response", "request_id": "nope", "approve": true});
    for (seq, message) in (500..).zip([unknown, orphan]) {
        net.send("alice", LEAD, &Frame::from_worker(1, "alice", message).seq(seq).text());
    }
    let after = Frame::from_worker(1, "alice", json!({"type": "idle"})).seq(510);
    assert_eq!(verdict(&net.send("alice", LEAD, &after.text())), "idle_again");
}

// ---- to oneself ----

#[test]
fn what_comes_back_from_oneself_is_dropped_whatever_it_says() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    let before = net.engine(LEAD).state_hash();
    for (seq, message) in (500..).zip([
        json!("my own words"),
        json!({"type": "idle"}),
        json!({"type": "shutdown_request", "request_id": "r"}),
        json!({"type": "shutdown_response", "request_id": id, "approve": true}),
        json!({"type": "exited"}),
    ]) {
        let echo = Frame::new(LEAD, crate::harness::life(0), LEAD, message).seq(seq);
        assert_eq!(verdict(&net.send(LEAD, LEAD, &echo.text())), "from_self");
        let alias = echo.with("to", json!("lead")).with("from", json!("leader"));
        assert_eq!(verdict(&net.send("lead", LEAD, &alias.text())), "from_self");
    }
    assert_eq!(net.engine(LEAD).state_hash(), before);
    assert_eq!(net.events(LEAD), []);
    assert_eq!(net.audit_codes(LEAD)["from_self"], 10);
}

#[test]
fn a_model_that_addresses_itself_is_refused_and_nothing_is_sent() {
    let mut net = Net::team(&["alice"]);
    let to_self = |to: &str, message: Value| json!({"to": to, "message": message});
    for (own, input) in [
        ("alice", to_self("alice", json!("note to myself"))),
        (LEAD, to_self(LEAD, json!("note to myself"))),
        (LEAD, to_self("lead", json!({"type": "shutdown_request"}))),
        (LEAD, to_self(LEAD, json!({"type": "idle"}))),
        (LEAD, to_self(LEAD, json!({"type": "exited"}))),
    ] {
        assert_eq!(code(&tool(&mut net, own, input.clone())), "to_oneself", "{own}: {input}");
    }
    assert_eq!(net.network.sent.len(), 0);
}

// ---- storms ----

/// One frame of alice's, delivered over and over.
fn again(net: &mut Net, frame: &Frame, times: usize) -> Vec<&'static str> {
    (0..times).map(|_| verdict(&net.send("alice", LEAD, &frame.text()))).collect()
}

fn from_alice(message: Value, seq: u64) -> Frame {
    Frame::from_worker(1, "alice", message).seq(seq)
}

fn sent_to_alice(net: &Net) -> usize {
    net.network.talk(LEAD, "alice").len()
}

/// As many repeats as a lead bears from one member: for 64 requests, and for those that began.
const BORNE: usize = 64 * 40;

#[test]
fn a_storm_of_a_frame_raises_one_alarm_per_window_and_gets_no_more_answers() {
    let mut net = Net::team(&["alice"]);
    let message = json!({"type": "plan_approval_request", "request_id": "p", "plan": plan()});
    let frame = from_alice(message, 500);
    assert_eq!(again(&mut net, &frame, 1), ["accepted"]);
    net.reject(LEAD, "p", "no");
    let borne = BORNE + 40;
    assert!(again(&mut net, &frame, borne).iter().all(|v| *v == "duplicate"));
    let answered = sent_to_alice(&net);
    assert_eq!(answered, 1 + borne, "each of them got the answer");
    assert!(again(&mut net, &frame, 5_000).iter().all(|v| *v == "throttled"));
    assert_eq!(sent_to_alice(&net), answered);
    assert_eq!(net.alarms(LEAD), [Alarm::Storm]);
    net.advance(10_000);
    assert_eq!(again(&mut net, &frame, 2), ["duplicate", "duplicate"], "the window is over");
    assert_eq!(sent_to_alice(&net), answered + 2);
    again(&mut net, &frame, 3_000);
    assert_eq!(net.alarms(LEAD), [Alarm::Storm, Alarm::Storm]);
}

#[test]
fn the_same_request_in_fresh_frames_is_throttled_too() {
    let mut net = Net::team(&["alice"]);
    let message = json!({"type": "plan_approval_request", "request_id": "p", "plan": plan()});
    let mut verdicts = Vec::new();
    for seq in 500..500 + 1 + 2 * BORNE as u64 {
        verdicts.push(verdict(&net.send("alice", LEAD, &from_alice(message.clone(), seq).text())));
    }
    let count = |verdict| verdicts.iter().filter(|other| **other == verdict).count();
    assert_eq!((count("accepted"), count("asked_again")), (1, BORNE + 40));
    assert_eq!(count("throttled"), BORNE - 40);
    assert_eq!(net.alarms(LEAD), [Alarm::Storm]);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
}

/// A lead that bears one repeat per window and open request.
fn touchy() -> Net {
    Net::with(&["alice", "bob"], |config| {
        config.limits.open_per_member = 1;
        config.limits.repeats_per_request = 1;
    })
}

/// Alice's last frame comes until she is throttled.
fn enrage(net: &mut Net) {
    let idle = from_alice(json!({"type": "idle"}), 500);
    let verdicts = again(net, &idle, 12);
    assert_eq!(verdicts.last(), Some(&"throttled"), "{verdicts:?}");
    assert_eq!(net.alarm_count(LEAD, Alarm::Storm), 1);
}

#[test]
fn a_storm_keeps_no_answer_no_request_and_no_news_out() {
    let mut net = touchy();
    let id = net.ask_shutdown("alice");
    enrage(&mut net);
    let request = json!({"type": "plan_approval_request", "request_id": "p", "plan": plan()});
    assert_eq!(again(&mut net, &from_alice(request, 501), 1), ["accepted"]);
    assert_eq!(again(&mut net, &from_alice(json!("help"), 502), 1), ["chat"]);
    let progress = json!({"type": "progress", "request_id": id});
    assert_eq!(again(&mut net, &from_alice(progress, 503), 1), ["progress"]);
    let answer = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    assert_eq!(again(&mut net, &from_alice(answer, 504), 1), ["settled"]);
    assert_eq!(net.status(LEAD, &id), Status::Approved);
    assert_eq!(again(&mut net, &from_alice(json!({"type": "exited"}), 505), 1), ["exit"]);
}

#[test]
fn a_storm_hides_neither_the_first_contradiction_nor_that_a_worker_leaves() {
    let mut net = touchy();
    let id = net.ask_shutdown("alice");
    net.reject("alice", &id, "busy");
    enrage(&mut net);
    let answer = |approve: bool, seq| {
        let message = json!({"type": "shutdown_response", "request_id": id, "approve": approve,
                             "reason": "busy"});
        from_alice(message, seq)
    };
    assert_eq!(again(&mut net, &answer(true, 510), 1), ["conflicting"]);
    assert_eq!(net.alarm_count(LEAD, Alarm::ConflictingDecision), 1);
    for seq in 511..520 {
        assert_eq!(again(&mut net, &answer(true, seq), 1), ["throttled"]);
    }
    assert_eq!(net.alarm_count(LEAD, Alarm::ConflictingDecision), 1);
    let second = net.ask_shutdown("alice");
    net.cancel(LEAD, &second).unwrap();
    let late = json!({"type": "shutdown_response", "request_id": second, "approve": true});
    again(&mut net, &from_alice(json!({"type": "progress", "request_id": id}), 520), 3);
    assert_eq!(again(&mut net, &from_alice(late, 521), 1), ["late"]);
    assert_eq!(net.alarm_count(LEAD, Alarm::LeftDespiteCancel), 1);
    assert_eq!(net.alarm_count(LEAD, Alarm::Storm), 1);
}

#[test]
fn late_answers_are_told_the_outcome_only_so_often() {
    let mut net = touchy();
    let id = net.ask_shutdown("alice");
    net.cancel(LEAD, &id).unwrap();
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": false,
                         "reason": "busy"});
    let mut verdicts = Vec::new();
    for seq in 500..520 {
        verdicts.extend(again(&mut net, &from_alice(message.clone(), seq), 1));
    }
    let settled = net.network.sent_of(LEAD, "alice", "settled").len();
    assert_eq!(settled, verdicts.iter().filter(|verdict| **verdict == "late").count());
    assert_eq!(verdicts[2..], ["throttled"; 18]);
    assert_eq!(net.alarms(LEAD), [Alarm::Storm]);
}

#[test]
fn one_senders_storm_is_nobody_elses() {
    let mut net = touchy();
    enrage(&mut net);
    net.idle("bob");
    net.idle("bob");
    assert_eq!(net.network.verdicts("bob", LEAD), ["sign_of_life", "idle_again"]);
}

#[test]
fn frames_of_a_former_life_do_not_count_against_its_successor() {
    let mut net = touchy();
    net.idle("alice");
    let next = team_protocols::Incarnation::new(crate::harness::at(5), 1);
    net.act(LEAD, |e, now| e.announce(now, "alice", next)).unwrap();
    let old = from_alice(json!({"type": "idle"}), 700);
    assert!(again(&mut net, &old, 50).iter().all(|verdict| *verdict == "stale_incarnation"));
    assert_eq!(net.alarms(LEAD), []);
}

/// Every request that is allowed, each with all its reminders, its answer and its report lost as
/// long as the rules allow, and everything delivered twice: no storm, on either side.
#[test]
fn the_most_that_honest_members_repeat_is_no_storm() {
    for (timeout, open, seed) in [(60_000, 64, 1), (9_000, 8, 2), (1_000, 8, 3), (200, 8, 4)] {
        let mut net = Net::with(&["alice"], |config| {
            config.timing.timeout = Millis::new(timeout);
            config.limits.open_per_member = open;
        });
        net.network.weather = Weather { loss: 0, duplication: 1_000, delay: 0 };
        let mut random = Random::new(seed);
        for round in 0..2 {
            net.act(LEAD, |e, now| e.request_shutdown(now, "alice", None, Default::default()))
                .unwrap();
            for part in 0..open {
                let scope = format!("write:{round}/{part}");
                net.act("alice", |e, now| {
                    e.submit_plan(now, scoped(&[&scope]), Uses::Once, Default::default())
                })
                .unwrap();
            }
            // The reminders go out; some answers come, and come again with them.
            net.advance(timeout * 3 / 4 + 1);
            for owed in net.engine(LEAD).obligations() {
                let id = owed.request.request_id.as_str().to_owned();
                let response = if random.below(2) == 0 { yes() } else { no("not now") };
                net.act(LEAD, |e, now| e.respond(now, &id, response)).unwrap();
            }
            net.run_until_quiet();
            for view in net.view("alice", LEAD).asked {
                let id = view.request_id.as_str().to_owned();
                drop(net.act("alice", |e, now| e.report(now, &id, true, None)));
            }
            net.advance(timeout);
        }
        assert!(net.audit_codes(LEAD).contains_key("duplicate"));
        for own in [LEAD, "alice"] {
            assert_eq!(net.alarm_count(own, Alarm::Storm), 0, "{own} at {timeout}");
            assert!(!net.audit_codes(own).contains_key("throttled"), "{own} at {timeout}");
        }
    }
}

#[test]
fn a_decision_that_answers_a_storm_of_reminders_is_sent_at_once() {
    let mut net = touchy();
    let message = json!({"type": "plan_approval_request", "request_id": "p", "plan": plan(),
                         "uses": "once"});
    for seq in 500..520 {
        again(&mut net, &from_alice(message.clone(), seq), 1);
    }
    assert_eq!(net.alarms(LEAD), [Alarm::Storm]);
    net.approve(LEAD, "p");
    let sent = net.network.sent_of(LEAD, "alice", "plan_approval_response");
    assert_eq!(sent.len(), 1);
    assert!(sent[0].frame.contains(&digest(&plan(), Uses::Once)));
}
