//! English: why a configuration is refused.

use crate::config::ConfigError;

pub(super) fn message(error: &ConfigError) -> String {
    match error {
        ConfigError::NoLead => "no member has the role `lead`, exactly one must".into(),
        ConfigError::SeveralLeads { second } => {
            format!("`{second}` is a second `lead`, exactly one is accepted")
        }
        ConfigError::DuplicateMember { name } => {
            format!("`{name}` is listed twice, or differs from another name in case only")
        }
        ConfigError::AliasIsMember { name } => {
            format!("`{name}` is an alias of the lead and also the name of a member")
        }
        ConfigError::SelfNotListed { name } => {
            format!("the engine's own member `{name}` is not among the members")
        }
        ConfigError::TooManyMembers { limit } => {
            format!("more members than the {limit} of `limits.members`")
        }
        ConfigError::Zero { field } => format!("`{field}` is 0, expected at least 1"),
        ConfigError::TimeoutOverCap { timeout, cap } => {
            let (timeout, cap) = (timeout.as_ms(), cap.as_ms());
            format!(
                "`timing.timeout` is {timeout} ms, expected at most the {cap} ms of `timing.cap`"
            )
        }
    }
}

pub(super) fn hint(error: &ConfigError) -> String {
    match error {
        ConfigError::NoLead => {
            "give the role `lead` to the member that asks for shutdowns and decides on plans"
        }
        ConfigError::SeveralLeads { .. } => "make all but one of them `worker` or `approver`",
        ConfigError::DuplicateMember { .. } => {
            "list every member once, under names that differ in more than case"
        }
        ConfigError::AliasIsMember { .. } => "rename the member, or take the alias out",
        ConfigError::SelfNotListed { .. } => "list the member in `members`, or correct its name",
        ConfigError::TooManyMembers { .. } => "list fewer members, or raise the limit",
        ConfigError::Zero { .. } => "set it, or leave it out to get the default",
        ConfigError::TimeoutOverCap { .. } => "lower `timing.timeout` or raise `timing.cap`",
    }
    .to_owned()
}
