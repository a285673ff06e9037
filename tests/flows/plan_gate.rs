//! A worker asks for a plan to be approved, and works under it.

use serde_json::json;
use team_protocols::{Alarm, Cause, Event, Response, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, digest, no, plan, scoped, verdict, yes};

#[test]
fn a_guarded_action_is_denied_without_a_plan_and_while_one_waits() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_no_plan");
    let id = net.submit("alice", plan(), Uses::UntilReport);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a.rs")), "gate_no_plan");
    net.approve(LEAD, &id);
    assert_eq!(net.enter_gate("alice", "write:src/a.rs").unwrap().1, id);
}

#[test]
fn an_approval_covers_its_scope_and_nothing_else() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", scoped(&["write:src/**", "delete:old.rs"]), Uses::UntilReport);
    net.approve(LEAD, &id);
    for allowed in ["write:src/a", "write:src/a/b/c", "delete:old.rs"] {
        net.enter_gate("alice", allowed).unwrap();
    }
    for denied in ["write:src", "write:srcs/a", "delete:src/a", "delete:old.rs2", "Write:src/a"] {
        let refused = net.enter_gate("alice", denied);
        let expected = if denied.starts_with('W') { "bad_action" } else { "gate_out_of_scope" };
        assert_eq!(code(&refused), expected, "{denied}");
    }
    for nonsense in ["", "write", "write:", "write:a/../b", "write:./a", "write:src/*", "x:a\\b"] {
        assert_eq!(code(&net.enter_gate("alice", nonsense)), "bad_action", "{nonsense:?}");
    }
}

#[test]
fn the_lead_sees_the_plan_and_the_worker_gets_the_feedback() {
    let mut net = Net::team(&["bob"]);
    let id = net.submit("bob", plan(), Uses::Once);
    let Some(Event::Request(request)) = net.events(LEAD).first().cloned() else {
        panic!("the lead was not asked");
    };
    assert_eq!(request.plan, Some(plan()));
    assert_eq!(request.uses, Some(Uses::Once));
    assert_eq!(request.digest, Some(plan().digest(Uses::Once)));
    net.reject(LEAD, &id, "too risky: take a backup first");
    let outcome = net.outcome("bob", &id);
    assert_eq!(outcome.status, Status::Rejected);
    assert_eq!(outcome.by.unwrap().as_str(), LEAD);
    assert_eq!(outcome.reason.as_deref(), Some("too risky: take a backup first"));
    assert_eq!(code(&net.enter_gate("bob", "write:src/a")), "gate_no_plan");
    let better = scoped(&["write:src/a"]);
    let second = net.submit("bob", better, Uses::Once);
    net.approve(LEAD, &second);
    net.enter_gate("bob", "write:src/a").unwrap();
}

#[test]
fn an_approval_may_carry_a_note() {
    let mut net = Net::team(&["bob"]);
    let id = net.submit("bob", plan(), Uses::Once);
    let note = Response { reason: Some("mind the tests".into()), ..yes() };
    net.answer(LEAD, &id, note).unwrap();
    assert_eq!(net.outcome("bob", &id).reason.as_deref(), Some("mind the tests"));
}

#[test]
fn our_own_rejection_of_a_plan_says_why() {
    let mut net = Net::team(&["bob"]);
    let id = net.submit("bob", plan(), Uses::Once);
    assert_eq!(code(&net.answer(LEAD, &id, no(" "))), "reason_required");
    assert_eq!(net.status("bob", &id), Status::Pending);
}

#[test]
fn a_foreign_rejection_without_feedback_counts_and_is_marked() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    let frame = Frame::from_lead(
        "alice",
        json!({"type": "plan_approval_response", "request_id": id, "approve": false,
               "digest": digest(&plan(), Uses::Once)}),
    );
    assert_eq!(verdict(&net.send(LEAD, "alice", &frame.text())), "settled");
    assert_eq!(net.outcome("alice", &id).status, Status::Rejected);
    let marked = net
        .engine("alice")
        .audit()
        .any(|entry| entry.status == Some(Status::Rejected) && entry.marks.contains(&"no_reason"));
    assert!(marked);
}

#[test]
fn a_decision_on_another_plan_is_no_decision_on_this_one() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    let answer = |digest: String, seq: u64| {
        let message = json!({"type": "plan_approval_response", "request_id": id,
                             "approve": true, "digest": digest});
        Frame::from_lead("alice", message).seq(seq).text()
    };
    let other = scoped(&["write:src/**", "delete:src/**"]);
    for (seq, wrong) in
        [(500, digest(&other, Uses::Once)), (501, digest(&plan(), Uses::UntilReport))]
    {
        let frame = answer(wrong, seq);
        assert_eq!(verdict(&net.send(LEAD, "alice", &frame)), "digest_mismatch");
    }
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
    let right = answer(digest(&plan(), Uses::Once), 502);
    assert_eq!(verdict(&net.send(LEAD, "alice", &right)), "settled");
    net.enter_gate("alice", "write:src/a").unwrap();
}

#[test]
fn a_one_shot_approval_is_spent_when_work_starts() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    let (permit, _) = net.enter_gate("alice", "write:src/a").unwrap();
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_spent");
    net.start_failed("alice", permit).unwrap();
    let (second, _) = net.enter_gate("alice", "write:src/b").unwrap();
    assert_eq!(code(&net.start_failed("alice", permit)), "unknown_permit");
    assert_eq!(code(&net.enter_gate("alice", "write:src/b")), "gate_spent");
    net.report("alice", &id, true).unwrap();
    assert_eq!(code(&net.enter_gate("alice", "write:src/b")), "gate_no_plan");
    assert_eq!(code(&net.start_failed("alice", second)), "unknown_permit");
}

#[test]
fn a_multi_use_approval_lasts_until_the_report() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &id);
    for _ in 0..5 {
        net.enter_gate("alice", "write:src/a").unwrap();
    }
    net.report("alice", &id, true).unwrap();
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
    assert_eq!(code(&net.report("alice", &id, false)), "already_answered");
}

#[test]
fn the_report_reaches_the_lead_and_is_acknowledged() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    net.report("alice", &id, false).unwrap();
    let reports: Vec<_> =
        net.events(LEAD).iter().filter(|event| matches!(event, Event::Report(_))).collect();
    let Some(Event::Report(report)) = reports.first() else { panic!("no report") };
    assert_eq!(report.request_id.as_str(), id);
    assert!(!report.ok);
    assert_eq!(report.detail.as_deref(), Some("broke"));
    assert_eq!(net.network.talk(LEAD, "alice"), ["plan_approval_response", "receipt"]);
    net.advance(600_000);
    assert_eq!(net.network.sent_of("alice", LEAD, "execution_report").len(), 1);
    assert_eq!(net.alarms("alice"), []);
}

#[test]
fn a_lost_report_is_sent_again_until_it_is_acknowledged_and_told_once() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.approve(LEAD, &id);
    net.network.cut("alice", LEAD);
    net.report("alice", &id, true).unwrap();
    net.advance(20_000);
    net.network.heal();
    net.network.cut(LEAD, "alice");
    net.advance(20_000);
    net.network.heal();
    net.advance(600_000);
    let told = net.events(LEAD).iter().filter(|event| matches!(event, Event::Report(_))).count();
    assert_eq!(told, 1);
    assert_eq!(net.network.sent_of("alice", LEAD, "execution_report").len(), 4);
    assert_eq!(net.engine("alice").team().iter().map(|m| m.asked.len()).sum::<usize>(), 0);
}

#[test]
fn only_an_approved_plan_is_reported_on() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.report("alice", "req_nothing", true)), "unknown_request");
    let id = net.submit("alice", plan(), Uses::Once);
    assert_eq!(code(&net.report("alice", &id, true)), "not_approved");
    net.reject(LEAD, &id, "no");
    assert_eq!(code(&net.report("alice", &id, true)), "not_approved");
    assert_eq!(net.network.sent_of("alice", LEAD, "execution_report").len(), 0);
}

#[test]
fn approved_too_late_leaves_the_gate_shut_and_says_so() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.network.cut("alice", LEAD);
    net.advance(60_000);
    assert_eq!(net.outcome("alice", &id).status, Status::TimedOut);
    net.network.heal();
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::TimedOut);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
    let without_effect = net
        .events(LEAD)
        .iter()
        .any(|event| matches!(event, Event::Closed(closed) if closed.approval_without_effect));
    assert!(without_effect, "{:#?}", net.events(LEAD));
    assert_eq!(net.status(LEAD, &id), Status::TimedOut);
    assert_eq!(net.alarm_count("alice", Alarm::LeftDespiteCancel), 0);
}

#[test]
fn a_withdrawn_plan_opens_no_gate() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::Once);
    net.cancel("alice", &id).unwrap();
    assert_eq!(code(&net.answer(LEAD, &id, yes())), "not_pending");
    let outcome = net.outcome("alice", &id);
    assert_eq!((outcome.status, outcome.cause), (Status::Cancelled, Cause::Member));
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
}

#[test]
fn the_same_plan_waits_once_and_two_plans_side_by_side() {
    let mut net = Net::team(&["alice"]);
    let first = net.submit("alice", plan(), Uses::Once);
    assert_eq!(code(&net.try_submit("alice", plan(), Uses::Once)), "already_pending");
    let second = net.submit("alice", scoped(&["write:docs/a"]), Uses::Once);
    net.approve(LEAD, &second);
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_out_of_scope");
    net.approve(LEAD, &first);
    assert_eq!(net.enter_gate("alice", "write:src/a").unwrap().1, first);
    assert_eq!(net.enter_gate("alice", "write:docs/a").unwrap().1, second);
}

#[test]
fn a_new_life_of_the_lead_shuts_the_gate_that_the_old_one_opened() {
    let mut net = Net::team(&["alice"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &id);
    net.enter_gate("alice", "write:src/a").unwrap();
    let later = team_protocols::Incarnation::new(crate::harness::at(5), 9);
    net.act("alice", |e, now| e.announce(now, LEAD, later)).unwrap();
    assert_eq!(code(&net.enter_gate("alice", "write:src/a")), "gate_no_plan");
}

#[test]
fn a_plan_that_breaks_a_rule_is_never_sent() {
    let mut net = Net::team(&["alice"]);
    let blank_title = team_protocols::Plan { title: "\u{200b}".into(), ..plan() };
    let blank_risk = team_protocols::Plan { risk: " ".into(), ..plan() };
    for (plan, expected) in [
        (blank_title, "blank"),
        (blank_risk, "blank"),
        (scoped(&["write"]), "invalid_scope"),
        (scoped(&["write:a/../b"]), "invalid_scope"),
        (team_protocols::Plan { text: "x".repeat(300_000), ..plan() }, "text_too_long"),
    ] {
        assert_eq!(code(&net.try_submit("alice", plan, Uses::Once)), expected);
    }
    assert_eq!(net.network.sent.len(), 0);
}

#[test]
fn a_lead_has_no_gate_and_is_not_told_to_submit_a_plan() {
    let mut net = Net::team(&["alice"]);
    assert_eq!(code(&net.enter_gate(LEAD, "delete:old.rs")), "not_allowed");
}

#[test]
fn the_lead_learns_that_the_asker_is_gone_and_not_that_somebody_withdrew() {
    let mut net = Net::team(&["alice"]);
    net.submit("alice", plan(), Uses::Once);
    net.act("alice", |e, now| e.close(now));
    net.run_until_quiet();
    let cause = net.events(LEAD).iter().find_map(|event| {
        if let Event::Closed(closed) = event { Some(closed.cause) } else { None }
    });
    assert_eq!(cause, Some(Cause::Closed));
}
