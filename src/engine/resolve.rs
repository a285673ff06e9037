//! Who and which request is meant, and whether it may be spoken to.

use super::ledger::Side;
use super::{Checked, Engine};
use crate::error::NotNow;
use crate::ids::{MemberIndex, MemberName, RequestId};
use crate::member::Passage;
use crate::message::{Liveness, Roles, Status};
use crate::validate::{self, InvalidMessage, Target};

impl Engine {
    /// Finds one request by its whole id, or an open one by an unambiguous beginning of it.
    pub(super) fn resolve(&self, side: Side, id: &str) -> Result<usize, NotNow> {
        let is_open = |slot: &usize| self.ledger.get(*slot).is_some_and(|e| e.state.is_open());
        let mut found = self.ledger.find_all(side, id);
        if found.len() > 1 {
            // Several members used the same id; what still waits is meant.
            found.retain(is_open);
        }
        if found.is_empty() && id.len() >= SHORTEST_PREFIX {
            found = self.slots(&|entry| entry.side() == side && entry.id.as_str().starts_with(id));
        }
        match found.as_slice() {
            [slot] => Ok(*slot),
            [] => Err(self.unknown_request(side, id)),
            several => Err(NotNow::AmbiguousPrefix {
                found: id.to_owned(),
                candidates: several
                    .iter()
                    .filter_map(|slot| self.ledger.get(*slot))
                    .map(|entry| entry.id.clone())
                    .collect(),
            }),
        }
    }

    pub(super) fn resolve_pending(&self, side: Side, id: &str) -> Result<usize, NotNow> {
        let slot = self.resolve(side, id)?;
        match self.ledger.get(slot).map(|entry| entry.state.status()) {
            Some(Status::Pending) => Ok(slot),
            Some(status) => Err(NotNow::NotPending { status }),
            None => Err(self.unknown_request(side, id)),
        }
    }

    pub(super) fn unknown_request(&self, side: Side, id: &str) -> NotNow {
        let found = id.chars().take(MAX_EXCERPT).collect();
        NotNow::UnknownRequest { found, open: self.open_ids(side, None) }
    }

    /// A recipient as the rules see it.
    pub(super) fn target(&self, name: &str) -> Target {
        if name == "*" {
            return Target::Everyone;
        }
        let parsed = MemberName::parse(name).ok();
        match parsed.as_ref().and_then(|name| self.roster.find(name)) {
            Some(index) if index == self.roster.me() => Target::Oneself,
            Some(index) => Target::Member(self.roles_of(index)),
            None => {
                let UnknownName { name, nearest, roster } = self.unknown_name(name);
                Target::Unknown { name, nearest, roster }
            }
        }
    }

    /// A name nobody has, with the names there are.
    fn unknown_name(&self, name: &str) -> UnknownName {
        let roster: Vec<_> = self.roster.iter().map(|(_, m)| m.name.clone()).collect();
        UnknownName {
            name: name.chars().take(MAX_EXCERPT).collect(),
            nearest: validate::nearest_name(name, roster.iter()),
            roster,
        }
    }

    /// Finds a member by name or alias; the refusal lists the roster and the nearest name.
    pub(super) fn known_member(&self, name: &str) -> Checked<MemberIndex> {
        let parsed = MemberName::parse(name).ok();
        let found = parsed.as_ref().and_then(|name| self.roster.find(name));
        found.ok_or_else(|| {
            let UnknownName { name, nearest, roster } = self.unknown_name(name);
            InvalidMessage::UnknownRecipient { name, nearest, roster }.into()
        })
    }

    pub(super) fn refuse_self(&self, index: MemberIndex, message: &'static str) -> Checked<()> {
        if index == self.roster.me() {
            return Err(InvalidMessage::ToOneself { message }.into());
        }
        Ok(())
    }

    pub(super) fn refuse_when_left(&self) -> Checked<()> {
        if self.presence() == Liveness::Left { Err(NotNow::SelfLeaving.into()) } else { Ok(()) }
    }

    pub(super) fn refuse_leaving(&self) -> Checked<()> {
        let leaving = matches!(self.presence(), Liveness::Leaving | Liveness::Left);
        if leaving { Err(NotNow::SelfLeaving.into()) } else { Ok(()) }
    }

    /// Nothing is sent to a member that cannot receive it.
    pub(super) fn refuse_absent(&self, index: MemberIndex) -> Checked<()> {
        let Some(member) = self.roster.get(index) else { return Ok(()) };
        let name = member.name.clone();
        match member.presence {
            Liveness::Active | Liveness::Busy | Liveness::Suspect => Ok(()),
            Liveness::Leaving => Err(NotNow::RecipientLeaving { name }.into()),
            Liveness::Left => Err(NotNow::RecipientLeft { name }.into()),
            Liveness::Lost => match member.breaker.passage(self.now) {
                Passage::Blocked { until } => Err(NotNow::RecipientLost {
                    name,
                    retry_in: until.map(|until| until.since(self.now)),
                }
                .into()),
                Passage::Free | Passage::Trial => Ok(()),
            },
        }
    }

    pub(super) fn everyone_present(&self) -> Vec<MemberIndex> {
        let others = self.roster.iter().filter(|(index, _)| *index != self.roster.me());
        others.map(|(index, _)| index).filter(|index| self.refuse_absent(*index).is_ok()).collect()
    }

    pub(super) fn presence_of(&self, index: MemberIndex) -> Option<Liveness> {
        self.roster.get(index).map(|member| member.presence)
    }

    pub(super) fn roles_of(&self, index: MemberIndex) -> Roles {
        self.roster.get(index).map_or(Roles::NONE, |member| member.roles)
    }

    pub(super) fn id_of(&self, slot: usize) -> Checked<RequestId> {
        let id = self.ledger.get(slot).map(|entry| entry.id.clone());
        id.ok_or_else(|| self.unknown_request(Side::Asked, "").into())
    }

    pub(super) fn check_texts(&self, texts: &[Option<&str>]) -> Checked<()> {
        for text in texts.iter().flatten() {
            validate::check_text(text, &self.config.limits)?;
        }
        Ok(())
    }
}

/// A name nobody has.
struct UnknownName {
    name: String,
    nearest: Option<MemberName>,
    roster: Vec<MemberName>,
}

/// `req_` and one digit more: shorter beginnings are accidents.
const SHORTEST_PREFIX: usize = 5;

/// Names and ids in errors are cut to this many characters.
const MAX_EXCERPT: usize = 80;
