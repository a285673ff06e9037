//! Configurations of which no engine is made.

use team_protocols::{Approval, Config, Engine, KindRules, Millis, Role, SeededIds};

use crate::harness::{LEAD, at, config, kind, member, name};
use crate::{Code, Row, refused};

pub(crate) const ROWS: &[Row] = &[
    ("config_alias_is_member", || made(|c| c.lead_aliases.push(name("Alice")))),
    ("config_duplicate_member", || made(|c| c.members.push(member("Alice", Role::Worker)))),
    ("config_kind_bad_limits", || {
        declared(KindRules { cap: Some(Millis::new(0)), ..kind("audit", WORKER, LEADS) })
    }),
    ("config_kind_circle", || declared(kind("handover", LEADS, WORKER))),
    ("config_kind_lead_leaves", || {
        declared(KindRules { approval: Approval::Leaves, ..kind("retire", WORKER, LEADS) })
    }),
    ("config_kind_nobody", || declared(kind("audit", &[], LEADS))),
    ("config_kind_peers_open_gates", || {
        declared(KindRules { approval: Approval::OpensGate, ..kind("swap", WORKER, WORKER) })
    }),
    ("config_kind_taken", || declared(kind("shutdown", LEADS, WORKER))),
    ("config_no_lead", || made(|c| c.members.retain(|member| member.role != Role::Lead))),
    ("config_self_not_listed", || made(|c| c.member = name("carol"))),
    ("config_several_leads", || made(|c| c.members.push(member("boss", Role::Lead)))),
    ("config_timeout_over_cap", || made(|c| c.timing.timeout = Millis::new(600_001))),
    ("config_too_many_members", || made(|c| c.limits.members = 1)),
    ("config_zero", || made(|c| c.timing.strikes = 0)),
];

const LEADS: &[Role] = &[Role::Lead];
const WORKER: &[Role] = &[Role::Worker];

fn declared(rules: KindRules) -> Code {
    let mut config = config(&["alice"], LEAD);
    config.kinds.push(rules);
    let engine = Engine::new(at(0), config, Box::new(SeededIds::new("reached")));
    refused(&engine.map(drop))
}

/// What comes of an engine with a changed configuration.
fn made(change: fn(&mut Config)) -> Code {
    let mut config = config(&["alice"], LEAD);
    change(&mut config);
    let engine = Engine::new(at(0), config, Box::new(SeededIds::new("reached")));
    refused(&engine.map(drop))
}
