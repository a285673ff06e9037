//! Nobody answers in time.

use team_protocols::{AskOptions, Cause, Event, Millis, SettleCode, Status, Uses};

use crate::harness::{LEAD, Net, code, limits, plan, yes};

#[test]
fn a_request_times_out_at_sixty_seconds_and_not_before() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(59_999);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.advance(1);
    let outcome = net.outcome(LEAD, &id);
    assert_eq!(outcome.status, Status::TimedOut);
    assert_eq!(outcome.code, Some(SettleCode::TimeoutRejected));
    assert_eq!(outcome.cause, Cause::Clock);
    assert_eq!(outcome.by, None, "nobody decided");
    assert_eq!(outcome.settled_at, crate::harness::at(60_000));
}

#[test]
fn the_other_side_is_told_and_owes_nothing_more() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(60_000);
    let settled = net.network.sent_of(LEAD, "alice", "settled");
    assert_eq!(settled.len(), 1);
    assert!(settled[0].frame.contains("TIMEOUT_REJECTED"));
    assert_eq!(net.engine("alice").obligations(), []);
    assert_eq!(net.status("alice", &id), Status::TimedOut);
    assert_eq!(code(&net.answer("alice", &id, yes())), "not_pending");
    let closed = net.events("alice").iter().any(|event| {
        matches!(event, Event::Closed(c) if c.cause == Cause::Clock && !c.approval_without_effect)
    });
    assert!(closed);
}

#[test]
fn the_deadline_is_checked_when_the_answer_arrives() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    let answer = net.network.arrive(crate::harness::START).unwrap();
    // No timer fired in between: the host slept.
    net.sleep_without_waking(60_000);
    let late = net.send("alice", LEAD, &answer.frame);
    assert_eq!(crate::harness::verdict(&late), "late");
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
}

#[test]
fn an_answer_in_the_last_millisecond_counts() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(59_999);
    net.approve("alice", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn three_reminders_go_out_under_the_same_id_with_the_answer_spelled_out() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    for (wait, count) in [(15_000, 1), (15_000, 2), (15_000, 3), (14_999, 3)] {
        net.advance(wait);
        let requests = net.network.sent_of(LEAD, "alice", "shutdown_request");
        assert_eq!(requests.len(), 1 + count, "at {}", net.now());
    }
    let requests = net.network.sent_of(LEAD, "alice", "shutdown_request");
    for (count, packet) in requests.iter().enumerate() {
        let frame: serde_json::Value = serde_json::from_str(&packet.frame).unwrap();
        assert_eq!(frame["message"]["request_id"], id.as_str());
        let Some(reminder) = frame["reminder"].as_object() else {
            assert_eq!(count, 0, "only the first is no reminder");
            continue;
        };
        assert_eq!(reminder["count"], count);
        let text = reminder["text"].as_str().unwrap();
        for part in [id.as_str(), "shutdown_response", "\"approve\":true", "\"approve\":false"] {
            assert!(text.contains(part), "{text}");
        }
    }
    assert_eq!(net.asked("alice"), 1, "the host is asked once");
    let reminded =
        net.events("alice").iter().filter(|event| matches!(event, Event::Reminder(_))).count();
    assert_eq!(reminded, 3);
}

#[test]
fn the_spelled_out_answers_are_what_the_obligation_says() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.advance(15_000);
    let obligations = net.engine(LEAD).obligations();
    let reminder = net.events(LEAD).iter().find_map(|event| {
        if let Event::Reminder(reminder) = event { Some(reminder.clone()) } else { None }
    });
    let text = reminder.unwrap().text;
    for shape in [&obligations[0].approve_with, &obligations[0].reject_with] {
        assert!(text.contains(shape.as_str()), "{text} lacks {shape}");
        let shape: serde_json::Value = serde_json::from_str(shape).unwrap();
        assert_eq!(shape["to"], "alice");
        assert_eq!(shape["message"]["request_id"], id.as_str());
        assert_eq!(shape["message"]["type"], "plan_approval_response");
    }
}

#[test]
fn a_reminder_brings_back_an_answer_that_was_lost() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.network.cut("alice", LEAD);
    net.approve("alice", &id);
    net.network.heal();
    net.advance(15_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
    assert_eq!(net.asked("alice"), 1);
    assert_eq!(net.network.sent_of("alice", LEAD, "shutdown_response").len(), 2);
}

#[test]
fn a_reminder_brings_a_request_that_was_lost() {
    let mut net = Net::team(&["alice"]);
    net.network.cut(LEAD, "alice");
    let id = net.ask_shutdown("alice");
    net.network.heal();
    net.advance(15_000);
    assert_eq!(net.asked("alice"), 1);
    net.approve("alice", &id);
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
}

#[test]
fn progress_restarts_the_idle_limit_and_the_reminders_and_never_the_cap() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    for _ in 0..11 {
        net.advance(50_000);
        net.progress("alice", Some(&id), None).unwrap();
        assert_eq!(net.status(LEAD, &id), Status::Pending);
    }
    net.advance(49_999);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(net.now(), 600_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 1 + 12 * 3);
}

#[test]
fn progress_on_what_is_over_or_unknown_is_refused() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.progress("alice", Some("req_none"), None)), "unknown_request");
    let id = net.ask_shutdown("alice");
    net.reject("alice", &id, "busy");
    assert_eq!(code(&net.progress("alice", Some(&id), None)), "not_pending");
}

#[test]
fn limits_can_be_set_per_request_and_contradictions_are_refused() {
    let mut net = Net::team(&["alice"]);
    let id = net.try_shutdown("alice", limits(1_000, None)).unwrap();
    net.advance(999);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(code(&net.try_shutdown("alice", limits(2_000, Some(1_000)))), "timeout_over_cap");
    assert_eq!(code(&net.try_shutdown("alice", limits(0, None))), "zero_limit");
    let long = limits(40 * 86_400_000, None);
    let id = net.try_shutdown("alice", long).unwrap();
    let view = net.engine(LEAD).request(&id).unwrap();
    let days = view.expires_at.unwrap().since(view.since);
    assert_eq!(days, Millis::new(40 * 86_400_000), "a long limit raises the cap");
}

#[test]
fn deadlines_of_weeks_come_to_the_millisecond() {
    const WEEK: u64 = 7 * 86_400_000;
    let mut net = Net::team(&["alice"]);
    let id = net.try_shutdown("alice", limits(8 * WEEK, Some(9 * WEEK))).unwrap();
    net.advance(7 * WEEK);
    net.progress("alice", Some(&id), None).unwrap();
    net.advance(2 * WEEK - 1);
    assert_eq!(net.status(LEAD, &id), Status::Pending);
    net.act("alice", team_protocols::Engine::handle_deadline);
    assert_eq!(net.engine("alice").obligations()[0].time_left_ms, Millis::new(1));
    net.advance(1);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    assert_eq!(net.outcome(LEAD, &id).settled_at, crate::harness::at(9 * WEEK));
}

#[test]
fn a_short_cap_alone_shortens_the_idle_limit() {
    let mut net = Net::team(&["alice"]);
    let options =
        AskOptions { timeout: None, cap: Some(Millis::new(5_000)), ..AskOptions::default() };
    let id = net.try_shutdown("alice", options).unwrap();
    net.advance(5_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
}

#[test]
fn the_other_side_knows_how_long_its_answer_is_in_time() {
    let mut net = Net::team(&["alice"]);
    let id = net.try_shutdown("alice", limits(10_000, Some(30_000))).unwrap();
    net.advance(4_000);
    net.act("alice", team_protocols::Engine::handle_deadline);
    let left = |net: &Net| net.engine("alice").obligations()[0].time_left_ms.as_ms();
    assert_eq!(left(&net), 6_000);
    net.progress("alice", Some(&id), None).unwrap();
    assert_eq!(left(&net), 10_000, "progress restarts the idle limit");
    for _ in 0..3 {
        net.advance(8_000);
        net.progress("alice", Some(&id), None).unwrap();
    }
    assert_eq!(left(&net), 2_000, "and never the cap");
}

#[test]
fn a_reminder_tells_anew_how_long_the_requester_waits() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(15_000);
    let obligation = net.engine("alice").obligations().remove(0);
    assert_eq!(obligation.request.request_id.as_str(), id);
    assert_eq!(obligation.time_left_ms, Millis::new(45_000));
}

#[test]
fn a_clock_that_goes_backward_moves_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = net.ask_shutdown("alice");
    net.advance(59_000);
    let back = crate::harness::at(1_000);
    net.act(LEAD, |e, _| e.handle_deadline(back));
    net.act(LEAD, |e, _| e.handle_deadline(team_protocols::Timestamp::from_ms(0)));
    net.advance(1_000);
    assert_eq!(net.outcome(LEAD, &id).status, Status::TimedOut);
    let again = net.act(LEAD, |e, _| e.request_shutdown(back, "alice", None, limits(5_000, None)));
    let view = net.engine(LEAD).request(again.unwrap().as_str()).unwrap();
    assert_eq!(view.since, crate::harness::at(60_000), "time stands still, it does not go back");
}

#[test]
fn with_a_tenth_of_all_frames_lost_nearly_every_handshake_completes() {
    let mut timed_out = 0;
    for seed in 0..300 {
        let weather = crate::harness::Weather { loss: 100, duplication: 50, delay: 2_000 };
        let mut net = Net::stormy(&["alice"], seed, weather);
        let id = net.ask_shutdown("alice");
        let mut answered = false;
        while net.status(LEAD, &id) == Status::Pending {
            net.advance(500);
            if !answered && net.asked("alice") == 1 {
                net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
                answered = true;
            }
        }
        timed_out += u32::from(net.outcome(LEAD, &id).status == Status::TimedOut);
    }
    assert!(timed_out <= 3, "{timed_out} of 300 timed out");
}
