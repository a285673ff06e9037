//! What does not fit how things stand.

use serde_json::json;
use team_protocols::{AskOptions, Details, Engine, Kind, Link, Millis, SectionPolicy, Uses};

use crate::harness::{LEAD, Net, no, plan, scoped, tool, yes};
use crate::{Row, asked, at_lead, leaving, left, lost, plan_request, planned, refused, team};

pub(crate) const ROWS: &[Row] = &[
    ("already_answered", || {
        let (mut net, id) = asked();
        net.reject("alice", &id, "busy");
        refused(&net.answer("alice", &id, no("still busy")))
    }),
    ("already_paused", || {
        let (mut net, id) = asked();
        net.pause(LEAD, &id).unwrap();
        refused(&net.pause(LEAD, &id))
    }),
    ("already_pending", || refused(&asked().0.try_shutdown("alice", AskOptions::default()))),
    ("ambiguous_prefix", || {
        let mut net = team();
        net.submit("alice", scoped(&["write:a"]), Uses::Once);
        net.submit("alice", scoped(&["write:b"]), Uses::Once);
        refused(&net.cancel("alice", "req_0"))
    }),
    ("answer_conflicts", || {
        let (mut net, id) = asked();
        net.reject("alice", &id, "busy");
        refused(&net.answer("alice", &id, yes()))
    }),
    ("already_rejected", || {
        let mut net = refused_plan().0;
        refused(&net.try_submit("alice", plan(), Uses::UntilReport))
    }),
    ("appeals_exhausted", || {
        let (mut net, mut id) = refused_plan();
        for said in ["one", "two"] {
            id = net.follow_up("alice", (Link::Appeal, &id), Some(said), plan()).unwrap();
            net.reject(LEAD, &id, "no");
        }
        refused(&net.follow_up("alice", (Link::Appeal, &id), Some("three"), plan()))
    }),
    ("cannot_follow", || {
        let (mut net, id) = refused_plan();
        refused(&net.follow_up("alice", (Link::Retry, &id), None, scoped(&["write:b"])))
    }),
    ("lineage_exhausted", || {
        let mut net = team();
        let mut id = net.submit("alice", plan(), Uses::UntilReport);
        for _ in 2..=8 {
            net.cancel("alice", &id).unwrap();
            id = net.follow_up("alice", (Link::Retry, &id), None, plan()).unwrap();
        }
        net.cancel("alice", &id).unwrap();
        refused(&net.follow_up("alice", (Link::Retry, &id), None, plan()))
    }),
    ("gate_no_plan", || refused(&team().enter_gate("alice", "write:src/a"))),
    ("gate_out_of_scope", || {
        refused(&planned(Uses::UntilReport).0.enter_gate("alice", "delete:src/a"))
    }),
    ("gate_plan_required", || {
        let (mut net, _) = planned(Uses::UntilReport);
        net.ask_for(LEAD, "plan_request", "alice", Details::default()).unwrap();
        refused(&net.enter_gate("alice", "write:src/a"))
    }),
    ("gate_spent", || {
        let (mut net, _) = planned(Uses::Once);
        net.enter_gate("alice", "write:src/a").unwrap();
        refused(&net.enter_gate("alice", "write:src/b"))
    }),
    ("id_reused", || {
        let mut net = team();
        net.send("alice", LEAD, &plan_request("r", &plan(), 500).text());
        at_lead(&mut net, &plan_request("r", &scoped(&["write:other"]), 501))
    }),
    ("approval_ended", || {
        let (mut net, plan) = planned(Uses::UntilReport);
        let id = net.ask_shutdown("alice");
        net.approve("alice", &id);
        refused(&net.report("alice", &plan, true))
    }),
    ("in_critical_section", || {
        let mut net = team();
        net.enter_section("alice", "migration", None, SectionPolicy::Defer);
        let id = net.ask_shutdown("alice");
        refused(&net.answer("alice", &id, yes()))
    }),
    ("kind_mismatch", || {
        let (mut net, id) = asked();
        let message = json!({"type": "plan_approval_response", "request_id": id, "approve": true});
        refused(&tool(&mut net, "alice", json!({"to": LEAD, "message": message})))
    }),
    ("not_approved", || {
        let mut net = team();
        let id = net.submit("alice", plan(), Uses::Once);
        refused(&net.report("alice", &id, true))
    }),
    ("not_pending", || {
        let (mut net, id) = asked();
        net.reject("alice", &id, "busy");
        refused(&net.cancel(LEAD, &id))
    }),
    ("not_paused", || {
        let (mut net, id) = asked();
        refused(&net.resume(LEAD, &id))
    }),
    ("nothing_to_report", || {
        let (mut net, id) = leaving();
        refused(&net.report(LEAD, &id, true))
    }),
    ("pause_used_up", || {
        let mut net = Net::with(&["alice"], |config| config.timing.pause_max = Millis::new(0));
        let id = net.ask_shutdown("alice");
        refused(&net.pause(LEAD, &id))
    }),
    ("nothing_to_reopen", || {
        let (mut net, id) = planned(Uses::Once);
        refused(&net.act(LEAD, |e, now| e.reopen(now, &id, None)))
    }),
    ("nothing_to_rerun", || {
        let (mut net, id) = asked();
        refused(&net.act(LEAD, |e, now| e.rerun(now, &id)))
    }),
    ("nothing_to_undo", || {
        let (mut net, _) = asked();
        let options = AskOptions { compensation: Some("undo".into()), ..AskOptions::default() };
        refused(&net.try_shutdown("alice", options))
    }),
    ("work_not_running", || {
        let (mut net, id) = asked();
        refused(&net.act(LEAD, |e, now| e.work_done(now, &id, 1, true, None)))
    }),
    ("recipient_leaving", || refused(&leaving().0.say(LEAD, "alice", "one more thing"))),
    ("recipient_left", || refused(&left().say(LEAD, "alice", "one more thing"))),
    ("recipient_lost", || refused(&lost().say(LEAD, "alice", "are you there?"))),
    ("request_id_missing", || {
        let message = json!({"type": "shutdown_response", "approve": true});
        refused(&tool(&mut asked().0, "alice", json!({"to": LEAD, "message": message})))
    }),
    ("self_leaving", || refused(&left().say("alice", LEAD, "one more thing"))),
    ("too_many_open", || {
        let mut net = Net::with(&["alice"], |config| config.limits.open_per_member = 1);
        net.submit("alice", scoped(&["write:a"]), Uses::Once);
        refused(&net.try_submit("alice", scoped(&["write:b"]), Uses::Once))
    }),
    ("would_deadlock", || {
        let mut net = team();
        net.act("alice", |e, now| {
            e.ask_for(now, &Kind::DEPENDENCY, "bob", Details::default(), AskOptions::default())
        })
        .unwrap();
        net.run_until_quiet();
        let back = |e: &mut Engine, now| {
            e.ask_for(now, &Kind::DEPENDENCY, "alice", Details::default(), AskOptions::default())
        };
        refused(&net.act("bob", back))
    }),
    ("unknown_request", || refused(&team().cancel(LEAD, "req_none"))),
];

/// A plan of alice's that the lead rejected.
fn refused_plan() -> (crate::harness::Net, String) {
    let mut net = team();
    let id = net.submit("alice", plan(), Uses::UntilReport);
    net.reject(LEAD, &id, "no way back");
    (net, id)
}
