//! Who may ask whom for what, as data.
//!
//! Owns one row per kind; nothing else in the crate knows that a lead asks for shutdowns. The
//! rows are consulted when sending and when receiving. Imports `message` and `time`.

#[cfg_attr(not(test), expect(dead_code, reason = "not yet used by the configuration"))]
mod cycles;

use crate::message::{Kind, Role};

/// The rules of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindRules {
    /// Which role asks.
    pub asked_by: Role,
    /// Which role decides; it is also the only one that may be addressed.
    pub decided_by: Role,
    /// Whether our own refusals must say why.
    pub refusal_needs_reason: bool,
    /// Whether a peer's refusal must say why too; otherwise it is accepted and marked, for
    /// dropping it would leave the requester hanging.
    pub foreign_refusal_needs_reason: bool,
    /// What an approval means.
    pub approval: Approval,
}

/// What an approval means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The decider is leaving; it confirms its exit.
    Leaves,
    /// A gate of the requester opens for what was decided on; the requester reports how it went.
    OpensGate,
}

/// What is wrong with a pair of members for a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorityError {
    /// The asking member lacks the role.
    MayNotAsk,
    /// The lead is never a shutdown target.
    LeadIsNoTarget,
    /// Workers do not ask each other for approvals.
    PeersDoNotDecide,
    /// The addressed member lacks the role.
    MayNotDecide,
}

/// The rules of a kind.
#[must_use]
pub const fn rules(kind: Kind) -> KindRules {
    match kind {
        Kind::Shutdown => KindRules {
            asked_by: Role::Lead,
            decided_by: Role::Worker,
            refusal_needs_reason: true,
            foreign_refusal_needs_reason: true,
            approval: Approval::Leaves,
        },
        Kind::PlanApproval => KindRules {
            asked_by: Role::Worker,
            decided_by: Role::Lead,
            refusal_needs_reason: true,
            foreign_refusal_needs_reason: false,
            approval: Approval::OpensGate,
        },
    }
}

/// Whether a member with role `from` may ask one with role `to` for `kind`.
///
/// # Errors
/// [`AuthorityError`] names the first rule that is broken: the asker's before the target's.
pub(crate) fn check(kind: Kind, from: Role, to: Role) -> Result<(), AuthorityError> {
    let rules = rules(kind);
    if from != rules.asked_by {
        return Err(AuthorityError::MayNotAsk);
    }
    if to == rules.decided_by {
        return Ok(());
    }
    Err(match (rules.approval, from, to) {
        (Approval::Leaves, _, Role::Lead) => AuthorityError::LeadIsNoTarget,
        (_, Role::Worker, Role::Worker) => AuthorityError::PeersDoNotDecide,
        _ => AuthorityError::MayNotDecide,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_as_designed() {
        for from in Role::ALL {
            for to in Role::ALL {
                let shutdown = check(Kind::Shutdown, from, to);
                assert_eq!(
                    shutdown.is_ok(),
                    (from, to) == (Role::Lead, Role::Worker),
                    "{from:?}→{to:?}"
                );
                let plan = check(Kind::PlanApproval, from, to);
                assert_eq!(
                    plan.is_ok(),
                    (from, to) == (Role::Worker, Role::Lead),
                    "{from:?}→{to:?}"
                );
            }
        }
    }

    #[test]
    fn the_refusal_names_the_rule() {
        assert_eq!(check(Kind::Shutdown, Role::Worker, Role::Lead), Err(AuthorityError::MayNotAsk));
        assert_eq!(
            check(Kind::Shutdown, Role::Lead, Role::Lead),
            Err(AuthorityError::LeadIsNoTarget)
        );
        assert_eq!(
            check(Kind::Shutdown, Role::Lead, Role::Approver),
            Err(AuthorityError::MayNotDecide)
        );
        assert_eq!(
            check(Kind::PlanApproval, Role::Worker, Role::Worker),
            Err(AuthorityError::PeersDoNotDecide)
        );
        assert_eq!(
            check(Kind::PlanApproval, Role::Lead, Role::Worker),
            Err(AuthorityError::MayNotAsk)
        );
    }
}
