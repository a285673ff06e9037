//! The table of kinds: the rows that are always there, and those of the host.

use super::{Approval, KindRules};
use crate::message::{Kind, Role, Roles};
use crate::time::Millis;

/// Every kind that an engine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindTable {
    rows: Vec<KindRules>,
}

/// Why a kind cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KindError {
    /// There is one of this name already.
    Taken {
        /// The name.
        kind: Kind,
    },
    /// Nobody may ask, or nobody may decide.
    Nobody {
        /// The kind.
        kind: Kind,
    },
    /// The lead would decide about its own leaving.
    LeadLeaves {
        /// The kind.
        kind: Kind,
    },
    /// Workers would open each other's gates.
    PeersOpenGates {
        /// The kind.
        kind: Kind,
    },
    /// A time limit is zero, or the idle limit is longer than the hard limit.
    BadLimits {
        /// The kind.
        kind: Kind,
    },
    /// Members could wait for each other in a circle, and the kind does not say that this is meant.
    Circle {
        /// The kind that closes it.
        kind: Kind,
        /// The kinds of the circle, that one first.
        through: Vec<Kind>,
    },
}

impl KindTable {
    /// Adds a kind of the host's.
    ///
    /// # Errors
    /// [`KindError`] when its row makes no sense, or permits a circle without saying so.
    pub fn declare(&mut self, rules: KindRules) -> Result<(), KindError> {
        let kind = || rules.kind.clone();
        if self.find(&rules.kind).is_some() {
            return Err(KindError::Taken { kind: kind() });
        }
        if rules.asked_by.is_empty() || rules.decided_by.is_empty() {
            return Err(KindError::Nobody { kind: kind() });
        }
        if rules.approval == Approval::Leaves && rules.decided_by.has(Role::Lead) {
            return Err(KindError::LeadLeaves { kind: kind() });
        }
        let peers = rules.asked_by.has(Role::Worker) && rules.decided_by.has(Role::Worker);
        if rules.approval == Approval::OpensGate && peers {
            return Err(KindError::PeersOpenGates { kind: kind() });
        }
        let zero = |limit: Option<Millis>| limit.is_some_and(|limit| limit.as_ms() == 0);
        let crossed = matches!((rules.timeout, rules.cap), (Some(idle), Some(cap)) if idle > cap);
        if zero(rules.timeout) || zero(rules.cap) || crossed {
            return Err(KindError::BadLimits { kind: kind() });
        }
        if let Some(through) = self.circle(&rules).filter(|_| !rules.cyclic) {
            return Err(KindError::Circle { kind: kind(), through });
        }
        self.rows.push(rules);
        Ok(())
    }

    /// The rules of a kind.
    #[must_use]
    pub fn find(&self, kind: &Kind) -> Option<&KindRules> {
        self.rows.iter().find(|row| row.kind == *kind)
    }

    /// Every row.
    pub fn iter(&self) -> impl Iterator<Item = &KindRules> {
        self.rows.iter()
    }

    /// The kinds through which members could wait in a circle if this one were there, the new one
    /// first. An edge leads from each role that asks for a blocking kind to each that decides it.
    fn circle(&self, new: &KindRules) -> Option<Vec<Kind>> {
        if !new.blocking {
            return None;
        }
        let way = |role| self.way(role, new.asked_by, &mut Roles::of(&[]));
        let mut way = new.decided_by.iter().find_map(way)?;
        way.push(new.kind.clone());
        way.reverse();
        Some(way)
    }

    /// The kinds on a way from a role to one of others, last first.
    fn way(&self, from: Role, to: Roles, seen: &mut Roles) -> Option<Vec<Kind>> {
        if to.has(from) {
            return Some(Vec::new());
        }
        if seen.has(from) {
            return None;
        }
        *seen = seen.and(from);
        let edges = self.rows.iter().filter(|row| row.blocking && row.asked_by.has(from));
        for row in edges {
            for next in row.decided_by.iter() {
                if let Some(mut way) = self.way(next, to, seen) {
                    way.push(row.kind.clone());
                    return Some(way);
                }
            }
        }
        None
    }
}

impl Default for KindTable {
    /// The kinds that are always there.
    fn default() -> Self {
        let (lead, worker) = (Roles::of(&[Role::Lead]), Roles::of(&[Role::Worker]));
        let approvers = lead.and(Role::Approver);
        Self {
            rows: vec![
                KindRules {
                    foreign_refusal_needs_reason: true,
                    approval: Approval::Leaves,
                    blocking: false,
                    ..KindRules::new(Kind::SHUTDOWN, lead, worker)
                },
                KindRules {
                    approval: Approval::OpensGate,
                    ..KindRules::new(Kind::PLAN_APPROVAL, worker, approvers)
                },
                KindRules { cyclic: true, ..KindRules::new(Kind::DEPENDENCY, worker, worker) },
                KindRules {
                    holds_gate: true,
                    blocking: false,
                    ..KindRules::new(Kind::PLAN_REQUEST, lead, worker)
                },
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, asked_by: &[Role], decided_by: &[Role]) -> KindRules {
        KindRules::new(Kind::parse(name).unwrap(), Roles::of(asked_by), Roles::of(decided_by))
    }

    fn refused(rules: KindRules) -> KindError {
        let mut table = KindTable::default();
        let before = table.clone();
        let error = table.declare(rules).unwrap_err();
        assert_eq!(table, before, "a refusal changes nothing");
        error
    }

    #[test]
    fn a_kind_of_the_host_is_a_row_like_any_other() {
        let mut table = KindTable::default();
        table.declare(kind("resource_grant", &[Role::Worker], &[Role::Lead])).unwrap();
        let found = table.find(&Kind::parse("resource_grant").unwrap()).unwrap();
        assert_eq!(found.approval, Approval::Nothing);
        assert_eq!(table.iter().count(), KindTable::default().iter().count() + 1);
    }

    #[test]
    fn a_row_that_makes_no_sense_is_refused() {
        let (lead, worker) = ([Role::Lead], [Role::Worker]);
        assert!(matches!(refused(kind("shutdown", &lead, &worker)), KindError::Taken { .. }));
        assert!(matches!(refused(kind("a", &[], &worker)), KindError::Nobody { .. }));
        let leaves = KindRules { approval: Approval::Leaves, ..kind("a", &worker, &lead) };
        assert!(matches!(refused(leaves), KindError::LeadLeaves { .. }));
        let gate = KindRules { approval: Approval::OpensGate, ..kind("a", &worker, &worker) };
        assert!(matches!(refused(gate), KindError::PeersOpenGates { .. }));
        for (timeout, cap) in [(Some(0), None), (None, Some(0)), (Some(2), Some(1))] {
            let (timeout, cap) = (timeout.map(Millis::new), cap.map(Millis::new));
            let limits = KindRules { timeout, cap, ..kind("a", &worker, &lead) };
            assert!(matches!(refused(limits), KindError::BadLimits { .. }), "{timeout:?} {cap:?}");
        }
    }

    #[test]
    fn a_circle_of_waiting_must_be_meant() {
        let (lead, worker) = ([Role::Lead], [Role::Worker]);
        let name = |text| Kind::parse(text).unwrap();
        let through = vec![name("handover"), Kind::PLAN_APPROVAL];
        let back = || kind("handover", &lead, &worker);
        assert_eq!(refused(back()), KindError::Circle { kind: name("handover"), through });
        let sync = kind("data_sync", &worker, &worker);
        let through = vec![name("data_sync")];
        assert_eq!(refused(sync.clone()), KindError::Circle { kind: name("data_sync"), through });
        for meant in [
            KindRules { cyclic: true, ..sync },
            KindRules { blocking: false, ..back() },
            kind("resource_grant", &worker, &lead),
        ] {
            KindTable::default().declare(meant).unwrap();
        }
    }
}
