//! Several members decide: thresholds, vetoes, stages, and approvers that are not there.

use team_protocols::{
    Alarm, Cause, Choice, Config, Event, Liveness, Role, StageSpec, Status, VoteView,
};

use crate::harness::{Called, LEAD, Net, code, member, no, stage, yes};

/// `alice` asks; `carol`, `dave` and `erin` are approvers, `bob` a worker that is one too.
fn team() -> Net {
    let approvers = |config: &mut Config| {
        let more = ["carol", "dave", "erin"].map(|name| member(name, Role::Approver));
        config.members.extend(more);
        let bob = config.members.iter_mut().find(|m| m.name.as_str() == "bob").unwrap();
        bob.approver = true;
    };
    let mut net = Net::with(&["alice", "bob"], approvers);
    for (place, name) in [(3, "carol"), (4, "dave"), (5, "erin")] {
        let mut config = crate::harness::config(&["alice", "bob"], LEAD);
        approvers(&mut config);
        config.member = crate::harness::name(name);
        config.incarnation = crate::harness::life(place);
        net.add(config, place);
    }
    net
}

fn three(threshold: usize) -> Vec<StageSpec> {
    vec![stage(&["carol", "dave", "erin"], threshold, false)]
}

fn votes(net: &Net, id: &str) -> Vec<(String, Choice, bool)> {
    let view = net.engine("alice").request(id).unwrap();
    let row = |vote: &VoteView| (vote.by.as_str().to_owned(), vote.vote, vote.counted);
    view.votes.iter().map(row).collect()
}

/// What a member was told of the end of a request that it had to decide.
fn closed(net: &Net, own: &str, id: &str) -> Vec<Status> {
    let of_it = |event: &Event| {
        let Event::Closed(closed) = event else { return None };
        (closed.request_id.as_str() == id).then_some(closed.status)
    };
    net.events(own).iter().filter_map(of_it).collect()
}

#[test]
fn two_of_three_settle_it_early_and_everybody_learns_the_outcome() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    for approver in ["carol", "dave", "erin"] {
        assert_eq!(net.engine(approver).obligations().len(), 1, "{approver} knows what it owes");
    }
    assert!(net.engine(LEAD).obligations().is_empty());
    net.approve("carol", &id);
    assert_eq!(net.status("alice", &id), Status::Pending);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_no_plan");
    let awaiting = net.engine("alice").request(&id).unwrap().awaiting;
    assert_eq!(awaiting.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["dave", "erin"]);
    net.approve("erin", &id);
    assert_eq!(net.status("alice", &id), Status::Approved);
    net.enter_gate("alice", "write:src/a.rs").unwrap();
    for approver in ["carol", "dave", "erin"] {
        assert_eq!(closed(&net, approver, &id), [Status::Approved], "{approver}");
        assert!(net.engine(approver).obligations().is_empty());
    }
}

#[test]
fn it_is_rejected_as_soon_as_the_threshold_is_out_of_reach() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.reject("carol", &id, "too broad");
    assert_eq!(net.status("alice", &id), Status::Pending);
    net.reject("dave", &id, "no rollback");
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Rejected, Cause::Member));
    assert_eq!(outcome.reason.as_deref(), Some("no rollback"));
    let reasons: Vec<_> = outcome.votes.iter().filter_map(|vote| vote.reason.clone()).collect();
    assert_eq!(reasons, ["too broad", "no rollback"], "no reason is lost");
    assert_eq!(closed(&net, "erin", &id), [Status::Rejected]);
}

#[test]
fn a_late_vote_is_recorded_and_does_not_count() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.network.cut("alice", "erin");
    net.approve("carol", &id);
    net.approve("dave", &id);
    net.network.heal();
    net.answer("erin", &id, no("I was asleep")).unwrap();
    assert_eq!(net.status("alice", &id), Status::Approved);
    let expected = [
        ("carol".to_owned(), Choice::Approve, true),
        ("dave".to_owned(), Choice::Approve, true),
        ("erin".to_owned(), Choice::Reject, false),
    ];
    assert_eq!(votes(&net, &id), expected);
    assert_eq!(closed(&net, "erin", &id), [Status::Approved], "the late voter learns the outcome");
}

#[test]
fn one_no_is_enough_where_there_is_a_veto() {
    let mut net = team();
    let stages = vec![stage(&["carol", "dave", "erin"], 2, true)];
    let id = net.submit_to("alice", stages, None).unwrap();
    net.approve("carol", &id);
    net.reject("dave", &id, "the law forbids it");
    assert_eq!(net.status("alice", &id), Status::Rejected);
}

#[test]
fn stages_come_in_order_and_the_later_one_is_not_bothered_before() {
    let mut net = team();
    let stages = vec![stage(&["carol", "dave"], 1, false), stage(&[LEAD, "erin"], 2, false)];
    let id = net.submit_to("alice", stages, None).unwrap();
    assert!(net.engine(LEAD).obligations().is_empty());
    net.approve("dave", &id);
    assert_eq!(net.engine(LEAD).obligations().len(), 1);
    assert_eq!(net.status("alice", &id), Status::Pending);
    net.approve(LEAD, &id);
    net.approve("erin", &id);
    assert_eq!(net.status("alice", &id), Status::Approved);
    assert_eq!(closed(&net, "carol", &id), [Status::Approved], "asked, and told the end");
}

#[test]
fn a_vote_on_a_stage_that_has_passed_is_recorded_and_does_not_count() {
    let mut net = team();
    let stages = vec![stage(&["carol", "dave"], 1, true), stage(&[LEAD, "erin"], 2, false)];
    let id = net.submit_to("alice", stages, None).unwrap();
    net.approve("dave", &id);
    net.answer("carol", &id, no("I was asleep")).unwrap();
    assert_eq!(net.status("alice", &id), Status::Pending, "the veto came too late");
    let expected =
        [("dave".to_owned(), Choice::Approve, true), ("carol".to_owned(), Choice::Reject, false)];
    assert_eq!(votes(&net, &id), expected);
    net.approve(LEAD, &id);
    net.approve("erin", &id);
    assert_eq!(net.status("alice", &id), Status::Approved);
    assert_eq!(closed(&net, "carol", &id), [Status::Approved], "the late voter learns the outcome");
}

#[test]
fn nobody_votes_twice_and_a_changed_mind_raises_the_alarm() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.approve("carol", &id);
    assert_eq!(code(&net.answer("carol", &id, yes())), "already_answered");
    assert_eq!(code(&net.answer("carol", &id, no("after all"))), "answer_conflicts");
    assert_eq!(net.status("alice", &id), Status::Pending);
}

#[test]
fn whoever_is_not_named_has_no_vote() {
    let mut net = team();
    let id = net.submit_to("alice", vec![stage(&["carol", "dave"], 2, false)], None).unwrap();
    assert_eq!(code(&net.answer("erin", &id, yes())), "unknown_request");
    assert_eq!(code(&net.answer(LEAD, &id, yes())), "unknown_request");
    net.approve("carol", &id);
    assert_eq!(net.status("alice", &id), Status::Pending);
}

#[test]
fn a_panel_that_cannot_decide_is_refused_and_nobody_is_asked() {
    let mut net = team();
    for (stages, expected) in [
        (vec![stage(&[], 1, false)], "invalid_stages"),
        (vec![stage(&["carol"], 0, false)], "invalid_stages"),
        (vec![stage(&["carol"], 2, false)], "invalid_stages"),
        (vec![stage(&["carol", "carol"], 1, false)], "invalid_stages"),
        (vec![stage(&["carol"], 1, false), stage(&["carol"], 1, false)], "invalid_stages"),
        (vec![stage(&["alice", "carol"], 1, false)], "to_oneself"),
        (vec![stage(&["caro"], 1, false)], "unknown_recipient"),
    ] {
        assert_eq!(code(&net.submit_to("alice", stages, None)), expected);
    }
    assert!(net.engine("carol").obligations().is_empty());
    let bob = vec![stage(&["bob", "carol"], 2, false)];
    net.submit_to("alice", bob, None).unwrap();
    assert_eq!(net.engine("bob").obligations().len(), 1, "a worker that is an approver may vote");
}

#[test]
fn a_worker_that_is_no_approver_decides_on_no_plan() {
    let mut net = Net::team(&["alice", "bob"]);
    let refused = net.submit_to("alice", vec![stage(&["bob", LEAD], 1, false)], None);
    assert_eq!(code(&refused), "not_allowed");
}

#[test]
fn when_too_few_are_left_it_ends_as_unreachable() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.act("alice", |e, now| e.member_gone(now, "carol")).unwrap();
    assert_eq!(net.status("alice", &id), Status::Pending, "two are left");
    net.act("alice", |e, now| e.member_gone(now, "dave")).unwrap();
    net.run_until_quiet();
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::QuorumUnreachable));
    assert_eq!(closed(&net, "erin", &id), [Status::Cancelled]);
    for gone in ["carol", "dave"] {
        assert!(net.network.sent_of("alice", gone, "settled").is_empty(), "{gone} reads nothing");
    }
}

#[test]
fn a_no_that_only_the_gone_make_decisive_is_nobodys_refusal_in_whatever_order_they_come() {
    for gone_first in [true, false] {
        let mut net = team();
        let id = net.submit_to("alice", three(2), None).unwrap();
        let leave = |net: &mut Net| {
            net.act("alice", |e, now| e.member_gone(now, "carol")).unwrap();
            net.run_until_quiet();
        };
        if gone_first {
            leave(&mut net);
        }
        net.reject("dave", &id, "not now");
        if !gone_first {
            leave(&mut net);
        }
        let outcome = net.outcome("alice", &id);
        assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::QuorumUnreachable));
        assert_eq!(outcome.by, None, "gone first: {gone_first}");
        assert_eq!(closed(&net, "erin", &id), [Status::Cancelled]);
    }
}

#[test]
fn whoever_has_left_before_is_not_asked_and_may_be_missed() {
    let mut net = team();
    net.act("alice", |e, now| e.member_gone(now, "carol")).unwrap();
    let id = net.submit_to("alice", three(2), None).unwrap();
    assert_eq!(votes(&net, &id), [("carol".to_owned(), Choice::Gone, true)]);
    assert!(net.network.sent_of("alice", "carol", "plan_approval_request").is_empty());
    net.act("alice", |e, now| e.member_gone(now, "dave")).unwrap();
    assert_eq!(net.status("alice", &id), Status::Cancelled);
    let refused = net.submit_to("alice", three(2), None);
    assert_eq!(code(&refused), "recipient_left", "too few are left from the start");
}

#[test]
fn a_silent_panel_times_out_and_each_silent_approver_is_judged() {
    let mut net = team();
    for approver in ["dave", "erin"] {
        net.network.cut("alice", approver);
    }
    let id = net.submit_to("alice", three(3), Some(20_000)).unwrap();
    net.approve("carol", &id);
    net.advance(40_000);
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::TimedOut, Cause::Clock));
    assert_eq!(net.alarm_count("alice", Alarm::ApproverSilent), 2);
    assert_eq!(net.liveness("alice", "carol"), Liveness::Active);
    assert_eq!(net.liveness("alice", "dave"), Liveness::Suspect, "approvers cannot be lost");
    assert_eq!(closed(&net, "carol", &id), [Status::TimedOut]);
}

#[test]
fn every_approver_that_said_yes_gets_the_report_until_it_acknowledges_it() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.reject("erin", &id, "no");
    net.approve("carol", &id);
    net.approve("dave", &id);
    net.network.cut("alice", "dave");
    net.report("alice", &id, true).unwrap();
    let reports = |net: &Net, own: &str| {
        net.events(own).iter().filter(|event| matches!(event, Event::Report(_))).count()
    };
    assert_eq!([reports(&net, "carol"), reports(&net, "dave"), reports(&net, "erin")], [1, 0, 0]);
    net.network.heal();
    net.advance(60_000);
    assert_eq!([reports(&net, "carol"), reports(&net, "dave"), reports(&net, "erin")], [1, 1, 0]);
    assert_eq!(net.alarm_count("alice", Alarm::ReportLost), 0);
}

#[test]
fn a_frame_that_cannot_be_sent_costs_one_vote_and_not_the_request() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    // The second frame of alice's is the one to dave.
    let fail = |e: &mut team_protocols::Engine, now| {
        e.handle_send_failed(now, 2);
        Called::Ok(())
    };
    net.act("alice", fail).unwrap();
    assert_eq!(net.status("alice", &id), Status::Pending);
    assert_eq!(votes(&net, &id), [("dave".to_owned(), Choice::Gone, true)]);
    net.approve("dave", &id);
    let spoke = [("dave".to_owned(), Choice::Approve, true)];
    assert_eq!(votes(&net, &id), spoke, "it had arrived after all, and the vote counts");
    assert_eq!(net.alarm_count("alice", Alarm::ConflictingDecision), 0);
    net.approve("erin", &id);
    assert_eq!(net.status("alice", &id), Status::Approved);
}

#[test]
fn a_withdrawal_reaches_everybody_who_was_asked() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.approve("carol", &id);
    net.cancel("alice", &id).unwrap();
    for approver in ["carol", "dave", "erin"] {
        assert_eq!(closed(&net, approver, &id), [Status::Cancelled], "{approver}");
    }
}

#[test]
fn a_pause_is_told_to_whoever_must_still_decide() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.approve("carol", &id);
    net.pause("alice", &id).unwrap();
    let asked =
        |net: &Net, own: &str| net.network.sent_of("alice", own, "plan_approval_request").len();
    assert_eq!(["carol", "dave", "erin"].map(|own| asked(&net, own)), [1, 2, 2]);
    net.advance(3_600_000);
    assert_eq!(net.status("alice", &id), Status::Pending);
    assert_eq!(net.engine("erin").obligations().len(), 1);
    net.approve("erin", &id);
    assert_eq!(net.status("alice", &id), Status::Approved);
}

#[test]
fn the_report_is_due_from_the_outcome_on_and_progress_tells_everybody_who_approved() {
    let mut net = team();
    let id = net.submit_to("alice", three(2), None).unwrap();
    net.approve("carol", &id);
    net.advance(50_000);
    net.approve("erin", &id);
    net.advance(590_000);
    assert_eq!(net.alarms("carol"), [], "it was settled after her vote");
    net.progress("alice", Some(&id), None).unwrap();
    net.advance(599_999);
    let overdue = |net: &Net, own: &str| net.alarm_count(own, Alarm::ReportOverdue);
    assert_eq!(["carol", "dave", "erin"].map(|own| overdue(&net, own)), [0, 0, 0]);
    net.advance(1);
    assert_eq!(["carol", "dave", "erin"].map(|own| overdue(&net, own)), [1, 0, 1]);
}
