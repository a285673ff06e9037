use super::*;
use crate::time::Timestamp;

fn name(text: &str) -> MemberName {
    MemberName::parse(text).unwrap()
}

fn member(text: &str, role: Role) -> MemberConfig {
    MemberConfig::new(name(text), role)
}

fn config(members: Vec<MemberConfig>) -> Config {
    Config::new(name("alice"), Incarnation::new(Timestamp::from_ms(0), 0), members)
}

fn team() -> Config {
    config(vec![member("team-lead", Role::Lead), member("alice", Role::Worker)])
}

#[test]
fn the_defaults_pass_their_own_check() {
    assert_eq!(team().check(), Ok(()));
}

#[test]
fn a_team_has_exactly_one_lead() {
    assert_eq!(config(vec![member("alice", Role::Worker)]).check(), Err(ConfigError::NoLead));
    let two = config(vec![
        member("a", Role::Lead),
        member("b", Role::Lead),
        member("alice", Role::Worker),
    ]);
    assert_eq!(two.check(), Err(ConfigError::SeveralLeads { second: name("b") }));
}

#[test]
fn names_are_unique_without_regard_to_case_and_never_aliases() {
    let mut twice = team();
    twice.members.push(member("Alice", Role::Worker));
    assert_eq!(twice.check(), Err(ConfigError::DuplicateMember { name: name("Alice") }));
    let mut alias = team();
    alias.members.push(member("Leader", Role::Worker));
    assert_eq!(alias.check(), Err(ConfigError::AliasIsMember { name: name("leader") }));
}

#[test]
fn a_default_alias_gives_way_to_a_member_called_so_in_any_case() {
    let called = config(vec![
        member("boss", Role::Lead),
        member("Leader", Role::Worker),
        member("alice", Role::Worker),
    ]);
    assert_eq!(called.check(), Ok(()));
    assert!(!called.lead_aliases.contains(&name("leader")));
}

#[test]
fn the_member_itself_is_in_the_list() {
    let alone = config(vec![member("team-lead", Role::Lead)]);
    assert_eq!(alone.check(), Err(ConfigError::SelfNotListed { name: name("alice") }));
}

#[test]
fn a_limit_of_zero_and_a_timeout_over_the_cap_are_refused() {
    let mut zero = team();
    zero.limits.depth = 0;
    assert_eq!(zero.check(), Err(ConfigError::Zero { field: "depth" }));
    let mut over = team();
    over.timing.timeout = Millis::new(700_000);
    assert!(matches!(over.check(), Err(ConfigError::TimeoutOverCap { .. })));
    let mut crowd = team();
    crowd.limits.members = 1;
    assert_eq!(crowd.check(), Err(ConfigError::TooManyMembers { limit: 1 }));
}
