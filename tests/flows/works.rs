//! Work that requests name: run once, told when it fails, undone when its report says so.

use team_protocols::{
    AskOptions, Details, Event, Kind, ReportEvent, Status, Uses, WorkCause, WorkEvent,
};

use crate::harness::{Called, Counting, LEAD, Net, Weather, code, plan, scoped};

/// `alice` submits a plan with work to run and work that undoes it.
fn submitted(net: &mut Net) -> String {
    let options = AskOptions {
        on_approved: Some("deploy".to_owned()),
        compensation: Some("rollback".to_owned()),
        ..AskOptions::default()
    };
    let id = net.act("alice", |e, now| e.submit_plan(now, plan(), Uses::UntilReport, options));
    net.run_until_quiet();
    id.unwrap().as_str().to_owned()
}

fn approved(net: &mut Net) -> String {
    let id = submitted(net);
    net.approve(LEAD, &id);
    id
}

fn done(net: &mut Net, id: &str, run: u32, ok: bool) -> Called<()> {
    let detail = Some(format!("run {run}"));
    let done = net.act("alice", |e, now| e.work_done(now, id, run, ok, detail)).map(|_| ());
    net.run_until_quiet();
    done
}

fn rerun(net: &mut Net, id: &str) -> Called<()> {
    net.act("alice", |e, now| e.rerun(now, id)).map(|_| ())
}

/// The name, cause and number of every run that the host was told to begin.
fn runs(net: &Net) -> Vec<(String, WorkCause, u32)> {
    let begun = net.events("alice").iter().cloned().filter_map(|event| {
        let Event::Work(WorkEvent { name, cause, run, .. }) = event else { return None };
        Some((name, cause, run))
    });
    begun.collect()
}

/// Every run that failed, and whether it was interrupted.
fn failures(net: &Net) -> Vec<(u32, bool)> {
    let failed = net.events("alice").iter().cloned().filter_map(|event| {
        let Event::WorkFailed(failed) = event else { return None };
        Some((failed.run, failed.interrupted))
    });
    failed.collect()
}

/// What the lead was told of the work.
fn reports(net: &Net) -> Vec<(bool, Option<bool>, Option<String>)> {
    let told = net.events(LEAD).iter().cloned().filter_map(|event| {
        let Event::Report(ReportEvent { ok, rolled_back, detail, .. }) = event else {
            return None;
        };
        Some((ok, rolled_back, detail))
    });
    told.collect()
}

fn deploy(run: u32) -> (String, WorkCause, u32) {
    ("deploy".to_owned(), WorkCause::Approved, run)
}

fn rollback(run: u32) -> (String, WorkCause, u32) {
    ("rollback".to_owned(), WorkCause::Compensation, run)
}

#[test]
fn work_runs_when_it_is_approved_and_not_before() {
    let mut net = Net::team(&["alice"]);
    let id = submitted(&mut net);
    assert_eq!(runs(&net), []);
    net.approve(LEAD, &id);
    assert_eq!(runs(&net), [deploy(1)]);
    done(&mut net, &id, 1, true).unwrap();
    assert_eq!(code(&done(&mut net, &id, 1, true)), "work_not_running");
    assert_eq!(code(&rerun(&mut net, &id)), "nothing_to_rerun");
    assert_eq!(failures(&net), []);
}

#[test]
fn what_is_refused_or_withdrawn_runs_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = submitted(&mut net);
    net.cancel("alice", &id).unwrap();
    let id = submitted(&mut net);
    net.advance(10_000_000);
    assert_eq!(net.status("alice", &id), Status::TimedOut);
    assert_eq!(runs(&net), []);
    let mut net = Net::team(&["alice"]);
    let id = submitted(&mut net);
    net.reject(LEAD, &id, "too risky");
    net.advance(10_000_000);
    assert_eq!(net.status("alice", &id), Status::Rejected);
    assert_eq!(runs(&net), []);
}

#[test]
fn failed_work_touches_no_decision_and_runs_again_when_the_host_says_so() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    assert_eq!(code(&rerun(&mut net, &id)), "nothing_to_rerun");
    done(&mut net, &id, 1, false).unwrap();
    net.advance(10_000_000);
    assert_eq!(failures(&net), [(1, false)]);
    assert_eq!(net.status("alice", &id), Status::Approved);
    net.enter_gate("alice", "write:src/a.rs").unwrap();
    assert_eq!(runs(&net), [deploy(1)]);
    rerun(&mut net, &id).unwrap();
    assert_eq!(runs(&net), [deploy(1), deploy(2)]);
    assert_eq!(code(&done(&mut net, &id, 1, true)), "work_not_running");
    done(&mut net, &id, 2, true).unwrap();
    assert_eq!(code(&rerun(&mut net, &id)), "nothing_to_rerun");
}

#[test]
fn interrupted_work_is_told_and_waits_for_the_host() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    let before = net.engine("alice").state_hash();
    net.act("alice", |e, now| e.interrupt_works(now)).unwrap();
    net.act("alice", |e, now| e.interrupt_works(now)).unwrap();
    assert_ne!(net.engine("alice").state_hash(), before);
    net.advance(10_000_000);
    assert_eq!((runs(&net), failures(&net)), (vec![deploy(1)], vec![(1, true)]));
    assert_eq!(code(&done(&mut net, &id, 1, true)), "work_not_running");
    rerun(&mut net, &id).unwrap();
    done(&mut net, &id, 2, true).unwrap();
    assert_eq!(runs(&net), [deploy(1), deploy(2)]);
}

#[test]
fn work_of_a_request_that_is_over_is_told_again_or_interrupted_by_a_restart_too() {
    let mut net = Net::team(&["alice", "bob"]);
    let kind = Kind::parse("dependency").unwrap();
    let options = AskOptions { on_approved: Some("deploy".to_owned()), ..AskOptions::default() };
    let id = net
        .act("alice", |e, now| e.ask_for(now, &kind, "bob", Details::default(), options))
        .unwrap();
    net.run_until_quiet();
    // What the yes causes is written down, and the process ends before it goes out.
    net.node_mut("alice").doomed = true;
    net.approve("bob", id.as_str());
    let restart = |net: &mut Net| {
        let store = net.halt("alice");
        net.go_on("alice", store, false, Box::new(Counting { member: 9, next: 0 }), 0);
    };
    restart(&mut net);
    assert_eq!((runs(&net), failures(&net)), (vec![deploy(1)], vec![]));
    net.act("alice", |e, now| e.work_started(now, id.as_str(), 1)).unwrap();
    restart(&mut net);
    assert_eq!((runs(&net), failures(&net)), (vec![], vec![(1, true)]));
    rerun(&mut net, id.as_str()).unwrap();
    assert_eq!(runs(&net), [deploy(2)]);
}

#[test]
fn work_that_nobody_knows_is_told_and_runs_when_somebody_does() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    let missing = |net: &mut Net, run| net.act("alice", |e, now| e.work_missing(now, &id, run));
    assert_eq!(code(&missing(&mut net, 2)), "work_not_running");
    missing(&mut net, 1).unwrap();
    assert_eq!(code(&missing(&mut net, 1)), "work_not_running");
    assert_eq!(code(&done(&mut net, &id, 1, true)), "work_not_running");
    let told = net.events("alice").iter().cloned().filter_map(|event| {
        let Event::WorkMissing(WorkEvent { name, cause, run, .. }) = event else { return None };
        Some((name, cause, run))
    });
    assert_eq!(told.collect::<Vec<_>>(), [deploy(1)]);
    assert_eq!((net.status("alice", &id), failures(&net)), (Status::Approved, vec![]));
    rerun(&mut net, &id).unwrap();
    done(&mut net, &id, 2, true).unwrap();
    assert_eq!(runs(&net), [deploy(1), deploy(2)]);
}

#[test]
fn a_rollback_that_nobody_knows_is_not_told_as_failed() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    net.report("alice", &id, false).unwrap();
    net.act("alice", |e, now| e.work_missing(now, &id, 2)).unwrap();
    net.run_until_quiet();
    assert_eq!(reports(&net).len(), 1);
    rerun(&mut net, &id).unwrap();
    done(&mut net, &id, 3, true).unwrap();
    assert_eq!(reports(&net)[1..], [(false, Some(true), Some("run 3".to_owned()))]);
}

#[test]
fn work_that_is_reported_as_failed_is_undone_once_and_the_lead_learns_it() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    done(&mut net, &id, 1, true).unwrap();
    net.report("alice", &id, false).unwrap();
    assert_eq!(code(&net.report("alice", &id, false)), "already_answered");
    assert_eq!(runs(&net), [deploy(1), rollback(2)]);
    assert_eq!(reports(&net), [(false, None, Some("broke".to_owned()))]);
    done(&mut net, &id, 2, true).unwrap();
    net.advance(10_000_000);
    let undone = (false, Some(true), Some("run 2".to_owned()));
    assert_eq!(reports(&net)[1..], [undone]);
    assert_eq!(runs(&net), [deploy(1), rollback(2)]);
    assert_eq!(code(&rerun(&mut net, &id)), "nothing_to_rerun");
}

#[test]
fn a_good_report_undoes_nothing() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    net.report("alice", &id, true).unwrap();
    net.advance(10_000_000);
    assert_eq!(runs(&net), [deploy(1)]);
    assert_eq!(reports(&net).len(), 1);
}

#[test]
fn a_failed_rollback_is_told_and_so_is_one_that_succeeds_later() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    net.report("alice", &id, false).unwrap();
    done(&mut net, &id, 2, false).unwrap();
    assert_eq!(failures(&net), [(2, false)]);
    rerun(&mut net, &id).unwrap();
    assert_eq!(runs(&net), [deploy(1), rollback(2), rollback(3)]);
    done(&mut net, &id, 3, true).unwrap();
    let told: Vec<_> = reports(&net).into_iter().map(|(_, undone, _)| undone).collect();
    assert_eq!(told, [None, Some(false), Some(true)]);
}

#[test]
fn the_receipt_for_the_first_report_does_not_stand_for_the_second() {
    let mut net = Net::team(&["alice"]);
    let id = approved(&mut net);
    net.act("alice", |e, now| e.report(now, &id, false, None)).unwrap();
    // Both reports are under way before any receipt is back.
    net.act("alice", |e, now| e.work_done(now, &id, 2, true, None)).unwrap();
    net.run_until_quiet();
    let told: Vec<_> = reports(&net).into_iter().map(|(_, undone, _)| undone).collect();
    assert_eq!(told, [None, Some(true)]);
    assert_eq!(net.engine("alice").poll_deadline(), None, "nothing is sent again");
}

#[test]
fn a_request_is_remembered_while_its_work_runs() {
    let mut net = Net::with(&["alice"], |config| config.limits.remembered_per_member = 1);
    let id = approved(&mut net);
    net.report("alice", &id, true).unwrap();
    for place in 0..3 {
        let other = net.submit("alice", scoped(&[&format!("write:{place}")]), Uses::Once);
        net.reject(LEAD, &other, "no");
    }
    done(&mut net, &id, 1, false).unwrap();
    rerun(&mut net, &id).unwrap();
    done(&mut net, &id, 2, true).unwrap();
    let other = net.submit("alice", scoped(&["write:z"]), Uses::Once);
    net.reject(LEAD, &other, "no");
    assert!(net.engine("alice").request(&id).is_none(), "afterwards it may be forgotten");
}

#[test]
fn in_a_storm_every_work_runs_once_and_the_lead_learns_of_every_rollback_once() {
    let (mut approvals, mut rollbacks) = (0, 0);
    let weather = Weather { loss: 150, duplication: 300, delay: 2_000 };
    for seed in 0..60 {
        let mut net = Net::stormy(&["alice"], seed, weather);
        let id = submitted(&mut net);
        net.advance(2_000);
        if net.engine(LEAD).obligations().is_empty() {
            net.advance(30_000);
        }
        let _ = net.answer(LEAD, &id, crate::harness::yes());
        net.advance(100_000);
        if net.status("alice", &id) != Status::Approved {
            assert_eq!(runs(&net), [], "seed {seed}");
            continue;
        }
        approvals += 1;
        assert_eq!(runs(&net), [deploy(1)], "seed {seed}");
        net.report("alice", &id, false).unwrap();
        net.advance(5_000);
        done(&mut net, &id, 2, true).unwrap();
        net.advance(200_000);
        assert_eq!(runs(&net), [deploy(1), rollback(2)], "seed {seed}");
        let undone = reports(&net).iter().filter(|(_, undone, _)| *undone == Some(true)).count();
        assert!(undone <= 1, "seed {seed}: told {undone} times");
        rollbacks += undone;
    }
    assert!(approvals > 40, "{approvals} approvals");
    assert!(rollbacks > 40, "{rollbacks} rollbacks were told");
}

#[test]
fn names_are_checked_before_anything_is_asked() {
    let mut net = Net::team(&["alice"]);
    for (name, expected) in [("  ".to_owned(), "blank"), ("x".repeat(1_000_000), "text_too_long")] {
        let options = AskOptions { on_approved: Some(name), ..AskOptions::default() };
        assert_eq!(code(&net.try_shutdown("alice", options)), expected);
    }
    assert!(net.engine("alice").obligations().is_empty());
    let options = AskOptions { on_approved: Some("archive".to_owned()), ..AskOptions::default() };
    let id = net.try_shutdown("alice", options).unwrap();
    net.approve("alice", &id);
    let begun = net.events(LEAD).iter().filter(|event| matches!(event, Event::Work(_))).count();
    assert_eq!(begun, 1);
}

#[test]
fn work_that_is_due_outlives_whoever_approved_it() {
    let mut net = Net::team(&["alice", "bob"]);
    let kind = Kind::parse("dependency").unwrap();
    let options = AskOptions { on_approved: Some("deploy".to_owned()), ..AskOptions::default() };
    let details = Details::default();
    let id = net.act("alice", |e, now| e.ask_for(now, &kind, "bob", details, options)).unwrap();
    net.run_until_quiet();
    net.approve("bob", id.as_str());
    net.advance(1_000);
    let config = crate::harness::config(&["alice", "bob"], "bob");
    let incarnation = team_protocols::Incarnation::new(net.local("bob"), 77);
    let life = net.respawn("bob", team_protocols::Config { incarnation, ..config });
    net.act("alice", |e, now| e.announce(now, "bob", life)).unwrap();
    for with_snapshot in [true, false] {
        let store = net.halt("alice");
        net.go_on("alice", store, with_snapshot, Box::new(Counting { member: 9, next: 0 }), 0);
        assert_eq!(runs(&net), [deploy(1)], "with snapshot: {with_snapshot}");
    }
    done(&mut net, id.as_str(), 1, true).unwrap();
}
