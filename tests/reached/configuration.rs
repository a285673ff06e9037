//! Configurations of which no engine is made.

use team_protocols::{Config, Engine, Millis, Role, SeededIds};

use crate::harness::{LEAD, at, config, member, name};
use crate::{Code, Row, refused};

pub(crate) const ROWS: &[Row] = &[
    ("config_alias_is_member", || made(|c| c.lead_aliases.push(name("Alice")))),
    ("config_duplicate_member", || made(|c| c.members.push(member("Alice", Role::Worker)))),
    ("config_no_lead", || made(|c| c.members.retain(|member| member.role != Role::Lead))),
    ("config_self_not_listed", || made(|c| c.member = name("carol"))),
    ("config_several_leads", || made(|c| c.members.push(member("boss", Role::Lead)))),
    ("config_timeout_over_cap", || made(|c| c.timing.timeout = Millis::new(600_001))),
    ("config_too_many_members", || made(|c| c.limits.members = 1)),
    ("config_zero", || made(|c| c.timing.strikes = 0)),
];

/// What comes of an engine with a changed configuration.
fn made(change: fn(&mut Config)) -> Code {
    let mut config = config(&["alice"], LEAD);
    change(&mut config);
    let engine = Engine::new(at(0), config, Box::new(SeededIds::new("reached")));
    refused(&engine.map(drop))
}
