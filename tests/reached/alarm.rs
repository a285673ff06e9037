//! What a host must look after.

use serde_json::json;
use team_protocols::{AskOptions, Details, Escalation, Incarnation, Kind, Link, Role, Uses};

use crate::harness::{LEAD, Net, at, member, plan, scoped, stage, yes};
use crate::{
    Row, alarmed, answer, asked, at_lead, idle, leaving, lost, nth_alarm, plan_request, planned,
    stormed, team,
};

pub(crate) const ROWS: &[Row] = &[
    ("approver_silent", || {
        let mut net = Net::with(&["alice"], |config| {
            config.members.push(member("carol", Role::Approver));
        });
        net.submit_to("alice", vec![stage(&["carol"], 1, false)], None).unwrap();
        net.advance(65_000);
        alarmed(&net, "alice")
    }),
    ("conflicting_decision", || {
        let (mut net, id) = asked();
        net.reject("alice", &id, "busy");
        at_lead(&mut net, &answer(&id, true, 500));
        alarmed(&net, LEAD)
    }),
    ("deadlock", || {
        let mut net = team();
        for (own, to) in [("alice", "bob"), ("bob", "alice")] {
            let options = AskOptions::default();
            net.act(own, |e, now| {
                e.ask_for(now, &Kind::DEPENDENCY, to, Details::default(), options)
            })
            .unwrap();
        }
        net.run_until_quiet();
        alarmed(&net, "bob")
    }),
    ("forged", || {
        let mut net = team();
        net.send("bob", LEAD, &idle().text());
        alarmed(&net, LEAD)
    }),
    ("id_reused", || {
        let mut net = team();
        net.send("alice", LEAD, &plan_request("r", &plan(), 500).text());
        at_lead(&mut net, &plan_request("r", &scoped(&["write:other"]), 501));
        alarmed(&net, LEAD)
    }),
    ("lead_silent", || {
        let mut net = team();
        net.network.part("alice", LEAD);
        net.submit("alice", plan(), Uses::Once);
        net.advance(65_000);
        alarmed(&net, "alice")
    }),
    ("left_despite_cancel", || {
        let (mut net, id) = asked();
        net.act("alice", |e, now| e.respond(now, &id, yes())).unwrap();
        net.cancel(LEAD, &id).unwrap();
        alarmed(&net, LEAD)
    }),
    ("request_loop", || {
        let mut net = team();
        let mut id = net.submit("alice", plan(), Uses::UntilReport);
        for _ in 2..=4 {
            net.cancel("alice", &id).unwrap();
            id = net.follow_up("alice", (Link::Retry, &id), None, plan()).unwrap();
        }
        alarmed(&net, LEAD)
    }),
    ("lost_worker_alive", || {
        let mut net = lost();
        net.take_events(LEAD);
        net.network.heal();
        net.idle("alice");
        alarmed(&net, LEAD)
    }),
    ("not_exited", || {
        let (mut net, _) = leaving();
        net.advance(10_000);
        alarmed(&net, LEAD)
    }),
    // The loss itself comes first.
    ("reclaim", || nth_alarm(&lost(), LEAD, 1)),
    ("refused_repeatedly", || {
        let mut net = team();
        let escalate = Some(Escalation { attempts: 1, ..Escalation::default() });
        let options = AskOptions { escalate, ..AskOptions::default() };
        let id = net.try_shutdown("alice", options).unwrap();
        net.reject("alice", &id, "busy");
        alarmed(&net, LEAD)
    }),
    ("report_lost", || {
        let (mut net, id) = planned(Uses::Once);
        net.network.part("alice", LEAD);
        net.report("alice", &id, true).unwrap();
        net.advance(60_000);
        alarmed(&net, "alice")
    }),
    ("report_overdue", || {
        let (mut net, _) = planned(Uses::Once);
        net.advance(600_000);
        alarmed(&net, LEAD)
    }),
    ("send_failed", || {
        let mut net = team();
        net.act(LEAD, |e, now| e.handle_send_failed(now, 7));
        alarmed(&net, LEAD)
    }),
    ("storm", || alarmed(&stormed(), LEAD)),
    ("unannounced_life", || {
        let mut net = team();
        net.idle("alice");
        let next = Incarnation::new(at(9), 1).to_string();
        at_lead(&mut net, &idle().with("from_incarnation", json!(next)));
        alarmed(&net, LEAD)
    }),
    ("worker_lost", || nth_alarm(&lost(), LEAD, 0)),
];
