//! The plan gate: guarded actions are denied until an approved plan covers them.
//!
//! Owns what was granted and what is running under it. Everything that goes through
//! [`Gate::enter`] is guarded; the host decides which of its tools go through. Imports `ids` and
//! `message`.

use serde::Serialize;

use crate::ids::RequestId;
use crate::message::{Action, ScopeEntry, Uses};
use crate::stored::from_store;

/// What a worker may do at the moment.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Gate {
    grants: Vec<Grant>,
    /// The request of the lead for a plan that shut it.
    held_by: Option<RequestId>,
    next_permit: u64,
}

from_store!(struct Gate { grants, held_by, next_permit });

/// Work that was let through. Handed back when it could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Permit(pub(crate) u64);

from_store!(newtype Permit);

/// Why an action is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// No approved plan at all.
    NoPlan,
    /// The lead asked for a plan, and none was approved since.
    PlanRequired,
    /// Plans are approved, and none covers the action.
    OutOfScope,
    /// The one-shot plan that covers it is spent.
    Spent,
}

/// One approved plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Grant {
    request_id: RequestId,
    scope: Vec<ScopeEntry>,
    uses: Uses,
    /// The permit that spent a one-shot grant.
    spent_by: Option<Permit>,
}

from_store!(struct Grant { request_id, scope, uses, spent_by });

impl Gate {
    /// Opens the gate for an approved plan.
    pub(crate) fn open(&mut self, request_id: &RequestId, scope: &[String], uses: Uses) {
        // Entries that do not parse were refused when the request was validated.
        let scope = scope.iter().filter_map(|entry| ScopeEntry::parse(entry).ok()).collect();
        self.held_by = None;
        self.grants.push(Grant { request_id: request_id.clone(), scope, uses, spent_by: None });
    }

    /// Closes it for one plan.
    pub(crate) fn close(&mut self, request_id: &RequestId) {
        self.grants.retain(|grant| grant.request_id != *request_id);
    }

    /// Shuts it until a plan is approved: what was approved before counts no more.
    pub(crate) fn hold(&mut self, request_id: &RequestId) {
        self.grants.clear();
        self.held_by = Some(request_id.clone());
    }

    /// The request that shut it was withdrawn.
    pub(crate) fn release(&mut self, request_id: &RequestId) {
        self.held_by.take_if(|held| held == request_id);
    }

    /// The request that shut it.
    pub(crate) const fn held_by(&self) -> Option<&RequestId> {
        self.held_by.as_ref()
    }

    /// Closes it for all.
    pub(crate) fn close_all(&mut self) {
        self.grants.clear();
    }

    /// Lets one action start, under the plan that was approved first among those that cover it.
    pub(crate) fn enter(&mut self, action: &Action) -> Result<(Permit, RequestId), Denied> {
        if self.held_by.is_some() {
            return Err(Denied::PlanRequired);
        }
        if self.grants.is_empty() {
            return Err(Denied::NoPlan);
        }
        let covers = |grant: &&mut Grant| grant.scope.iter().any(|entry| entry.covers(action));
        let mut denied = Denied::OutOfScope;
        for grant in self.grants.iter_mut().filter(covers) {
            if grant.spent_by.is_some() {
                denied = Denied::Spent;
                continue;
            }
            self.next_permit += 1;
            let permit = Permit(self.next_permit);
            if grant.uses == Uses::Once {
                grant.spent_by = Some(permit);
            }
            return Ok((permit, grant.request_id.clone()));
        }
        Err(denied)
    }

    /// Gives a one-shot grant back whose work could not start. False when there is nothing to
    /// give back.
    pub(crate) fn give_back(&mut self, permit: Permit) -> bool {
        let spent = self.grants.iter_mut().find(|grant| grant.spent_by == Some(permit));
        spent.is_some_and(|grant| grant.spent_by.take().is_some())
    }

    /// The plans it is open for: request, scope as text is the host's, and whether it is spent.
    pub(crate) fn open_for(&self) -> impl Iterator<Item = (&RequestId, Uses, bool)> {
        self.grants.iter().map(|grant| (&grant.request_id, grant.uses, grant.spent_by.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(uses: Uses) -> (Gate, RequestId) {
        let id = RequestId::from_random(1);
        let scope = ["write:src/**".to_owned(), "delete:old.rs".to_owned()];
        let mut gate = Gate::default();
        gate.open(&id, &scope, uses);
        (gate, id)
    }

    fn action(text: &str) -> Action {
        Action::parse(text).unwrap()
    }

    #[test]
    fn nothing_passes_a_gate_without_a_plan() {
        assert_eq!(Gate::default().enter(&action("write:src/a")), Err(Denied::NoPlan));
    }

    #[test]
    fn a_plan_lets_its_scope_pass_until_it_is_closed() {
        let (mut gate, id) = gate(Uses::UntilReport);
        assert!(gate.enter(&action("write:src/a")).is_ok());
        assert!(gate.enter(&action("write:src/a")).is_ok());
        assert_eq!(gate.enter(&action("delete:src/a")), Err(Denied::OutOfScope));
        gate.close(&id);
        assert_eq!(gate.enter(&action("write:src/a")), Err(Denied::NoPlan));
    }

    #[test]
    fn a_one_shot_plan_is_spent_when_work_starts_and_given_back_when_it_cannot() {
        let (mut gate, _) = gate(Uses::Once);
        let (permit, _) = gate.enter(&action("delete:old.rs")).unwrap();
        assert_eq!(gate.enter(&action("write:src/a")), Err(Denied::Spent));
        assert!(gate.give_back(permit));
        assert!(!gate.give_back(permit), "only once");
        let (again, _) = gate.enter(&action("write:src/a")).unwrap();
        assert!(!gate.give_back(permit), "an old permit gives nothing back");
        assert!(gate.give_back(again));
    }

    #[test]
    fn a_spent_plan_does_not_hide_another_that_covers_the_action() {
        let (mut gate, _) = gate(Uses::Once);
        let scope = ["write:src/a".to_owned()];
        let second = RequestId::from_random(2);
        gate.enter(&action("write:src/a")).unwrap();
        gate.open(&second, &scope, Uses::UntilReport);
        assert_eq!(gate.enter(&action("write:src/a")).unwrap().1, second);
    }

    #[test]
    fn a_gate_that_is_held_opens_with_the_next_plan_and_not_for_the_former_one() {
        let (mut gate, _) = gate(Uses::UntilReport);
        let (asked, other) = (RequestId::from_random(7), RequestId::from_random(8));
        gate.hold(&asked);
        assert_eq!(gate.enter(&action("write:src/a")), Err(Denied::PlanRequired));
        gate.release(&other);
        assert_eq!(gate.held_by(), Some(&asked));
        let scope = ["write:docs/**".to_owned()];
        gate.open(&RequestId::from_random(9), &scope, Uses::UntilReport);
        assert!(gate.enter(&action("write:docs/a")).is_ok());
        assert_eq!(gate.enter(&action("write:src/a")), Err(Denied::OutOfScope));
    }

    #[test]
    fn closing_all_leaves_nothing_open() {
        let (mut gate, _) = gate(Uses::UntilReport);
        assert_eq!(gate.open_for().count(), 1);
        gate.close_all();
        assert_eq!(gate.open_for().count(), 0);
    }
}
