//! Requests that go on from earlier ones: retry, appeal, revision, and what is refused as a loop.
//!
//! A host that asks again passes what it asks for once more; the digest tells whether it is the
//! same. So nothing but the digest of an ended request has to be kept.

use serde::Serialize;

use super::ask::not_now;
use super::ledger::{Content, Entry, Lineage, Side};
use super::{Checked, Engine};
use crate::effect::Alarm;
use crate::error::{FollowError, LineageError, NotNow};
use crate::ids::{MemberIndex, RequestId};
use crate::message::{Cause, Follows, Link, Status, is_blank};
use crate::request::{Answer, Input, Owed, State};
use crate::stored::from_store;

/// That a request goes on from an earlier one of this member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowSpec {
    /// The earlier request; an unambiguous beginning of an open one's id will do.
    pub request_id: String,
    /// What the new one is to it.
    pub link: Link,
    /// With an appeal: what the earlier decision did not consider.
    pub justification: Option<String>,
}

from_store!(struct FollowSpec { request_id, link, justification });

impl Engine {
    /// Checks that a request may go on from the earlier one that it names, and links it.
    pub(super) fn link(&self, entry: &mut Entry, spec: Option<&FollowSpec>) -> Checked<()> {
        let Some(FollowSpec { request_id, link, justification }) = spec else {
            return self.refuse_rejected(entry, None);
        };
        let (link, slot) = (*link, self.resolve(Side::Asked, request_id)?);
        let Some(earlier) = self.ledger.get(slot) else {
            return Err(self.unknown_request(Side::Asked, request_id).into());
        };
        if earlier.content.kind() != entry.content.kind() {
            let (request, answer) = (earlier.content.kind().clone(), entry.content.kind().clone());
            return Err(NotNow::KindMismatch { request, answer }.into());
        }
        let refuse = |why| LineageError::CannotFollow { request_id: earlier.id.clone(), link, why };
        let same = earlier.content.same_as(&entry.content)
            || matches!(earlier.content, Content::Shutdown { .. });
        let status = earlier.state.status();
        match (link, status) {
            (Link::Retry, Status::Rejected | Status::TimedOut | Status::Cancelled)
            | (Link::Appeal, Status::Rejected)
                if !same =>
            {
                return Err(refuse(FollowError::OtherContent).into());
            }
            (Link::Revision, Status::Approved) => {
                return Err(refuse(FollowError::Status { status }).into());
            }
            (Link::Revision, _) if same => return Err(refuse(FollowError::SameContent).into()),
            (Link::Retry, Status::Rejected | Status::TimedOut | Status::Cancelled)
            | (Link::Appeal, Status::Rejected)
            | (Link::Revision, _) => {}
            (Link::Retry | Link::Appeal, _) => {
                return Err(refuse(FollowError::Status { status }).into());
            }
        }
        let said = justification.as_deref().filter(|text| !is_blank(text)).map(str::trim);
        let repeated = said.is_some_and(|text| earlier.lineage.said.iter().any(|s| s == text));
        if link == Link::Appeal && repeated {
            return Err(refuse(FollowError::SameJustification).into());
        }
        entry.lineage = earlier.lineage.next(&earlier.id, link, said);
        let (limits, lineage) = (&self.config.limits, &entry.lineage);
        if lineage.appeals > limits.appeals {
            return Err(LineageError::AppealsExhausted { limit: limits.appeals }.into());
        }
        if lineage.length > limits.lineage {
            return Err(LineageError::LineageExhausted { limit: limits.lineage }.into());
        }
        let justification = said.map(str::to_owned);
        let request_id = earlier.id.clone();
        entry.follows = Some(Box::new(Follows { request_id, link, justification }));
        self.refuse_rejected(entry, Some(link))
    }

    /// The request took the place of the earlier one, if that was still open; and a lineage that
    /// grows is told once.
    pub(super) fn linked(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let revised = entry.follows.as_deref().filter(|follows| follows.link == Link::Revision);
        let revised =
            revised.and_then(|follows| self.ledger.find_asked(follows.request_id.as_str()));
        if let Some(earlier) = revised {
            self.apply_quietly(earlier, Input::Gone(Cause::Superseded));
        }
        self.tell_loop(slot);
    }

    /// What a request of a peer goes on from, as far as this member knows it.
    pub(super) fn lineage_of(&self, from: MemberIndex, follows: Option<&Follows>) -> Lineage {
        let Some(Follows { request_id, link, justification }) = follows else {
            return Lineage::default();
        };
        let earlier = self.ledger.find_owed(from, request_id.as_str());
        let earlier = earlier.and_then(|slot| self.ledger.get(slot));
        let known = earlier.map(|entry| entry.lineage.clone()).unwrap_or_default();
        known.next(request_id, *link, justification.as_deref())
    }

    /// A request that this member has rejected comes again, without an appeal that may be made:
    /// it is answered as before, so that nobody hangs, and the host is not asked.
    pub(super) fn answer_rejected(&mut self, slot: usize) -> bool {
        let Some(entry) = self.ledger.get(slot) else { return false };
        let lineage = &entry.lineage;
        let appeals = entry.follows.as_deref().is_some_and(|follows| follows.link == Link::Appeal)
            && lineage.appeals <= self.config.limits.appeals;
        if appeals || !matches!(entry.content, Content::Plan { .. }) {
            return false;
        }
        let peer = entry.peer;
        let decided = |other: &&Entry| {
            let decided =
                matches!(other.state, State::Owed(Owed::Rejected(_) | Owed::Approved(..)));
            decided && other.peer == peer && other.content.same_as(&entry.content)
        };
        let latest = self.latest(&decided).filter(|entry| !entry.lineage.reopened);
        let Some(State::Owed(Owed::Rejected(before))) = latest.map(|e| &e.state) else {
            return false;
        };
        let note = before.note.clone();
        self.marks.push("already_rejected");
        let answer = Answer { approve: false, note, ..Answer::default() };
        self.apply_quietly(slot, Input::Decide(answer));
        true
    }

    /// Half of what a lineage may hold is used up: told once.
    pub(super) fn tell_loop(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        if self.loops(&entry.lineage) {
            self.alarm(Alarm::RequestLoop, entry.peer, Some(slot));
        }
    }

    /// The approval of the same plan that is open and not used up.
    pub(super) fn approved_already(&self, new: &Content) -> Option<RequestId> {
        let unspent =
            |id: &RequestId| self.gate.open_for().any(|(of, _, spent)| of == id && !spent);
        let mut entries = self.ledger.iter().map(|(_, entry)| entry);
        let same = entries.find(|entry| {
            entry.side() == Side::Asked
                && entry.state.status() == Status::Approved
                && entry.content.same_as(new)
                && unspent(&entry.id)
        });
        same.map(|entry| entry.id.clone())
    }

    /// The lead withdraws what it should decide: the requester is told, and withdraws it itself.
    pub(super) fn call_off(&mut self, id: &str, reason: Option<String>) -> Checked<RequestId> {
        let slot = self.resolve_pending(Side::Owed, id)?;
        self.about_request(slot);
        self.check_texts(&[reason.as_deref()])?;
        let id = self.id_of(slot)?;
        let before = self.ledger.swap_detail(slot, reason);
        self.send_cancel(slot);
        self.ledger.swap_detail(slot, before);
        Ok(id)
    }

    /// Whether a member may call off a request of ours: the lead may, while it waits.
    pub(super) fn may_call_off(&self, from: MemberIndex, slot: usize) -> bool {
        let waits = |entry: &Entry| entry.state.status() == Status::Pending;
        from == self.roster.lead() && self.ledger.get(slot).is_some_and(waits)
    }

    /// The lead calls off a request of ours.
    pub(super) fn called_off(&mut self, slot: usize, reason: Option<String>) -> Checked<()> {
        let before = self.ledger.swap_detail(slot, reason);
        self.apply(slot, Input::Cancel).map_err(|rejection| {
            self.ledger.swap_detail(slot, before);
            not_now(rejection).into()
        })
    }

    const fn loops(&self, lineage: &Lineage) -> bool {
        lineage.length == self.config.limits.lineage.div_ceil(2) && lineage.length > 1
    }

    /// The same plan after a rejection is the same question: only an appeal may ask it.
    fn refuse_rejected(&self, new: &Entry, link: Option<Link>) -> Checked<()> {
        if link == Some(Link::Appeal) || !matches!(new.content, Content::Plan { .. }) {
            return Ok(());
        }
        let decided = |entry: &&Entry| {
            let decided = matches!(entry.state.status(), Status::Approved | Status::Rejected);
            decided && entry.side() == Side::Asked && entry.content.same_as(&new.content)
        };
        match self.latest(&decided) {
            Some(entry) if entry.state.status() == Status::Rejected && !entry.lineage.reopened => {
                let reason = entry.state.settlement().and_then(|settled| settled.note.clone());
                Err(LineageError::AlreadyRejected { request_id: entry.id.clone(), reason }.into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The latest of the requests that fit.
    fn latest(&self, fits: &dyn Fn(&&Entry) -> bool) -> Option<&Entry> {
        let entries = self.ledger.iter().map(|(_, entry)| entry).filter(fits);
        entries.max_by_key(|entry| (entry.opened_at, entry.seq))
    }
}
