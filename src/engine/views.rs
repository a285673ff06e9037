//! What can be read: the team at a glance, and what this member owes.

use serde::Serialize;

use super::Engine;
use super::ledger::{Entry, Side};
use super::shape::answer_shape;
use crate::effect::{FollowsView, RequestEvent, VoteView};
use crate::ids::{Incarnation, MemberIndex, MemberName, RequestId};
use crate::message::{Attempt, Kind, Liveness, Role, Status};
use crate::request::{Asked, Ballot, Ladder, Owed, State, Vote};
use crate::time::{Millis, Timestamp};

/// One member as this engine sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// Its name.
    pub name: MemberName,
    /// What it may do.
    pub role: Role,
    /// Its job, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub title: Option<String>,
    /// Whether it is the member this engine speaks for.
    pub me: bool,
    /// How alive it is.
    pub liveness: Liveness,
    /// Which life of it, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub incarnation: Option<Incarnation>,
    /// When it was last heard (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub last_heard_at: Option<Timestamp>,
    /// With liveness `busy`: until when (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub busy_until: Option<Timestamp>,
    /// Since when the oldest unanswered request between it and this member waits, either way
    /// (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub waiting_since: Option<Timestamp>,
    /// Open requests of this engine's member to it, with those that are asked again later.
    pub asked: Vec<RequestView>,
    /// Open requests of it to this engine's member.
    pub owed: Vec<RequestView>,
}

/// One request as this engine sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// Its id.
    pub request_id: RequestId,
    /// What it is about.
    pub kind: Kind,
    /// The other side.
    pub peer: MemberName,
    /// Whether this member asked (`true`) or was asked.
    pub mine: bool,
    /// Where it stands.
    pub status: Status,
    /// The earlier request that it goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub follows: Option<FollowsView>,
    /// Of a shutdown that is asked again by itself, while that goes on: how often it was, and when it
    /// is asked next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub attempt: Option<Attempt>,
    /// Who must still decide, where several were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub awaiting: Vec<MemberName>,
    /// Every vote, where several were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub votes: Vec<VoteView>,
    /// Since when (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub since: Timestamp,
    /// When it ends if nothing happens (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub expires_at: Option<Timestamp>,
    /// Until when its clocks stand still at most, while this member has paused it (ms since the
    /// Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub paused_until: Option<Timestamp>,
}

/// A request that this member must answer now, with the exact shape of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Obligation {
    /// The request.
    pub request: RequestEvent,
    /// Whether a critical section holds it back at the moment.
    pub deferred: bool,
    /// How long an answer is still in time (ms from the latest input).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub time_left_ms: Millis,
    /// The tool input that approves it.
    pub approve_with: String,
    /// The tool input that rejects it; the reason is to be filled in.
    pub reject_with: String,
}

impl Engine {
    /// Every member with role, liveness, life, and what is open between it and this one, as of
    /// the latest input; [`handle_deadline`](Self::handle_deadline) brings it up to the present.
    #[must_use]
    pub fn team(&self) -> Vec<MemberView> {
        self.roster.iter().map(|(index, _)| index).filter_map(|at| self.member_view(at)).collect()
    }

    /// What this member must answer now, oldest first, as of the latest input.
    #[must_use]
    pub fn obligations(&self) -> Vec<Obligation> {
        let slots = self.slots(&|entry| entry.side() == Side::Owed);
        let entries = slots.into_iter().filter_map(|slot| self.ledger.get(slot));
        entries.filter_map(|entry| self.obligation(entry)).collect()
    }

    /// One request by its whole id: one of ours, or else one of the others' that has it.
    #[must_use]
    pub fn request(&self, id: &str) -> Option<RequestView> {
        let asked = self.ledger.find_asked(id).and_then(|slot| self.ledger.get(slot));
        let owed = || self.ledger.iter().map(|(_, entry)| entry).find(|e| e.id.as_str() == id);
        asked.or_else(owed).map(|entry| self.request_view(entry))
    }

    /// The critical sections that are open.
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.names()
    }

    fn member_view(&self, index: MemberIndex) -> Option<MemberView> {
        let member = self.roster.get(index)?;
        let open = |side| {
            let mut slots = self.slots(&|entry| entry.concerns(index) && entry.side() == side);
            if side == Side::Asked {
                slots.extend(self.waits_for_attempt(Some(index)));
            }
            let entries = slots.into_iter().filter_map(|slot| self.ledger.get(slot));
            entries.map(|entry| self.request_view(entry)).collect::<Vec<_>>()
        };
        let (asked, owed) = (open(Side::Asked), open(Side::Owed));
        let pending = asked.iter().chain(&owed).filter(|view| view.status == Status::Pending);
        let liveness = member.liveness(self.now);
        Some(MemberView {
            name: member.name.clone(),
            role: member.role,
            title: member.title.clone(),
            me: index == self.roster.me(),
            liveness,
            incarnation: member.incarnation,
            last_heard_at: member.last_heard,
            busy_until: member.busy_until.filter(|_| liveness == Liveness::Busy),
            waiting_since: pending.map(|view| view.since).min(),
            asked,
            owed,
        })
    }

    fn request_view(&self, entry: &Entry) -> RequestView {
        let status = entry.state.status();
        let (expires_at, paused_until) = match &entry.state {
            State::Asked(Asked::Pending(clocks, _)) => {
                (Some(clocks.expires_at()), clocks.paused_until())
            }
            State::Owed(Owed::Open { until } | Owed::Deferred { until }) => {
                (Some(entry.idle.ends.min(*until)), None)
            }
            State::Asked(_) | State::Owed(_) => (None, None),
        };
        RequestView {
            request_id: entry.id.clone(),
            kind: entry.content.kind().clone(),
            peer: self.name_of(entry.peer),
            mine: entry.side() == Side::Asked,
            status,
            follows: entry.follows.as_deref().map(Into::into),
            attempt: entry.ladder.as_deref().map(Ladder::attempt),
            awaiting: if entry.panel.is_one() { Vec::new() } else { self.awaiting(entry) },
            votes: entry.state.ballot().map(|ballot| self.votes(ballot)).unwrap_or_default(),
            since: entry.opened_at,
            expires_at,
            paused_until,
        }
    }

    pub(super) fn votes(&self, ballot: &Ballot) -> Vec<VoteView> {
        let view = |vote: &Vote| VoteView {
            by: self.name_of(vote.by),
            vote: vote.choice,
            counted: vote.counted,
            reason: vote.note.clone(),
        };
        ballot.votes.iter().map(view).collect()
    }

    fn obligation(&self, entry: &Entry) -> Option<Obligation> {
        let request = self.request_event(entry)?;
        let shape = answer_shape(
            &request.kind,
            request.request_id.as_str(),
            &request.from,
            self.config.lang,
        );
        Some(Obligation {
            deferred: matches!(entry.state, State::Owed(Owed::Deferred { .. })),
            time_left_ms: request.answer_by.since(self.now),
            approve_with: shape.approve,
            reject_with: shape.reject,
            request,
        })
    }
}
