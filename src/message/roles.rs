//! The roles of one member.

use serde::Serialize;

use super::kind::Role;
use crate::stored::from_store;

/// The roles that one member holds: its first one, and perhaps that of an approver beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Roles(u8);

from_store!(newtype Roles);

impl Roles {
    /// No role at all.
    pub const NONE: Self = Self(0);

    /// These roles.
    #[must_use]
    pub const fn of(roles: &[Role]) -> Self {
        let mut bits = 0;
        let mut rest = roles;
        while let [first, others @ ..] = rest {
            bits |= 1 << (*first as u8);
            rest = others;
        }
        Self(bits)
    }

    /// These roles and one more.
    #[must_use]
    pub const fn and(self, role: Role) -> Self {
        Self(self.0 | (1 << (role as u8)))
    }

    /// Whether it is among them.
    #[must_use]
    pub const fn has(self, role: Role) -> bool {
        self.0 & (1 << (role as u8)) != 0
    }

    /// Whether the two have one in common.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What the member is first of all: lead before worker before approver.
    #[must_use]
    pub const fn first(self) -> Role {
        if self.has(Role::Lead) {
            Role::Lead
        } else if self.has(Role::Worker) {
            Role::Worker
        } else {
            Role::Approver
        }
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.has(*role))
    }
}

impl From<Role> for Roles {
    fn from(role: Role) -> Self {
        Self::of(&[role])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_roles_knows_its_own() {
        for role in Role::ALL {
            let roles = Roles::from(role);
            assert_eq!(roles.first(), role);
            assert_eq!(roles.iter().collect::<Vec<_>>(), [role]);
            assert!(roles.and(Role::Approver).has(Role::Approver));
            assert_eq!(roles.and(Role::Approver).first(), role);
            assert!(!roles.is_empty() && !roles.meets(Roles::NONE));
        }
        let both = Roles::of(&[Role::Lead, Role::Worker]);
        assert!(both.meets(Role::Worker.into()) && !both.meets(Role::Approver.into()));
    }
}
