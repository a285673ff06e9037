//! Who may ask whom for what, as data.
//!
//! Owns one row per kind; nothing else in the crate knows that a lead asks for shutdowns. The
//! kinds that are always there and those that a host declares are rows of the same table. The
//! rows are consulted when sending and when receiving. Imports `message` and `time`.

mod table;

pub use self::table::{KindError, KindTable};
use serde::Serialize;

use crate::message::{Kind, Role, Roles};
use crate::stored::from_store;
use crate::time::Millis;

/// The rules of one kind.
///
/// ```
/// use team_protocols::{Approval, Kind, KindRules, KindTable, Role, Roles};
///
/// let (lead, worker) = (Roles::of(&[Role::Lead]), Roles::of(&[Role::Worker]));
/// // A worker borrows from the lead: its gate is open until its report gives back.
/// let grant = Kind::parse("resource_grant").expect("a name");
/// let grant =
///     KindRules { approval: Approval::OpensGate, ..KindRules::new(grant, worker, lead) };
/// // Workers fetch from each other, and nobody stands still for it.
/// let sync = Kind::parse("data_sync").expect("a name");
/// let sync = KindRules { blocking: false, ..KindRules::new(sync, worker, worker) };
/// let mut kinds = KindTable::default();
/// kinds.declare(grant).expect("workers wait for the lead");
/// kinds.declare(sync).expect("nobody waits");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindRules {
    /// Which kind.
    pub kind: Kind,
    /// Which roles ask.
    pub asked_by: Roles,
    /// Which roles decide; no other member may be addressed.
    pub decided_by: Roles,
    /// Whether our own refusals must say why.
    pub refusal_needs_reason: bool,
    /// Whether a peer's refusal must say why too; otherwise it is accepted and marked, for
    /// dropping it would leave the requester hanging.
    pub foreign_refusal_needs_reason: bool,
    /// What an approval means.
    pub approval: Approval,
    /// Whether the requester can do nothing else until it is decided: an edge of the wait-for
    /// graph.
    pub blocking: bool,
    /// Whether the host knows that members may wait for each other in a circle through this kind
    /// and other blocking ones, and relies on the search for deadlocks.
    pub cyclic: bool,
    /// Whether to be asked shuts the gate of the asked member until a plan of its own is approved.
    pub holds_gate: bool,
    /// Its idle limit, where that is not the common one.
    pub timeout: Option<Millis>,
    /// Its hard limit, where that is not the common one.
    pub cap: Option<Millis>,
}

from_store!(struct KindRules { kind, asked_by, decided_by, refusal_needs_reason, foreign_refusal_needs_reason, approval, blocking, cyclic, holds_gate, timeout, cap });

/// What an approval means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Nothing beyond itself.
    #[default]
    Nothing,
    /// The decider is leaving; it confirms its exit.
    Leaves,
    /// A gate of the requester opens for what was decided on; the requester reports how it went.
    OpensGate,
}

from_store!(enum Approval {
    "nothing" => Nothing,
    "leaves" => Leaves,
    "opens_gate" => OpensGate,
});

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

impl Approval {
    /// Everything an approval can mean.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Leaves, Self::OpensGate];

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Leaves => "leaves",
            Self::OpensGate => "opens_gate",
        }
    }
}

/// What stays of the rules of a kind with each request of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Terms {
    pub(crate) approval: Approval,
    pub(crate) blocking: bool,
    pub(crate) refusal_needs_reason: bool,
    pub(crate) holds_gate: bool,
}

from_store!(struct Terms { approval, blocking, refusal_needs_reason, holds_gate });

impl KindRules {
    /// What stays of them with each request.
    pub(crate) const fn terms(&self) -> Terms {
        let Self { approval, blocking, refusal_needs_reason, holds_gate, .. } = self;
        Terms {
            approval: *approval,
            blocking: *blocking,
            refusal_needs_reason: *refusal_needs_reason,
            holds_gate: *holds_gate,
        }
    }

    /// A kind whose approval means nothing beyond itself, with the common limits; everybody who
    /// refuses says why.
    #[must_use]
    pub const fn new(kind: Kind, asked_by: Roles, decided_by: Roles) -> Self {
        Self {
            kind,
            asked_by,
            decided_by,
            refusal_needs_reason: true,
            foreign_refusal_needs_reason: false,
            approval: Approval::Nothing,
            blocking: true,
            cyclic: false,
            holds_gate: false,
            timeout: None,
            cap: None,
        }
    }

    /// Whether a member with the roles `from` may ask one with the roles `to`.
    ///
    /// # Errors
    /// [`AuthorityError`] names the first rule that is broken: the asker's before the target's.
    pub fn check(&self, from: Roles, to: Roles) -> Result<(), AuthorityError> {
        if !self.asked_by.meets(from) {
            return Err(AuthorityError::MayNotAsk);
        }
        let leaves = self.approval == Approval::Leaves;
        if leaves && to.has(Role::Lead) {
            return Err(AuthorityError::LeadIsNoTarget);
        }
        if self.decided_by.meets(to) {
            return Ok(());
        }
        Err(match (from.first(), to.first()) {
            (Role::Worker, Role::Worker) => AuthorityError::PeersDoNotDecide,
            _ => AuthorityError::MayNotDecide,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &Kind, from: Role, to: Role) -> Result<(), AuthorityError> {
        KindTable::default().find(kind).unwrap().check(from.into(), to.into())
    }

    #[test]
    fn what_an_approval_means_is_named_as_in_the_options() {
        assert_eq!(Approval::ALL.map(Approval::name), ["nothing", "leaves", "opens_gate"]);
    }

    #[test]
    fn the_whole_table_is_as_designed() {
        let allowed = [
            (Kind::SHUTDOWN, Role::Lead, Role::Worker),
            (Kind::PLAN_APPROVAL, Role::Worker, Role::Lead),
            (Kind::PLAN_APPROVAL, Role::Worker, Role::Approver),
            (Kind::DEPENDENCY, Role::Worker, Role::Worker),
            (Kind::PLAN_REQUEST, Role::Lead, Role::Worker),
        ];
        for rules in KindTable::default().iter() {
            for from in Role::ALL {
                for to in Role::ALL {
                    let listed = allowed.contains(&(rules.kind.clone(), from, to));
                    let found = rules.check(from.into(), to.into()).is_ok();
                    assert_eq!(found, listed, "{}: {from:?}→{to:?}", rules.kind);
                }
            }
        }
    }

    #[test]
    fn the_refusal_names_the_rule() {
        use AuthorityError::{LeadIsNoTarget, MayNotAsk, MayNotDecide, PeersDoNotDecide};
        use Role::{Approver, Lead, Worker};
        assert_eq!(check(&Kind::SHUTDOWN, Worker, Lead), Err(MayNotAsk));
        assert_eq!(check(&Kind::SHUTDOWN, Lead, Lead), Err(LeadIsNoTarget));
        assert_eq!(check(&Kind::SHUTDOWN, Lead, Approver), Err(MayNotDecide));
        assert_eq!(check(&Kind::PLAN_APPROVAL, Worker, Worker), Err(PeersDoNotDecide));
        assert_eq!(check(&Kind::PLAN_APPROVAL, Lead, Worker), Err(MayNotAsk));
    }

    #[test]
    fn a_worker_that_is_an_approver_too_may_decide() {
        let table = KindTable::default();
        let plans = table.find(&Kind::PLAN_APPROVAL).unwrap();
        let both = Roles::of(&[Role::Worker, Role::Approver]);
        assert_eq!(plans.check(Role::Worker.into(), both), Ok(()));
        let shutdown = table.find(&Kind::SHUTDOWN).unwrap();
        assert_eq!(shutdown.check(Role::Lead.into(), both), Ok(()));
    }
}
