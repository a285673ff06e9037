//! A shutdown that is asked again by itself: after the time that the refusal names, until the
//! worker agrees, has refused often enough, or is gone.

use team_protocols::{
    Alarm, AskOptions, Asking, Cause, Details, Escalation, EscalationEvent, EscalationStep, Event,
    Incarnation, Kind, Liveness, Millis, Outcome, Response, SectionPolicy, Status, Verdict,
};

use crate::harness::{LEAD, Net, Weather, at, code, config, limits, no};

fn up_to(attempts: u32) -> AskOptions {
    let escalation = Escalation { attempts, ..Escalation::default() };
    AskOptions { escalate: Some(escalation), ..AskOptions::default() }
}

/// Alice is asked to leave, up to so many times.
fn asked(attempts: u32) -> (Net, String) {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.try_shutdown("alice", up_to(attempts)).unwrap();
    (net, id)
}

/// Alice says no, and when to ask again.
fn refuse(net: &mut Net, id: &str, reason: &str, retry_after: Option<u64>) {
    let retry_after = retry_after.map(Millis::new);
    net.answer("alice", id, Response { retry_after, ..no(reason) }).unwrap();
}

fn steps(net: &Net) -> Vec<EscalationEvent> {
    let step = |event: &Event| {
        if let Event::Escalation(step) = event { Some((**step).clone()) } else { None }
    };
    net.events(LEAD).iter().filter_map(step).collect()
}

/// What has happened, as attempt and step.
fn walked(net: &Net) -> Vec<(u32, EscalationStep)> {
    steps(net).iter().map(|step| (step.attempt.attempt, step.step)).collect()
}

/// What came of it all; it must have been told exactly once.
fn end(net: &Net) -> Outcome {
    let ends: Vec<_> = steps(net).into_iter().filter_map(|step| step.outcome).collect();
    assert_eq!(ends.len(), 1, "{ends:#?}");
    ends[0].clone()
}

fn goes_on(net: &Net) -> bool {
    !walked(net).iter().any(|(_, step)| *step == EscalationStep::Ended)
}

/// The request that alice must answer now.
fn owed(net: &Net) -> Option<String> {
    let mut owed = net.engine("alice").obligations();
    assert!(owed.len() <= 1);
    owed.pop().map(|owed| owed.request.request_id.as_str().to_owned())
}

#[test]
fn it_is_asked_again_exactly_when_the_refusal_says() {
    let (mut net, first) = asked(3);
    net.advance(1_000);
    refuse(&mut net, &first, "tests are running", Some(12_345));
    assert_eq!(net.outcome(LEAD, &first).status, Status::Rejected);
    let view = net.engine(LEAD).request(&first).unwrap();
    assert_eq!(view.attempt.and_then(|attempt| attempt.next_at), Some(at(13_345)));
    net.advance(12_344);
    assert_eq!(owed(&net), None);
    net.advance(1);
    let second = owed(&net).expect("it is asked again");
    assert_ne!(second, first);
    net.approve("alice", &second);
    assert_eq!(net.outcome(LEAD, &second).status, Status::Approved);
    let outcome = end(&net);
    let requests: Vec<&str> = outcome.requests.iter().map(|id| id.as_str()).collect();
    assert_eq!(requests, [&first, &second]);
    assert_eq!((outcome.status, outcome.request_id.as_str()), (Status::Approved, second.as_str()));
    assert_eq!(net.alarms(LEAD), []);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
}

#[test]
fn each_attempt_is_a_retry_of_the_one_before() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(500));
    net.advance(500);
    let second = net.engine("alice").obligations().remove(0).request;
    let follows = second.follows.expect("a line of requests");
    assert_eq!((follows.request_id.as_str(), follows.link.name()), (first.as_str(), "retry"));
    assert_eq!(second.reason.as_deref(), Some("work is done"));
    assert_eq!(net.status(LEAD, &first), Status::Rejected, "the first decision stays");
}

#[test]
fn every_attempt_has_the_limits_and_the_reminders_of_the_first() {
    let mut net = Net::team(&["alice"]);
    let options = AskOptions { ..up_to(2) };
    let options = AskOptions { timeout: Some(Millis::new(8_000)), ..options };
    let first = net.try_shutdown("alice", options).unwrap();
    refuse(&mut net, &first, "busy", Some(500));
    net.advance(500);
    let second = owed(&net).unwrap();
    let view = net.engine(LEAD).request(&second).unwrap();
    assert_eq!(view.expires_at, Some(at(8_500)));
    let before = net.network.sent_of(LEAD, "alice", "shutdown_request").len();
    net.advance(7_999);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), before + 3);
}

#[test]
fn refused_as_often_as_it_may_be_asked_is_one_alarm_with_the_last_reason() {
    let (mut net, _) = asked(3);
    for reason in ["tests", "more tests", "the last test"] {
        let id = owed(&net).unwrap();
        refuse(&mut net, &id, reason, Some(1_000));
        net.advance(1_000);
    }
    assert_eq!(owed(&net), None);
    let alarms: Vec<_> = net
        .events(LEAD)
        .iter()
        .filter_map(|event| if let Event::Alarm(alarm) = event { Some(alarm) } else { None })
        .collect();
    assert_eq!(alarms.len(), 1);
    assert_eq!(alarms[0].alarm, Alarm::RefusedRepeatedly);
    let refused = alarms[0].refused.clone().unwrap();
    assert_eq!((refused.times, refused.requests.len()), (3, 3));
    assert_eq!(refused.reason.as_deref(), Some("the last test"));
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.requests.len()), (Status::Rejected, 3));
    assert_eq!(outcome.reason.as_deref(), Some("the last test"));
    net.advance(1_000_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 3);
}

#[test]
fn without_a_time_it_waits_for_the_default_and_never_longer_than_the_bound() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", None);
    assert_eq!(steps(&net).last().unwrap().attempt.next_at, Some(at(60_000)));
    net.advance(60_000);
    let second = owed(&net).unwrap();
    refuse(&mut net, &second, "busy for weeks", Some(2_000_000_000));
    assert_eq!(steps(&net).last().unwrap().attempt.next_at, Some(at(60_000 + 3_600_000)));

    let mut net = Net::team(&["alice"]);
    let (retry_after, longest) = (Some(Millis::new(700)), Some(Millis::new(900)));
    let escalation = Escalation { attempts: 3, retry_after, longest };
    let options = AskOptions { escalate: Some(escalation), ..AskOptions::default() };
    let first = net.try_shutdown("alice", options).unwrap();
    refuse(&mut net, &first, "busy", None);
    net.advance(700);
    let second = owed(&net).unwrap();
    refuse(&mut net, &second, "busy", Some(5_000));
    net.advance(899);
    assert_eq!(owed(&net), None);
    net.advance(1);
    assert!(owed(&net).is_some());
}

#[test]
fn each_step_is_told_and_in_the_audit() {
    let (mut net, first) = asked(2);
    refuse(&mut net, &first, "tests", Some(1_000));
    net.advance(1_000);
    let second = owed(&net).unwrap();
    refuse(&mut net, &second, "more tests", Some(1_000));
    let told = steps(&net);
    let of_steps: Vec<_> =
        told.iter().map(|step| (step.step, step.attempt.attempt, step.attempt.of)).collect();
    let expected = [
        (EscalationStep::Asked, 1, 2),
        (EscalationStep::Waiting, 1, 2),
        (EscalationStep::Asked, 2, 2),
        (EscalationStep::Ended, 2, 2),
    ];
    assert_eq!(of_steps, expected);
    assert_eq!(told[1].reason.as_deref(), Some("tests"));
    assert_eq!(told[1].attempt.next_at, Some(at(1_000)));
    let entries: Vec<_> = net
        .engine(LEAD)
        .audit()
        .filter(|entry| entry.verdict == Verdict::Escalated)
        .map(|entry| {
            (entry.code.unwrap(), entry.request_id.clone().unwrap(), entry.attempt.unwrap())
        })
        .collect();
    assert_eq!(entries.len(), told.len());
    for ((code, id, attempt), step) in entries.iter().zip(&told) {
        assert_eq!(*code, step.step.code());
        assert_eq!((id, attempt), (&step.request_id, &step.attempt));
    }
    let codes = net.audit_codes(LEAD);
    assert_eq!(codes.get("refused_repeatedly"), Some(&1));
}

#[test]
fn a_critical_section_is_asked_again_when_it_is_over() {
    let mut net = Net::team(&["alice"]);
    let eta = Some(9_000);
    let section = net.enter_section("alice", "tests", eta, SectionPolicy::Reject);
    net.try_shutdown("alice", up_to(2)).unwrap();
    assert_eq!(steps(&net).last().unwrap().attempt.next_at, Some(at(9_000)));
    net.advance(8_000);
    net.leave_section("alice", section);
    net.advance(1_000);
    let second = owed(&net).expect("the section is over, and the host is asked");
    net.approve("alice", &second);
    assert_eq!(end(&net).status, Status::Approved);
}

#[test]
fn a_withdrawal_between_two_attempts_ends_it() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    let hash = net.engine(LEAD).state_hash().to_string();
    net.cancel(LEAD, &first).unwrap();
    assert_ne!(net.engine(LEAD).state_hash().to_string(), hash);
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Member));
    assert_eq!(net.status(LEAD, &first), Status::Rejected, "what was decided stays");
    net.advance(100_000);
    assert_eq!(owed(&net), None);
    assert_eq!(code(&net.cancel(LEAD, &first)), "not_pending", "there is nothing left to end");
}

#[test]
fn a_withdrawal_of_any_attempt_ends_the_present_one() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.advance(5_000);
    let second = owed(&net).unwrap();
    net.cancel(LEAD, &first).unwrap();
    assert_eq!(net.outcome(LEAD, &second).status, Status::Cancelled);
    assert_eq!(owed(&net), None, "the worker is told");
    assert_eq!(end(&net).cause, Cause::Member);
    assert_eq!(net.status(LEAD, &first), Status::Rejected);
}

#[test]
fn a_worker_that_leaves_between_two_attempts_ends_it() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.exit("alice").unwrap();
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLeft));
    net.advance(100_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 1);

    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.act(LEAD, |e, now| e.member_gone(now, "alice")).unwrap();
    assert_eq!(end(&net).cause, Cause::PeerLeft);
}

#[test]
fn a_worker_that_leaves_during_an_attempt_has_done_what_was_asked() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.advance(5_000);
    let second = owed(&net).unwrap();
    net.network.cut("alice", LEAD);
    net.approve("alice", &second);
    net.network.heal();
    net.exit("alice").unwrap();
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Approved, Cause::PeerLeft));
}

#[test]
fn a_worker_lost_in_the_second_attempt_is_reclaimed_and_asked_no_more() {
    let (mut net, first) = asked(4);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.advance(4_000);
    net.network.part("alice", LEAD);
    net.advance(61_000);
    assert_eq!(walked(&net).last(), Some(&(2, EscalationStep::Waiting)), "the verdict is out");
    net.advance(5_000);
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim]);
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLost));
    assert_eq!(outcome.requests.len(), 2);
    let sent = net.network.sent_of(LEAD, "alice", "shutdown_request").len();
    net.advance(500_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), sent);
}

#[test]
fn a_worker_that_lives_and_never_answers_is_asked_until_it_is_lost() {
    let (mut net, _) = asked(5);
    net.advance(700_000);
    assert_eq!(net.alarms(LEAD), [Alarm::WorkerLost, Alarm::Reclaim]);
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLost));
    assert_eq!(outcome.requests.len(), 3, "three timeouts in a row");
}

#[test]
fn a_last_attempt_that_times_out_ends_it_as_that() {
    let (mut net, first) = asked(2);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.advance(5_000 + 60_000);
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::TimedOut, Cause::Clock));
    assert!(!net.alarms(LEAD).contains(&Alarm::RefusedRepeatedly));
}

#[test]
fn nobody_is_asked_again_while_its_verdict_is_out() {
    let mut net = Net::with(&["alice"], |config| config.timing.ask_again = Millis::new(1));
    net.try_shutdown("alice", up_to(3)).unwrap();
    net.act("alice", |e, now| e.progress(now, None, None, Some(Millis::new(90_000)))).unwrap();
    net.run_until_quiet();
    net.advance(60_000);
    assert_eq!(walked(&net).last(), Some(&(1, EscalationStep::Waiting)));
    assert_eq!(steps(&net).last().unwrap().attempt.next_at, Some(at(90_000)), "it said busy");
    net.advance(29_999);
    assert_eq!(walked(&net).last(), Some(&(1, EscalationStep::Waiting)));
    net.advance(1);
    assert_eq!(walked(&net).last(), Some(&(2, EscalationStep::Asked)));
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect);
}

#[test]
fn a_new_life_is_not_asked_for_the_former_one() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.advance(1_000);
    let mut reborn = config(&["alice", "bob"], "alice");
    reborn.incarnation = Incarnation::new(at(1_000), 77);
    let life = net.respawn("alice", reborn);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    let outcome = end(&net);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLeft));
    net.advance(100_000);
    assert_eq!(owed(&net), None);
}

#[test]
fn while_it_waits_the_same_is_not_asked_by_hand() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "already_pending");
    let all = net.act(LEAD, |e, now| e.shutdown_all(now, None, AskOptions::default())).unwrap();
    let of_alice = all.iter().find(|worker| worker.member.as_str() == "alice").unwrap();
    assert!(matches!(&of_alice.asked, Asking::Pending(id) if id.as_str() == first));
    let view = net.view(LEAD, "alice");
    assert_eq!(view.asked.len(), 1, "what waits is shown");
    assert_eq!(code(&net.pause(LEAD, &first)), "not_pending", "this is no time of a person's");
    assert!(goes_on(&net));
}

#[test]
fn everyone_may_be_asked_like_this() {
    let mut net = Net::team(&["alice", "bob"]);
    let all = net.act(LEAD, |e, now| e.shutdown_all(now, None, up_to(2))).unwrap();
    net.run_until_quiet();
    assert!(all.iter().all(|worker| matches!(worker.asked, Asking::New(_))));
    for own in ["alice", "bob"] {
        let id = net.engine(own).obligations()[0].request.request_id.as_str().to_owned();
        let again = Response { retry_after: Some(Millis::new(100)), ..no("busy") };
        net.answer(own, &id, again).unwrap();
    }
    net.advance(100);
    for own in ["alice", "bob"] {
        let id = net.engine(own).obligations()[0].request.request_id.as_str().to_owned();
        net.approve(own, &id);
    }
    let ends = steps(&net).into_iter().filter_map(|step| step.outcome);
    assert_eq!(ends.filter(|outcome| outcome.status == Status::Approved).count(), 2);
    let refused = net.act(LEAD, |e, now| e.shutdown_all(now, None, up_to(0)));
    assert_eq!(code(&refused), "bad_escalation", "nobody was asked");
}

#[test]
fn a_closed_engine_asks_no_more() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.act(LEAD, |e, now| e.close(now));
    assert_eq!(end(&net).cause, Cause::Closed);
    assert_eq!(net.engine(LEAD).poll_deadline(), None);
}

#[test]
fn a_request_that_could_not_be_sent_ends_it() {
    let mut net = Net::team(&["alice"]);
    let options = up_to(3);
    net.network.cut(LEAD, "alice");
    net.try_shutdown("alice", options).unwrap();
    net.act(LEAD, |e, now| e.handle_send_failed(now, 1));
    assert_eq!((end(&net).status, end(&net).cause), (Status::Cancelled, Cause::SendFailed));
}

#[test]
fn it_needs_no_more_room_than_one_request() {
    let mut net = Net::with(&["alice"], |config| {
        config.limits.open_per_member = 1;
        config.limits.remembered_per_member = 1;
    });
    net.try_shutdown("alice", up_to(8)).unwrap();
    for _ in 0..7 {
        let id = owed(&net).expect("asked again");
        refuse(&mut net, &id, "busy", Some(10));
        net.advance(10);
    }
    let last = owed(&net).unwrap();
    net.approve("alice", &last);
    assert_eq!((end(&net).status, end(&net).requests.len()), (Status::Approved, 8));
}

#[test]
fn only_what_asks_to_leave_is_asked_again_and_within_the_bound() {
    let mut net = Net::team(&["alice"]);
    for attempts in [0, 9, u32::MAX] {
        assert_eq!(code(&net.try_shutdown("alice", up_to(attempts))), "bad_escalation");
    }
    let wanted = Kind::parse("plan_request").unwrap();
    let asked =
        net.act(LEAD, |e, now| e.ask_for(now, &wanted, "alice", Details::default(), up_to(3)));
    assert_eq!(code(&asked), "bad_escalation");
    assert_eq!(net.engine(LEAD).audit().filter(|e| e.verdict == Verdict::Accepted).count(), 0);
    let first = net.try_shutdown("alice", up_to(8)).unwrap();
    net.cancel(LEAD, &first).unwrap();
    assert_eq!(end(&net).status, Status::Cancelled);
    let retry = |attempts| AskOptions {
        follows: Some(team_protocols::FollowSpec {
            request_id: first.clone(),
            link: team_protocols::Link::Retry,
            justification: None,
        }),
        ..up_to(attempts)
    };
    assert_eq!(code(&net.try_shutdown("alice", retry(8))), "bad_escalation", "one is used up");
    net.try_shutdown("alice", retry(7)).unwrap();
}

#[test]
fn a_host_that_oversleeps_asks_once() {
    let (mut net, first) = asked(3);
    refuse(&mut net, &first, "busy", Some(5_000));
    net.sleep_through(3_000_000);
    net.run_until_quiet();
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 2);
    let second = owed(&net).unwrap();
    net.approve("alice", &second);
    assert_eq!(end(&net).status, Status::Approved);
}

#[test]
fn in_bad_weather_it_ends_once_and_with_what_its_last_request_ended_with() {
    for seed in 0..60 {
        let weather = Weather { loss: 200, duplication: 200, delay: 3_000 };
        let mut net = Net::stormy(&["alice"], seed, weather);
        net.try_shutdown("alice", AskOptions { ..up_to(4) }).unwrap();
        for round in 0..4_000 {
            net.advance(250);
            if let Some(id) = owed(&net)
                && round % 8 == 0
            {
                let now = net.engine("alice").request(&id).map(|view| view.follows);
                if now.flatten().is_some() && seed % 3 == 0 {
                    net.answer("alice", &id, crate::harness::yes()).unwrap();
                } else {
                    refuse(&mut net, &id, "busy", Some(2_000));
                }
            }
            if !goes_on(&net) {
                break;
            }
        }
        let outcome = end(&net);
        let last = outcome.requests.last().unwrap().as_str();
        assert_eq!(outcome.request_id.as_str(), last, "seed {seed}");
        if outcome.cause != Cause::PeerLost {
            assert_eq!(net.outcome(LEAD, last).status, outcome.status, "seed {seed}");
        }
        for (place, id) in outcome.requests.iter().enumerate() {
            let status = net.outcome(LEAD, id.as_str()).status;
            let again = matches!(status, Status::Rejected | Status::TimedOut);
            assert!(again || place + 1 == outcome.requests.len(), "seed {seed}: {status:?}");
        }
    }
}

#[test]
fn the_limits_of_a_plain_request_are_not_touched() {
    let mut net = Net::team(&["alice"]);
    let first = net.try_shutdown("alice", limits(1_000, None)).unwrap();
    refuse(&mut net, &first, "busy", Some(500));
    net.advance(100_000);
    assert_eq!(net.network.sent_of(LEAD, "alice", "shutdown_request").len(), 1);
    assert_eq!(steps(&net), []);
}
