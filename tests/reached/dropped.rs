//! Frames that are well-formed and change nothing.

use serde_json::json;
use team_protocols::{Incarnation, Sender, Uses};

use crate::harness::{Frame, LEAD, at, plan, scoped};
use crate::{Row, answer, asked, at_lead, idle, judged, left, plan_answer, stormed, team};

pub(crate) const ROWS: &[Row] = &[
    ("broadcast_frame", || at_lead(&mut team(), &idle().with("to", json!("*")))),
    ("conflicting", || {
        let (mut net, id) = asked();
        net.reject("alice", &id, "busy");
        at_lead(&mut net, &answer(&id, true, 500))
    }),
    ("digest_mismatch", || {
        let mut net = team();
        let id = net.submit("alice", plan(), Uses::Once);
        let other = plan_answer(&id, &scoped(&["write:other"]));
        judged(&net.send(LEAD, "alice", &other.text()))
    }),
    ("duplicate", || {
        let mut net = team();
        net.send("alice", LEAD, &idle().text());
        at_lead(&mut net, &idle())
    }),
    ("forged", || judged(&team().send("bob", LEAD, &idle().text()))),
    ("from_self", || {
        let echo = Frame::from_lead("alice", json!({"type": "idle"}));
        judged(&team().send(LEAD, LEAD, &echo.text()))
    }),
    ("late", || {
        let (mut net, id) = asked();
        net.cancel(LEAD, &id).unwrap();
        at_lead(&mut net, &answer(&id, true, 500))
    }),
    ("misaddressed", || at_lead(&mut team(), &idle().with("to", json!("bob")))),
    ("orphan", || at_lead(&mut team(), &answer("never-asked", true, 500))),
    ("not_rejected", || {
        let mut net = team();
        let id = net.submit("alice", plan(), Uses::Once);
        net.approve(LEAD, &id);
        let reopen = json!({"type": "reopen", "request_id": id});
        judged(&net.send(LEAD, "alice", &Frame::from_lead("alice", reopen).text()))
    }),
    ("receiver_left", || {
        let frame = Frame::from_lead("alice", json!("one more thing"));
        judged(&left().send(LEAD, "alice", &frame.text()))
    }),
    ("sender_left", || at_lead(&mut left(), &idle())),
    ("stale_frame", || {
        let mut net = team();
        net.send("alice", LEAD, &idle().seq(2_000).text());
        at_lead(&mut net, &idle().seq(900))
    }),
    ("stale_incarnation", || at_lead(&mut team(), &idle().with("at", json!(1)))),
    ("throttled", || at_lead(&mut stormed(), &idle())),
    ("unannounced_life", || {
        let mut net = team();
        net.idle("alice");
        let next = Incarnation::new(at(9), 1).to_string();
        at_lead(&mut net, &idle().with("from_incarnation", json!(next)))
    }),
    ("unapproved", || {
        let mut net = team();
        let id = net.submit("alice", plan(), Uses::Once);
        let report = json!({"type": "execution_report", "request_id": id, "ok": true});
        at_lead(&mut net, &Frame::from_worker(1, "alice", report).seq(500))
    }),
    ("unidentified", || judged(&team().deliver(LEAD, &idle().text(), Sender::Unknown))),
    ("unknown_sender", || judged(&team().send("mallory", LEAD, &idle().text()))),
    ("wrong_kind", || {
        let (mut net, id) = asked();
        net.approve("alice", &id);
        let report = json!({"type": "execution_report", "request_id": id, "ok": true});
        judged(&net.send(LEAD, "alice", &Frame::from_lead("alice", report).text()))
    }),
    ("wrong_responder", || {
        let (mut net, id) = asked();
        let message = answer(&id, true, 500).0["message"].clone();
        judged(&net.send("bob", LEAD, &Frame::from_worker(2, "bob", message).text()))
    }),
];
