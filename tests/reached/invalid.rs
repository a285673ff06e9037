//! Messages that may not be sent, whatever happened before.

use serde_json::json;
use team_protocols::{AskOptions, SectionPolicy, Uses};

use crate::harness::{LEAD, limits, no, scoped, tool};
use crate::{Row, asked, refused, team};

pub(crate) const ROWS: &[Row] = &[
    ("blank", || {
        let policy = SectionPolicy::Reject;
        refused(&team().act("alice", |e, now| e.enter_section(now, " ", None, policy)))
    }),
    ("broadcast", || refused(&team().try_shutdown("*", AskOptions::default()))),
    ("invalid_scope", || refused(&team().try_submit("alice", scoped(&["write:../x"]), Uses::Once))),
    ("not_allowed", || {
        let options = AskOptions::default();
        refused(&team().act("alice", |e, now| e.request_shutdown(now, "bob", None, options)))
    }),
    ("reason_required", || {
        let (mut net, id) = asked();
        refused(&net.answer("alice", &id, no(" ")))
    }),
    ("response_not_to_lead", || {
        let (mut net, id) = asked();
        let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
        refused(&tool(&mut net, "alice", json!({"to": "bob", "message": message})))
    }),
    ("text_too_long", || refused(&team().say("alice", LEAD, &"x".repeat(262_145)))),
    ("timeout_over_cap", || refused(&team().try_shutdown("alice", limits(2, Some(1))))),
    ("to_oneself", || refused(&team().say("alice", "alice", "note to myself"))),
    ("unknown_recipient", || refused(&team().say("alice", "carol", "are you new?"))),
    ("zero_limit", || refused(&team().try_shutdown("alice", limits(0, None)))),
];
