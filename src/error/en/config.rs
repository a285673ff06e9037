//! English: why a configuration is refused.

use crate::authority::KindError;
use crate::config::ConfigError;
use crate::message::Kind;

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
        ConfigError::Kind { why } => kind(why),
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
        ConfigError::Kind { why } => kind_hint(why),
        ConfigError::TimeoutOverCap { .. } => "lower `timing.timeout` or raise `timing.cap`",
    }
    .to_owned()
}

fn kind(why: &KindError) -> String {
    match why {
        KindError::Taken { kind } => format!("there is a kind `{kind}` already"),
        KindError::Nobody { kind } => format!("nobody may ask for `{kind}`, or nobody decides it"),
        KindError::LeadLeaves { kind } => {
            format!("an approval of `{kind}` would make the lead leave")
        }
        KindError::PeersOpenGates { kind } => {
            format!("with `{kind}` workers would open each other's gates")
        }
        KindError::BadLimits { kind } => {
            format!("a time limit of `{kind}` is 0, or the idle limit is longer than the hard one")
        }
        KindError::Circle { kind, through } => {
            let through: Vec<_> = through.iter().map(Kind::name).collect();
            format!(
                "with `{kind}` members could wait for each other in a circle: {}",
                through.join(" → ")
            )
        }
    }
}

const fn kind_hint(why: &KindError) -> &'static str {
    match why {
        KindError::Taken { .. } => "choose another name",
        KindError::Nobody { .. } => "name at least one role in `asked_by` and in `decided_by`",
        KindError::LeadLeaves { .. } => {
            "let workers or approvers decide it, or let it mean nothing"
        }
        KindError::PeersOpenGates { .. } => "let the lead or an approver decide it",
        KindError::BadLimits { .. } => {
            "leave the limits out to get the common ones, or correct them"
        }
        KindError::Circle { .. } => {
            "make the kind not blocking, let other roles decide it, or declare it as cyclic: then \
             deadlocks are searched for and broken when they form"
        }
    }
}
