//! What ends with a member that leaves, is lost, or is started again.

use serde_json::json;
use team_protocols::{
    Alarm, AskOptions, Cause, ClosedEvent, Event, Incarnation, Liveness, Status, Uses,
};

use crate::harness::{Frame, LEAD, Net, at, code, config, limits, plan, scoped, verdict, yes};

fn closed(net: &Net, own: &str) -> Vec<ClosedEvent> {
    let closed =
        |event: &Event| if let Event::Closed(closed) = event { Some(closed.clone()) } else { None };
    net.events(own).iter().filter_map(closed).collect()
}

fn open_between(net: &Net, own: &str, of: &str) -> usize {
    let view = net.view(own, of);
    view.asked.iter().chain(&view.owed).filter(|view| view.status == Status::Pending).count()
}

// ---- leaving ----

#[test]
fn what_waits_between_the_lead_and_a_leaving_worker_ends_with_its_yes_alone() {
    let mut net = Net::team(&["alice", "bob"]);
    let first = net.submit("alice", scoped(&["write:a"]), Uses::Once);
    net.submit("alice", scoped(&["write:b"]), Uses::Once);
    let of_bob = net.submit("bob", plan(), Uses::Once);
    let id = net.ask_shutdown("alice");
    net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
    let answer = net.network.sent_of("alice", LEAD, "shutdown_response")[0].frame.clone();
    net.network.cut("alice", LEAD);
    // Her withdrawals are lost.
    assert_eq!(verdict(&net.send("alice", LEAD, &answer)), "settled");
    assert_eq!(net.outcome(LEAD, &id).status, Status::Approved);
    assert_eq!(open_between(&net, LEAD, "alice"), 0);
    assert_eq!(net.engine(LEAD).obligations().len(), 1, "bob's");
    assert_eq!(net.status(LEAD, &of_bob), Status::Pending);
    let ended: Vec<_> = closed(&net, LEAD).iter().map(|c| (c.status, c.cause)).collect();
    assert_eq!(ended, [(Status::Cancelled, Cause::Leaving); 2]);
    assert_eq!(code(&net.answer(LEAD, &first, yes())), "not_pending");
}

#[test]
fn the_words_of_a_leaving_worker_about_what_has_ended_change_nothing() {
    let mut net = Net::team(&["alice"]);
    net.submit("alice", plan(), Uses::Once);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    assert_eq!(closed(&net, LEAD).len(), 1, "told once");
    assert_eq!(net.network.verdicts("alice", LEAD), ["accepted", "settled", "duplicate"]);
    assert_eq!(net.alarms(LEAD), []);
}

#[test]
fn a_report_that_is_under_way_still_counts_when_its_worker_leaves() {
    let mut net = Net::team(&["alice"]);
    let plan_id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &plan_id);
    let id = net.ask_shutdown("alice");
    net.network.cut("alice", LEAD);
    net.report("alice", &plan_id, true).unwrap();
    net.network.heal();
    net.approve("alice", &id);
    net.advance(9_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
    net.advance(6_000);
    let reported = net.events(LEAD).iter().any(|event| matches!(event, Event::Report(_)));
    assert!(reported, "{:#?}", net.events(LEAD));
}

#[test]
fn a_report_after_agreeing_to_leave_is_refused_in_words_that_fit() {
    let mut net = Net::team(&["alice"]);
    let plan_id = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &plan_id);
    let id = net.ask_shutdown("alice");
    net.approve("alice", &id);
    let refused = net.report("alice", &plan_id, true);
    assert_eq!(code(&refused), "approval_ended");
    let (message, hint) = {
        let error = refused.unwrap_err();
        let lang = team_protocols::Lang::En;
        (error.message(lang), error.hint(lang))
    };
    assert!(message.contains("agreed to leave"), "{message}");
    assert!(hint.contains("plain text"), "{hint}");
    net.say("alice", LEAD, "half of it is done").unwrap();
    net.exit("alice").unwrap();
    assert_eq!(code(&net.report("alice", &plan_id, true)), "self_leaving");
}

#[test]
fn leaving_stands_however_the_request_ended_and_is_not_called_without_effect() {
    for (ending, status) in [("cancel", Status::Cancelled), ("time", Status::TimedOut)] {
        let mut net = Net::team(&["alice"]);
        let id = net.ask_shutdown("alice");
        net.network.part("alice", LEAD);
        net.approve("alice", &id);
        let answer = net.network.sent_of("alice", LEAD, "shutdown_response")[0].frame.clone();
        if ending == "cancel" {
            net.cancel(LEAD, &id).unwrap();
        } else {
            net.advance(60_000);
        }
        net.network.heal();
        assert_eq!(verdict(&net.send("alice", LEAD, &answer)), "late", "{ending}");
        net.run_until_quiet();
        let told = closed(&net, "alice");
        assert_eq!(told.len(), 1, "{ending}");
        assert_eq!((told[0].status, told[0].approval_without_effect), (status, false));
        assert_eq!(net.engine("alice").presence(), Liveness::Leaving);
        assert_eq!(net.liveness(LEAD, "alice"), Liveness::Leaving);
        net.exit("alice").unwrap();
        assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
    }
}

#[test]
fn a_plan_approved_too_late_still_is_without_effect() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.act(LEAD, |e, now| e.respond(now, &id, yes())).unwrap();
    net.act("alice", |e, now| e.cancel(now, &id)).unwrap();
    net.run_until_quiet();
    let told = closed(&net, LEAD);
    assert_eq!((told.len(), told[0].approval_without_effect), (1, true));
}

#[test]
fn whoever_agrees_to_one_shutdown_agrees_to_all() {
    let mut net = Net::team(&["alice"]);
    let first = net.ask_shutdown("alice");
    net.network.cut(LEAD, "alice");
    net.cancel(LEAD, &first).unwrap();
    net.network.heal();
    let second = net.ask_shutdown("alice");
    assert_eq!(net.engine("alice").obligations().len(), 2, "the withdrawal was lost");
    net.approve("alice", &first);
    assert_eq!(net.engine("alice").obligations(), []);
    let outcome = net.outcome(LEAD, &second);
    assert_eq!((outcome.status, outcome.cause), (Status::Approved, Cause::Member));
    assert_eq!(net.status(LEAD, &first), Status::Cancelled);
    assert_eq!(net.alarms(LEAD), [Alarm::LeftDespiteCancel]);
    net.exit("alice").unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Left);
    net.advance(60_000);
    assert_eq!(net.alarms(LEAD), [Alarm::LeftDespiteCancel]);
}

// ---- lost ----

#[test]
fn a_worker_that_wakes_learns_that_nobody_waits_for_it() {
    let mut net = Net::team(&["alice"]);
    net.network.cut("alice", LEAD);
    net.submit("alice", plan(), Uses::Once);
    let first = net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(10_000);
    let second = net.ask_shutdown("alice");
    net.advance(5_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
    assert_eq!(open_between(&net, LEAD, "alice"), 0);
    let outcome = net.outcome(LEAD, &second);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::PeerLost));
    // She hears: only her own words did not get through.
    assert_eq!(net.engine("alice").obligations(), []);
    let told: Vec<_> = closed(&net, "alice")
        .iter()
        .map(|c| (c.request_id.as_str().to_owned(), c.status, c.cause))
        .collect();
    let expected = [
        (first, Status::TimedOut, Cause::Clock),
        (second.clone(), Status::Cancelled, Cause::PeerLost),
    ];
    assert_eq!(told, expected);
    assert_eq!(code(&net.answer("alice", &second, yes())), "not_pending");
}

#[test]
fn what_a_lost_worker_asked_for_ends_too() {
    let mut net = Net::team(&["alice"]);
    let plan_id = net.submit("alice", plan(), Uses::Once);
    let approved = net.submit("alice", scoped(&["write:x"]), Uses::Once);
    net.approve(LEAD, &approved);
    net.advance(1);
    net.network.part("alice", LEAD);
    net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(15_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost);
    assert_eq!(net.engine(LEAD).obligations(), []);
    let ended: Vec<_> = closed(&net, LEAD).iter().map(|c| (c.status, c.cause)).collect();
    assert_eq!(ended, [(Status::Cancelled, Cause::PeerLost)]);
    assert_eq!(net.status(LEAD, &plan_id), Status::Cancelled);
    // Somebody else may have her work by now.
    net.network.heal();
    net.report("alice", &approved, true).unwrap();
    let reported = net.events(LEAD).iter().any(|event| matches!(event, Event::Report(_)));
    assert!(!reported);
}

// ---- a namesake ----

/// Alice's process is started again, and the lead is told.
fn respawn(net: &mut Net, life: u64) -> Incarnation {
    let now = net.now();
    let life = Incarnation::new(at(now), life);
    let config = team_protocols::Config { incarnation: life, ..config(&["alice"], "alice") };
    net.respawn("alice", config);
    net.act(LEAD, |e, now| e.announce(now, "alice", life)).unwrap();
    net.take_events(LEAD);
    life
}

#[test]
fn a_namesake_owes_nothing_and_is_owed_nothing() {
    let mut net = Net::team(&["alice"]);
    let waiting = net.submit("alice", scoped(&["write:a"]), Uses::Once);
    let approved = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &approved);
    net.enter_gate("alice", "write:src/a").unwrap();
    let asked = net.ask_shutdown("alice");
    net.advance(1_000);
    respawn(&mut net, 9);
    let view = net.view(LEAD, "alice");
    assert_eq!((view.asked.len(), view.owed.len()), (0, 0));
    for id in [&waiting, &approved] {
        assert!(net.engine(LEAD).request(id).is_none(), "even the memory of it is gone");
    }
    assert_eq!(net.engine(LEAD).obligations(), []);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
    assert_eq!(code(&net.answer("alice", &asked, yes())), "unknown_request");
    let talk = net.network.talk(LEAD, "alice").len();
    net.advance(120_000);
    assert_eq!(net.network.talk(LEAD, "alice").len(), talk, "no reminder, receipt or outcome");
    assert_eq!(net.alarms(LEAD), []);
    // The old ids are free for the new life, for nothing of the old one is compared.
    let request = json!({"type": "plan_approval_request", "request_id": approved, "plan": plan()});
    let life = net.engine("alice").incarnation();
    let frame = Frame::new("alice", life, LEAD, request).with("at", json!(at(2_000)));
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "accepted");
}

#[test]
fn a_namesake_of_a_leaving_or_gone_worker_is_there() {
    for exits in [false, true] {
        let mut net = Net::team(&["alice"]);
        let id = net.ask_shutdown("alice");
        net.approve("alice", &id);
        if exits {
            net.exit("alice").unwrap();
        }
        net.advance(1_000);
        respawn(&mut net, 9);
        assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
        net.advance(20_000);
        assert_eq!(net.alarms(LEAD), [], "nobody waits for an exit");
        net.say(LEAD, "alice", "welcome").unwrap();
        let second = net.ask_shutdown("alice");
        assert_ne!(second, id, "the former agreement is not hers");
        net.reject("alice", &second, "just began");
    }
}

#[test]
fn strikes_judgement_and_breaker_do_not_pass_to_a_namesake() {
    let mut net = Net::team(&["alice"]);
    // Two strikes, and a third request that has just timed out: the verdict is still out.
    for _ in 0..2 {
        net.try_shutdown("alice", limits(10_000, None)).unwrap();
        net.advance(15_000);
    }
    net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(10_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect);
    respawn(&mut net, 9);
    net.advance(60_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(15_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Suspect, "her first strike");

    let mut net = Net::team(&["alice"]);
    net.network.part("alice", LEAD);
    net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(15_000);
    assert_eq!(code(&net.try_shutdown("alice", AskOptions::default())), "recipient_lost");
    net.network.heal();
    respawn(&mut net, 9);
    let id = net.ask_shutdown("alice");
    net.advance(30_000);
    assert_eq!(net.status(LEAD, &id), Status::Pending, "no trial with its short limit");
    assert_eq!(net.alarm_count(LEAD, Alarm::LostWorkerAlive), 0);
}

#[test]
fn being_busy_does_not_pass_to_a_namesake() {
    let mut net = Net::team(&["alice"]);
    net.progress("alice", None, Some(500_000)).unwrap();
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Busy);
    net.advance(1_000);
    respawn(&mut net, 9);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Active);
    net.network.part("alice", LEAD);
    net.try_shutdown("alice", limits(10_000, None)).unwrap();
    net.advance(15_000);
    assert_eq!(net.liveness(LEAD, "alice"), Liveness::Lost, "nothing holds the judgement");
}

#[test]
fn idleness_of_a_namesake_is_news() {
    let mut net = Net::team(&["alice"]);
    net.idle("alice");
    net.idle("alice");
    net.advance(1_000);
    respawn(&mut net, 9);
    net.idle("alice");
    net.idle("alice");
    let told = net.events(LEAD).iter().filter(|event| matches!(event, Event::Idle(_))).count();
    assert_eq!(told, 1, "the first of the new life");
}

#[test]
fn a_storm_does_not_pass_to_a_namesake() {
    let mut net = Net::with(&["alice"], |config| {
        config.limits.open_per_member = 1;
        config.limits.repeats_per_request = 1;
    });
    net.advance(1);
    for _ in 0..4 {
        net.idle("alice");
    }
    assert_eq!(net.alarms(LEAD), [Alarm::Storm]);
    respawn(&mut net, 9);
    for _ in 0..2 {
        net.idle("alice");
    }
    let verdicts = net.network.verdicts("alice", LEAD);
    assert_eq!(verdicts[2..], ["throttled", "throttled", "sign_of_life", "idle_again"]);
}

#[test]
fn a_receipt_that_was_due_to_the_former_life_is_not_sent_to_its_namesake() {
    let mut net = Net::team(&["alice"]);
    net.submit("alice", plan(), Uses::Once);
    net.advance(4_000);
    respawn(&mut net, 9);
    net.advance(20_000);
    assert_eq!(net.network.talk(LEAD, "alice"), [] as [&str; 0]);
}

#[test]
fn the_numbers_of_its_frames_begin_anew_with_a_namesake() {
    let mut net = Net::team(&["alice"]);
    for _ in 0..5 {
        net.say("alice", LEAD, "hello").unwrap();
    }
    net.advance(1_000);
    respawn(&mut net, 9);
    net.say("alice", LEAD, "hello again").unwrap();
    assert_eq!(net.network.verdicts("alice", LEAD), ["chat"; 6]);
}
