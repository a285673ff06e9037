//! Messages that may not be sent, whatever happened before.

use serde_json::json;
use team_protocols::{Approval, AskOptions, Details, KindRules, Role, SectionPolicy, Uses};

use crate::harness::{Frame, LEAD, Net, kind, limits, no, scoped, stage, tool};
use crate::{Row, asked, judged, refused, team};

pub(crate) const ROWS: &[Row] = &[
    ("blank", || {
        let policy = SectionPolicy::Reject;
        refused(&team().act("alice", |e, now| e.enter_section(now, " ", None, policy)))
    }),
    ("broadcast", || refused(&team().try_shutdown("*", AskOptions::default()))),
    ("digest_required", || {
        let mut net = Net::with(&["alice"], |config| config.kinds.push(guarded()));
        let details = Details { scope: vec!["use:gpu".to_owned()], ..Details::default() };
        let id = net.ask_for("alice", "resource_grant", LEAD, details).unwrap();
        let message = json!({"type": "response", "request_id": id, "kind": "resource_grant",
                             "approve": true});
        judged(&net.send(LEAD, "alice", &Frame::from_lead("alice", message).text()))
    }),
    ("invalid_scope", || refused(&team().try_submit("alice", scoped(&["write:../x"]), Uses::Once))),
    ("not_allowed", || {
        let options = AskOptions::default();
        refused(&team().act("alice", |e, now| e.request_shutdown(now, "bob", None, options)))
    }),
    ("invalid_stages", || {
        let mut net = team();
        refused(&net.submit_to("alice", vec![stage(&[LEAD], 2, false)], None))
    }),
    ("own_messages", || refused(&team().ask_for("alice", "shutdown", "bob", Details::default()))),
    ("reason_required", || {
        let (mut net, id) = asked();
        refused(&net.answer("alice", &id, no(" ")))
    }),
    ("response_not_to_lead", || {
        let (mut net, id) = asked();
        let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
        refused(&tool(&mut net, "alice", json!({"to": "bob", "message": message})))
    }),
    ("scope_mismatch", || {
        let mut net = Net::with(&["alice"], |config| config.kinds.push(guarded()));
        refused(&net.ask_for("alice", "resource_grant", LEAD, Details::default()))
    }),
    ("text_too_long", || refused(&team().say("alice", LEAD, &"x".repeat(262_145)))),
    ("timeout_over_cap", || refused(&team().try_shutdown("alice", limits(2, Some(1))))),
    ("to_oneself", || refused(&team().say("alice", "alice", "note to myself"))),
    ("unknown_kind", || refused(&team().ask_for("alice", "dependancy", "bob", Details::default()))),
    ("unknown_recipient", || refused(&team().say("alice", "carol", "are you new?"))),
    ("zero_limit", || refused(&team().try_shutdown("alice", limits(0, None)))),
];

/// A kind whose approval opens a gate.
fn guarded() -> KindRules {
    let rules = kind("resource_grant", &[Role::Worker], &[Role::Lead]);
    KindRules { approval: Approval::OpensGate, ..rules }
}
