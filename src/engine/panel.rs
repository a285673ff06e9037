//! Requests that several members decide: who they are, and what is sent to whom of them.

use super::commands::StageSpec;
use super::ledger::{Entry, Side};
use super::outbox::request_message;
use super::{Checked, Engine};
use crate::authority::{Approval, Terms};
use crate::effect::{Event, VoteEvent};
use crate::ids::{MemberIndex, MemberName};
use crate::message::{Cause, Choice, Timing};
use crate::request::{Asked, Input, Panel, Stage, State, Vote};
use crate::validate::{self, InvalidMessage, Origin, StageError, Target};

/// Which members that were asked something is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// Everybody who was asked.
    Asked,
    /// Whoever must still decide.
    Undecided,
    /// Whoever approved and does not know how the work went.
    Uninformed,
}

impl Engine {
    /// The members that decide, as the host named them.
    pub(super) fn panel(&self, stages: &[StageSpec], terms: Terms) -> Checked<Panel> {
        let refuse = |stage, why| InvalidMessage::InvalidStages { stage, why };
        if terms.approval == Approval::Leaves {
            return Err(refuse(0, StageError::OneDecides).into());
        }
        if stages.len() > MAX_STAGES {
            return Err(refuse(MAX_STAGES, StageError::TooMany { limit: MAX_STAGES }).into());
        }
        let mut named: Vec<MemberIndex> = Vec::new();
        let mut panel = Vec::new();
        for (at, spec) in stages.iter().enumerate() {
            let mut approvers = Vec::new();
            for name in &spec.approvers {
                let member = self.known_member(name)?;
                if named.contains(&member) {
                    let name = self.name_of(member);
                    return Err(refuse(at, StageError::Repeated { name }).into());
                }
                named.push(member);
                approvers.push(member);
            }
            let (threshold, most) = (spec.threshold, approvers.len());
            if most == 0 {
                return Err(refuse(at, StageError::Nobody).into());
            }
            if !(1..=most).contains(&threshold) {
                return Err(refuse(at, StageError::Threshold { threshold, most }).into());
            }
            panel.push(Stage { approvers, threshold, veto: spec.veto });
        }
        Ok(Panel::Stages(panel.into()))
    }

    /// Every member of the panel may decide, and the present stage can pass.
    pub(super) fn check_panel(&self, entry: &Entry, timing: Timing) -> Checked<()> {
        let Panel::Stages(stages) = &entry.panel else { return Ok(()) };
        let Some(message) = request_message(entry, timing) else { return Ok(()) };
        for member in stages.iter().flat_map(|stage| &stage.approvers) {
            let to = if *member == self.roster.me() {
                Target::Oneself
            } else {
                Target::Member(self.roles_of(*member))
            };
            validate::check(message.clone(), Origin::Own, self.roles(), to, self.rulebook())?;
        }
        let Some(first) = stages.first() else { return Ok(()) };
        let absent = first.approvers.iter().map(|member| self.refuse_absent(*member));
        let absent: Vec<_> = absent.filter_map(Result::err).collect();
        match absent.into_iter().nth(first.approvers.len() - first.threshold) {
            // One more is missing than can be.
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// The members that something about a request is for. On the side that was asked: who asked.
    pub(super) fn audience(&self, slot: usize, audience: Audience) -> Vec<MemberIndex> {
        let Some(entry) = self.ledger.get(slot) else { return Vec::new() };
        if entry.side() == Side::Owed || entry.panel.is_one() {
            return vec![entry.peer];
        }
        let Some(ballot) = entry.state.ballot() else { return Vec::new() };
        match audience {
            Audience::Asked => entry.panel.asked(ballot.stage).collect(),
            Audience::Undecided => ballot.undecided(&entry.panel).collect(),
            Audience::Uninformed => {
                let waits = |v: &&Vote| v.choice == Choice::Approve && !v.informed;
                ballot.votes.iter().filter(waits).map(|vote| vote.by).collect()
            }
        }
    }

    /// Asks the approvers of the stage that has begun; those that are not there count as gone.
    pub(super) fn open_stage(&mut self, slot: usize) {
        self.send_request(slot);
        if self.ledger.get(slot).is_none_or(|entry| entry.panel.is_one()) {
            return;
        }
        for member in self.audience(slot, Audience::Undecided) {
            if self.refuse_absent(member).is_err() {
                let cause = Cause::PeerLeft;
                self.apply_quietly(slot, Input::ApproverGone { by: member, cause });
            }
        }
    }

    /// Tells the host of the latest vote.
    pub(super) fn tell_vote(&mut self, slot: usize) {
        let Some(entry) = self.ledger.get(slot) else { return };
        let Some(vote) = entry.state.ballot().and_then(|ballot| ballot.votes.last()) else {
            return;
        };
        let event = VoteEvent {
            request_id: entry.id.clone(),
            kind: entry.content.kind().clone(),
            by: self.name_of(vote.by),
            approve: vote.choice == Choice::Approve,
            reason: vote.note.clone(),
            counted: vote.counted,
            awaiting: self.awaiting(entry),
        };
        self.event(Event::Vote(event));
    }

    /// Who must still decide on a pending request of ours.
    pub(super) fn awaiting(&self, entry: &Entry) -> Vec<MemberName> {
        match &entry.state {
            State::Asked(Asked::Pending(_, ballot)) => {
                ballot.undecided(&entry.panel).map(|member| self.name_of(member)).collect()
            }
            State::Asked(_) | State::Owed(_) => Vec::new(),
        }
    }

    /// A member is gone: what that is to one request.
    pub(super) fn end_with(&mut self, slot: usize, member: MemberIndex, cause: Cause) {
        let side = self.ledger.get(slot).map(Entry::side);
        self.apply_quietly(
            slot,
            match side {
                Some(Side::Asked) => Input::ApproverGone { by: member, cause },
                Some(Side::Owed) | None => Input::Gone(cause),
            },
        );
    }
}

impl Entry {
    /// Whether this member is the other side of the request, or one of several there.
    pub(super) fn concerns(&self, member: MemberIndex) -> bool {
        match (&self.panel, self.state.ballot()) {
            (Panel::Stages(_), Some(ballot)) => {
                self.panel.asked(ballot.stage).any(|asked| asked == member)
            }
            (Panel::One(_) | Panel::Stages(_), _) => self.peer == member,
        }
    }

    /// Whether this member must still decide; of what is decided, whether it took part.
    pub(super) fn waits_for(&self, member: MemberIndex) -> bool {
        match &self.state {
            State::Asked(Asked::Pending(_, ballot)) => {
                ballot.undecided(&self.panel).any(|undecided| undecided == member)
            }
            State::Asked(_) => self.concerns(member),
            State::Owed(_) => self.peer == member,
        }
    }
}

/// More stages than any organisation keeps apart.
const MAX_STAGES: usize = 16;
