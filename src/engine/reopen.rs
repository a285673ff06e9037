//! A rejected plan is reopened by whoever rejected it: the same may be asked once more, and that is
//! no appeal.
//!
//! The decision stands. What is reopened is the question: the requester's engine lets the same plan
//! out again, and the decider's puts it before its host again.

use super::commands::Refusable;
use super::ledger::{Content, Entry, Side};
use super::receive::Stop;
use super::record::Call;
use super::{Checked, Disposition, Engine};
use crate::effect::{Event, ReopenedEvent};
use crate::error::NotNow;
use crate::ids::{MemberIndex, RequestId};
use crate::journal::{DropReason, Noted};
use crate::message::{Choice, Message, Reopen, Status};
use crate::request::{Asked, Owed, State};
use crate::time::Timestamp;
use crate::validate::{self, Origin, Target};

impl Engine {
    /// Lets a plan that this member rejected be asked about once more; the requester is told, with
    /// the reason. The decision stands, and the new request is no appeal. Doing it again tells it
    /// again, for the frame may be lost.
    ///
    /// # Errors
    /// When there is no such request, this member may not decide on it, or it does not stand as
    /// rejected by this member.
    pub fn reopen(
        &mut self,
        now: Timestamp,
        id: &str,
        reason: Option<String>,
    ) -> Refusable<RequestId> {
        let told = self.write_down(|| Call::Reopen {
            id: id.into(),
            reason: reason.as_deref().map(Into::into),
        });
        self.command(now, told, |engine| engine.reopen_question(id, reason))
    }

    fn reopen_question(&mut self, id: &str, reason: Option<String>) -> Checked<RequestId> {
        self.refuse_when_left()?;
        let slot = match (self.resolve(Side::Owed, id), self.resolve(Side::Asked, id)) {
            (Ok(slot), _) | (Err(_), Ok(slot)) => slot,
            (Err(unknown), Err(_)) => return Err(unknown.into()),
        };
        self.about_request(slot);
        let Some(entry) = self.ledger.get(slot) else {
            return Err(self.unknown_request(Side::Owed, id).into());
        };
        let (peer, request_id, status) = (entry.peer, entry.id.clone(), entry.state.status());
        let message = Message::Reopen(Reopen { request_id: request_id.clone(), reason });
        let target = Target::Member(self.roles_of(peer));
        validate::check(message.clone(), Origin::Own, self.roles(), target, self.rulebook())?;
        let rejected = matches!(entry.state, State::Owed(Owed::Rejected(_)));
        if !rejected || !self.stands(slot) {
            return Err(NotNow::NothingToReopen { status }.into());
        }
        self.refuse_absent(peer)?;
        self.ledger.reopen(slot);
        self.post_message(peer, message);
        Ok(request_id)
    }

    /// Whoever rejected a plan of ours is willing to decide on it once more.
    pub(super) fn reopened_by(
        &mut self,
        from: MemberIndex,
        message: Reopen,
    ) -> Result<Disposition, Stop> {
        let Reopen { request_id, reason } = message;
        let slot = self.ledger.find_asked(request_id.as_str());
        let slot = slot.ok_or(Stop::Drop(DropReason::Orphan))?;
        let Some(entry) = self.ledger.get(slot) else { return Err(Stop::Drop(DropReason::Orphan)) };
        if !entry.concerns(from) {
            return Err(Stop::Drop(DropReason::WrongResponder));
        }
        if !entry.may_be_reopened_by(from) || !self.stands(slot) {
            return Err(Stop::Drop(DropReason::NotRejected));
        }
        if entry.lineage.reopened {
            return Err(Stop::Drop(DropReason::Duplicate));
        }
        let by = self.name_of(from);
        self.ledger.reopen(slot);
        self.idle_is_news(from);
        self.event(Event::Reopened(ReopenedEvent { request_id, by, reason }));
        Ok(Disposition::Noted(Noted::Reopened))
    }

    /// Whether this is a plan, and what was decided on it last is what this request says.
    fn stands(&self, slot: usize) -> bool {
        let Some(entry) = self.ledger.get(slot) else { return false };
        let newer = |(place, other): (usize, &Entry)| {
            other.side() == entry.side()
                && other.peer == entry.peer
                && matches!(other.state.status(), Status::Approved | Status::Rejected)
                && other.content.same_as(&entry.content)
                && (other.opened_at, other.seq, place) > (entry.opened_at, entry.seq, slot)
        };
        matches!(entry.content, Content::Plan { .. }) && !self.ledger.iter().any(newer)
    }
}

impl Entry {
    /// Whether a member has said no to our request. One that waits for this member is taken to be
    /// rejected: the word of it was overtaken.
    fn may_be_reopened_by(&self, member: MemberIndex) -> bool {
        match &self.state {
            State::Asked(Asked::Pending(..)) => self.waits_for(member),
            State::Asked(Asked::Rejected(settled)) => {
                let vote = settled.ballot.of(member).map(|vote| vote.choice);
                settled.by == Some(member) || vote == Some(Choice::Reject)
            }
            State::Asked(Asked::Approved(..) | Asked::TimedOut(_) | Asked::Cancelled(_))
            | State::Owed(_) => false,
        }
    }
}
