//! The execution report of approved work is due, and its absence is told.

use serde_json::json;
use team_protocols::{Alarm, Event, Millis, Status, Uses};

use crate::harness::{Frame, LEAD, Net, code, plan, scoped, verdict};

/// The lead has approved a plan of alice's.
fn approved() -> (Net, String) {
    let mut net = Net::team(&["alice", "bob"]);
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.approve(LEAD, &id);
    (net, id)
}

fn overdue(net: &Net) -> usize {
    net.alarm_count(LEAD, Alarm::ReportOverdue)
}

#[test]
fn a_report_that_does_not_come_is_told_once_to_who_approved() {
    let (mut net, id) = approved();
    net.advance(599_999);
    assert_eq!(overdue(&net), 0);
    net.advance(1);
    let alarm = |event: &Event| {
        if let Event::Alarm(alarm) = event { Some(alarm.clone()) } else { None }
    };
    let alarms: Vec<_> = net.events(LEAD).iter().filter_map(alarm).collect();
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!((alarms[0].alarm, alarms[0].member.as_str()), (Alarm::ReportOverdue, "alice"));
    assert_eq!(alarms[0].request_id.as_ref().unwrap().as_str(), id);
    net.advance(86_400_000);
    assert_eq!(overdue(&net), 1);
    assert_eq!(net.alarms("alice"), [], "whoever works is not alarmed");
    assert_eq!(net.status(LEAD, &id), Status::Approved, "the approval stands");
    net.enter_gate("alice", "write:src/a").unwrap();
}

#[test]
fn a_late_report_still_counts() {
    let (mut net, id) = approved();
    net.advance(700_000);
    net.report("alice", &id, true).unwrap();
    let reports = net.events(LEAD).iter().filter(|event| matches!(event, Event::Report(_)));
    assert_eq!(reports.count(), 1);
    assert_eq!(net.engine("alice").poll_deadline(), None, "it was acknowledged");
}

#[test]
fn a_report_in_time_raises_nothing() {
    let (mut net, id) = approved();
    net.advance(599_999);
    net.report("alice", &id, false).unwrap();
    net.advance(86_400_000);
    assert_eq!(net.alarms(LEAD), []);
    assert_eq!(net.engine(LEAD).poll_deadline(), None);
}

#[test]
fn progress_of_the_worker_on_its_approved_work_gives_it_a_whole_term() {
    let (mut net, id) = approved();
    for _ in 0..5 {
        net.advance(500_000);
        net.progress("alice", Some(&id), None).unwrap();
    }
    assert_eq!(overdue(&net), 0);
    let told = net.events(LEAD).iter().filter(
        |event| matches!(event, Event::Progress(p) if p.request_id.as_ref().unwrap().as_str() == id),
    );
    assert_eq!(told.count(), 5);
    net.advance(599_999);
    assert_eq!(overdue(&net), 0);
    net.advance(1);
    assert_eq!(overdue(&net), 1);
    net.progress("alice", Some(&id[..12]), Some(9_000)).unwrap();
    net.advance(600_000);
    assert_eq!(overdue(&net), 2, "a new term that passes is told like the first");
}

#[test]
fn the_term_is_the_approving_side_s_to_set() {
    let mut net = Net::with(&["alice"], |config| config.timing.report_due = Millis::new(1_000));
    let id = net.submit("alice", plan(), Uses::Once);
    net.advance(30_000);
    net.approve(LEAD, &id);
    net.advance(999);
    assert_eq!(overdue(&net), 0);
    net.advance(1);
    assert_eq!(overdue(&net), 1);
}

#[test]
fn progress_on_what_is_no_approved_work_of_one_s_own_is_refused() {
    let (mut net, id) = approved();
    let other = net.submit("alice", scoped(&["write:other"]), Uses::Once);
    assert_eq!(code(&net.progress("alice", Some(&other), None)), "not_approved");
    net.reject(LEAD, &other, "no");
    assert_eq!(code(&net.progress("alice", Some(&other), None)), "not_approved");
    assert_eq!(code(&net.progress("bob", Some(&id), None)), "unknown_request");
    net.report("alice", &id, true).unwrap();
    assert_eq!(code(&net.progress("alice", Some(&id), None)), "already_answered");
    let shutdown = net.ask_shutdown("bob");
    net.approve("bob", &shutdown);
    assert_eq!(code(&net.progress(LEAD, Some(&shutdown), None)), "nothing_to_report");
}

#[test]
fn progress_of_anybody_else_moves_no_term() {
    let (mut net, id) = approved();
    net.advance(599_000);
    let progress = json!({"type": "progress", "request_id": id});
    let frame = Frame::from_worker(2, "bob", progress.clone());
    assert_eq!(verdict(&net.send("bob", LEAD, &frame.text())), "orphan");
    net.advance(1_000);
    assert_eq!(overdue(&net), 1);
    net.report("alice", &id, true).unwrap();
    let frame = Frame::from_worker(1, "alice", progress).seq(900);
    assert_eq!(verdict(&net.send("alice", LEAD, &frame.text())), "late", "it is reported");
}

#[test]
fn a_worker_that_is_gone_owes_no_report() {
    for leaves in [true, false] {
        let (mut net, _) = approved();
        if leaves {
            net.exit("alice").unwrap();
        } else {
            net.act(LEAD, |e, now| e.member_gone(now, "alice")).unwrap();
        }
        net.advance(600_000);
        assert_eq!(overdue(&net), 0, "leaves: {leaves}");
    }
}

#[test]
fn approved_work_that_is_overdue_is_part_of_the_state() {
    let (mut net, id) = approved();
    let hash = |net: &Net| net.engine(LEAD).state_hash().to_string();
    let before = hash(&net);
    net.advance(1_000);
    net.progress("alice", Some(&id), None).unwrap();
    let moved = hash(&net);
    assert_ne!(before, moved);
    net.advance(600_000);
    assert_ne!(moved, hash(&net));
}

#[test]
fn a_worker_whose_reports_were_lost_is_not_refused_for_ever() {
    let mut net = Net::with(&["alice"], |config| config.limits.open_per_member = 2);
    let ask = |net: &mut Net, dir: &str| {
        net.submit("alice", scoped(&[&format!("write:{dir}")]), Uses::UntilReport)
    };
    let lost: Vec<_> = ["a", "b"]
        .iter()
        .map(|dir| {
            let id = ask(&mut net, dir);
            net.approve(LEAD, &id);
            net.network.cut("alice", LEAD);
            net.report("alice", &id, true).unwrap();
            net.advance(100_000);
            net.network.heal();
            id
        })
        .collect();
    assert_eq!(net.alarm_count("alice", Alarm::ReportLost), 2);
    let early = ask(&mut net, "c");
    assert_eq!(net.network.verdicts("alice", LEAD).last(), Some(&"too_many_open"), "{early}");
    net.advance(700_000);
    assert_eq!(overdue(&net), 2);
    let id = ask(&mut net, "d");
    net.approve(LEAD, &id);
    assert_eq!(net.outcome("alice", &id).status, Status::Approved);
    let late = |id: &str, seq| {
        let report = json!({"type": "execution_report", "request_id": id, "ok": true});
        Frame::from_worker(1, "alice", report).seq(seq).text()
    };
    assert_eq!(verdict(&net.send("alice", LEAD, &late(&lost[0], 500))), "late", "it gave way");
    assert_eq!(verdict(&net.send("alice", LEAD, &late(&lost[1], 501))), "report");
}
