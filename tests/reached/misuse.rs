//! Calls that make no sense.

use team_protocols::{
    AskOptions, Engine, Escalation, Incarnation, Role, SectionPolicy, Timestamp, Uses,
};

use crate::harness::{LEAD, Net, member};
use crate::{Row, planned, refused, team};

pub(crate) const ROWS: &[Row] = &[
    ("bad_action", || refused(&team().enter_gate("alice", "src/a"))),
    ("bad_escalation", || {
        let options = AskOptions { escalate: Some(Escalation::default()), ..AskOptions::default() };
        refused(&team().try_shutdown("alice", options))
    }),
    ("closed", || {
        let mut net = team();
        net.act("alice", Engine::close);
        refused(&net.say("alice", LEAD, "one more thing"))
    }),
    ("effects_pending", || {
        let (mut net, _) = planned(Uses::Once);
        let now = net.local("alice");
        let engine = &mut net.node_mut("alice").engine;
        engine.idle(now, None).unwrap();
        let early = refused(&engine.snapshot());
        net.run_until_quiet();
        early
    }),
    ("life_not_later", || {
        let mut net = team();
        net.idle("alice");
        let former = Incarnation::new(Timestamp::from_ms(0), 1);
        refused(&net.act(LEAD, |e, now| e.announce(now, "alice", former)))
    }),
    ("name_taken", || {
        let alice = member("Alice", Role::Worker);
        refused(&team().act(LEAD, |e, now| e.add_member(now, &alice)))
    }),
    ("second_lead", || {
        let boss = member("boss", Role::Lead);
        refused(&team().act(LEAD, |e, now| e.add_member(now, &boss)))
    }),
    ("too_many_members", || {
        let mut net = Net::with(&["alice"], |config| config.limits.members = 2);
        let bob = member("bob", Role::Worker);
        refused(&net.act(LEAD, |e, now| e.add_member(now, &bob)))
    }),
    ("too_many_sections", || {
        let mut net = team();
        let policy = SectionPolicy::Reject;
        for _ in 0..64 {
            net.enter_section("alice", "tests", None, policy);
        }
        refused(&net.act("alice", |e, now| e.enter_section(now, "tests", None, policy)))
    }),
    ("unknown_permit", || {
        let (mut net, _) = planned(Uses::Once);
        let (permit, _) = net.enter_gate("alice", "write:src/a").unwrap();
        net.start_failed("alice", permit).unwrap();
        refused(&net.start_failed("alice", permit))
    }),
    ("unknown_section", || {
        let mut net = team();
        let section = net.enter_section("alice", "tests", None, SectionPolicy::Reject);
        net.leave_section("alice", section);
        refused(&net.act("alice", |e, now| e.leave_section(now, section)))
    }),
];
