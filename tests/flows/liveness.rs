//! Who is still there, judged apart from the requests.

use team_protocols::{Alarm, AlarmEvent, AskOptions, Cause, Event, Liveness, Status, Uses};

use crate::harness::{LEAD, Net, START, code, plan, scoped, yes};

/// Alice's process is gone: nothing comes from her any more.
fn silence(net: &mut Net) {
    net.network.part("alice", LEAD);
}

fn reclaims(net: &Net) -> Vec<AlarmEvent> {
    let reclaim = |event: &Event| {
        if let Event::Alarm(alarm) = event { Some(alarm.clone()) } else { None }
    };
    let alarms = net.events(LEAD).iter().filter_map(reclaim);
    alarms.filter(|event| event.alarm == Alarm::Reclaim).collect()
}

#[test]
fn an_engine_acknowledges_after_five_seconds_what_its_model_has_not_answered() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    net.advance(4_999);
    assert_eq!(net.network.talk("alice", LEAD), [] as [&str; 0]);
    net.advance(1);
    assert_eq!(net.network.talk("alice", LEAD), ["receipt"]);
    net.advance(9_000);
    assert_eq!(net.network.talk("alice", LEAD).len(), 1);
}

#[test]
fn one_receipt_serves_all_requests_of_that_time() {
    let mut net = Net::team(&["alice"]);
    for part in ["a", "b", "c"] {
        net.submit("alice", scoped(&[&format!("write:{part}")]), Uses::Once);
        net.advance(1_000);
    }
    net.advance(10_000);
    assert_eq!(net.network.talk(LEAD, "alice"), ["receipt"]);
}

#[test]
fn another_frame_to_the_requester_saves_the_receipt() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    net.advance(3_000);
    net.say("alice", LEAD, "give me a minute").unwrap();
    net.advance(10_000);
    assert_eq!(net.network.talk("alice", LEAD), ["text"]);
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    net.advance(10_000);
    assert_eq!(net.network.talk("alice", LEAD), ["shutdown_response"]);
}

#[test]
fn a_slow_model_is_suspect_and_not_lost() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    net.advance(60_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active, "a grace passes first");
    let drained = net.events(LEAD).iter().any(|event| matches!(event, Event::Drain(_)));
    assert!(drained, "waiting mail is asked for");
    net.advance(5_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect);
    assert_eq!(net.alarms(LEAD), []);
    let id = net.ask_shutdown("alice");
    net.reject("alice", &id, "busy");
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active, "it answered");
}

#[test]
fn a_dead_process_is_lost_after_one_timeout_and_a_grace() {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    let id = net.ask_shutdown("alice");
    net.advance(64_999);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    net.advance(1);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim]);
    net.advance(3_600_000);
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim], "once");
}

#[test]
fn mail_that_waited_speaks_for_a_silent_member_within_the_grace() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    let answer = net.network.arrive(START).unwrap();
    silence(&mut net);
    net.advance(62_000);
    net.send("alice", LEAD, &answer.frame);
    net.network.heal();
    net.advance(10_000);
    assert_eq!(net.alarm_count(LEAD, Alarm::WorkerLost), 0);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
}

#[test]
fn a_model_that_lives_and_never_answers_is_lost_after_three_timeouts_in_a_row() {
    let mut net = Net::team(&["alice"]);
    for strike in 1..=3 {
        net.ask_shutdown("alice");
        net.advance(60_000);
        assert_eq!(net.alarms(LEAD), [], "strike {strike}");
        net.advance(5_000);
    }
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim]);
}

#[test]
fn an_answer_wipes_out_the_strikes() {
    let mut net = Net::team(&["alice"]);
    for _ in 0..4 {
        for _ in 0..2 {
            net.ask_shutdown("alice");
            net.advance(65_000);
        }
        let id = net.ask_shutdown("alice");
        net.reject("alice", &id, "busy");
    }
    assert_eq!(net.alarms(LEAD), []);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
}

#[test]
fn the_reclaim_names_what_the_lost_worker_held() {
    let mut net = Net::team(&["alice"]);
    let working = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &working);
    let waiting = net.submit("alice", scoped(&["delete:x"]), Uses::Once);
    silence(&mut net);
    net.ask_shutdown("alice");
    net.advance(65_000);
    let reclaims = reclaims(&net);
    assert_eq!(reclaims.len(), 1);
    let held: Vec<_> =
        reclaims[0].holding.iter().map(|h| (h.request_id.as_str(), h.status)).collect();
    assert_eq!(held, [(working.as_str(), Status::Approved), (waiting.as_str(), Status::Pending)]);
    assert_eq!(reclaims[0].holding[0].title.as_deref(), Some("tidy up"));
    assert_eq!(reclaims[0].holding[0].scope, ["write:src/**"]);
    assert_eq!(net.status(LEAD, &waiting), Status::Cancelled);
    assert_eq!(net.engine(LEAD).obligations(), []);
}

#[test]
fn a_worker_lost_over_one_request_ends_the_others_too() {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    net.try_shutdown("alice", crate::harness::limits(10_000, None)).unwrap();
    net.advance(10_000);
    let second = net.ask_shutdown("alice");
    net.advance(5_000);
    let outcome = net.outcome(LEAD, &second);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLost));
}

fn lost_alice() -> Net {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    net.ask_shutdown("alice");
    net.advance(65_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
    net
}

#[test]
fn a_lost_worker_gets_nothing_until_the_cool_down_lets_one_short_trial_through() {
    let mut net = lost_alice();
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "recipient_lost");
    assert_eq!(code(&net.say(LEAD, "alice", "are you there?")), "recipient_lost");
    net.advance(60_000);
    let trial = net.ask_shutdown("alice");
    net.advance(9_999);
    assert_eq!(net.status(LEAD, &trial), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &trial).status, Status::TimedOut);
    let early = net.try_shutdown("alice", AskOptions::default());
    assert_eq!(code(&early), "recipient_lost", "no second trial before the judgement");
    net.advance(5_000);
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "recipient_lost");
    assert_eq!(net.alarm_count(LEAD, Alarm::WorkerLost), 1);
    net.advance(60_000);
    net.network.heal();
    let trial = net.ask_shutdown("alice");
    net.reject("alice", &trial, "back again");
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    let free = net.ask_shutdown("alice");
    net.advance(30_000);
    assert_eq!(net.status(LEAD, &free), Status::Pending, "the full limit again");
}

#[test]
fn while_a_trial_is_under_way_there_is_no_second_one() {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    net.ask_shutdown("alice");
    net.advance(65_000);
    net.advance(60_000);
    net.ask_shutdown("alice");
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "recipient_lost");
}

#[test]
fn a_frame_of_a_lost_worker_raises_the_alarm_and_opens_the_breaker_halfway() {
    let mut net = lost_alice();
    net.network.heal();
    net.idle("alice");
    assert_eq!(net.alarm_count(LEAD, Alarm::LostWorkerAlive), 1);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect);
    let trial = net.ask_shutdown("alice");
    net.advance(10_000);
    assert_eq!(net.outcome(LEAD, &trial).status, Status::TimedOut, "a trial is short");
}

#[test]
fn a_worker_that_said_it_is_busy_is_not_judged_until_then() {
    let mut net = Net::team(&["alice"]);
    net.progress("alice", None, Some(300_000)).unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Busy);
    silence(&mut net);
    let id = net.ask_shutdown("alice");
    net.advance(60_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut, "the request is not held");
    net.advance(239_999);
    assert_eq!(net.alarms(LEAD), []);
    net.advance(1);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
}

#[test]
fn nobody_is_busy_for_longer_than_the_cap() {
    let mut net = Net::team(&["alice"]);
    net.progress("alice", None, Some(u64::MAX / 4096)).unwrap();
    net.advance(599_999);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Busy);
    net.advance(1);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
}

#[test]
fn a_silent_lead_is_never_lost_and_reported_once() {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    for _ in 0..3 {
        net.submit("alice", plan(), Uses::Once);
        net.advance(65_000);
    }
    assert_eq!(net.liveness("alice", LEAD), Liveness::Suspect);
    assert_eq!(net.alarms("alice"), [Alarm::LeadSilent]);
    net.network.heal();
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    assert_eq!(net.liveness("alice", LEAD), Liveness::Active);
    net.enter_gate("alice", "write:src/a").unwrap();
}

#[test]
fn a_lead_whose_engine_lives_and_whose_model_never_answers_is_silent_too() {
    let mut net = Net::team(&["alice"]);
    for _ in 0..5 {
        net.submit("alice", plan(), Uses::Once);
        net.advance(65_000);
    }
    assert_eq!(net.alarms("alice"), [Alarm::LeadSilent]);
}

#[test]
fn after_a_clock_jump_waiting_mail_may_still_speak() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(61_000);
    // Both computers sleep for an hour; alice's answer lies in the mailbox.
    net.sleep_without_waking(3_600_000);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(net.alarms(LEAD), [], "nobody is lost by sleeping");
    net.advance(4_000);
    net.idle("alice");
    net.advance(10_000);
    assert_eq!(net.alarms(LEAD), []);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect);
}

#[test]
fn a_clock_jump_over_a_judgement_puts_it_off_once_and_for_one_grace() {
    let mut net = Net::team(&["alice"]);
    silence(&mut net);
    net.ask_shutdown("alice");
    net.advance(61_000);
    net.take_events(LEAD);
    net.sleep_without_waking(3_600_000);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    let drained = net.events(LEAD).iter().filter(|e| matches!(e, Event::Drain(_))).count();
    assert_eq!(drained, 1);
    net.sleep_without_waking(3_600_000);
    net.act(LEAD, team_protocols::Engine::handle_deadline);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
}

#[test]
fn after_a_clock_jump_one_reminder_goes_out_and_not_three() {
    let mut net = Net::team(&["alice"]);
    net.ask_shutdown("alice");
    net.sleep_through(50_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 2);
}

#[test]
fn the_host_s_word_that_a_process_ended_settles_everything_with_it() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act(LEAD, |e, now| e.member_gone(now, "alice")).unwrap();
    let outcome = net.outcome(LEAD, &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLeft));
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "recipient_left");
    let of_lead = net.act(LEAD, |e, now| e.member_gone(now, LEAD));
    assert_eq!(code(&of_lead), "to_oneself");
}
