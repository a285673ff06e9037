//! What the host must do next: frames to send, and events to know of.
//!
//! Owns the data that leaves the engine. Everything is plain data in the host's words: names
//! instead of places, milliseconds as numbers. Imports `ids`, `message` and `time`.

mod escalation;
mod follows;
mod reopened;
mod undeliverable;
mod work;

use serde::Serialize;

pub use self::escalation::{EscalationEvent, Refused};
pub use self::follows::FollowsView;
pub use self::reopened::ReopenedEvent;
pub use self::undeliverable::UndeliverableEvent;
pub use self::work::{WorkEvent, WorkFailedEvent};
use crate::ids::{Incarnation, MemberName, RequestId};
use crate::message::{
    Cause, Choice, Digest, Kind, Liveness, Payload, Plan, SettleCode, Status, Uses,
};
use crate::time::{Millis, Timestamp};

/// One thing for the host to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Keep a line of the journal. What follows was caused by it and goes out only when the line is
    /// safe.
    Journal(JournalLine),
    /// Hand a frame to the transport.
    Send(Send),
    /// Something happened.
    Event(Event),
}

/// A line of the journal: append it, and a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Its number: the lines are numbered from 1 without gaps.
    pub n: u64,
    /// The line, without the newline.
    pub text: String,
}

/// A frame for the transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// The addressed member.
    pub to: MemberName,
    /// The number of the frame; names it in `handle_send_failed`.
    pub seq: u64,
    /// The frame: one JSON text.
    pub frame: String,
}

/// Something that happened, told apart by `type`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A request came in that this member must answer.
    Request(Box<RequestEvent>),
    /// A request that this member must answer was sent again.
    Reminder(ReminderEvent),
    /// A request that this member had to answer is over.
    Closed(ClosedEvent),
    /// A request of this member ended.
    Settled(Outcome),
    /// A shutdown that is asked again by itself went a step on.
    Escalation(Box<EscalationEvent>),
    /// One of several approvers has decided.
    Vote(VoteEvent),
    /// Chat came in.
    Message(MessageEvent),
    /// A member told how it is getting on.
    Progress(ProgressEvent),
    /// A member has nothing to do.
    Idle(IdleEvent),
    /// Approved work was reported.
    Report(ReportEvent),
    /// A rejected plan may be asked about once more.
    Reopened(ReopenedEvent),
    /// Work that a request names must run now.
    Work(WorkEvent),
    /// Work that a request names failed, or was interrupted.
    WorkFailed(WorkFailedEvent),
    /// Work that a request names did not begin: the host does not know it by this name.
    WorkMissing(WorkEvent),
    /// Waiting mail may still speak for a silent member: fetch it now.
    Drain(DrainEvent),
    /// A member's liveness changed.
    Liveness(LivenessEvent),
    /// A text did not get through.
    Undeliverable(UndeliverableEvent),
    /// Something needs attention.
    Alarm(AlarmEvent),
}

/// A request came in that this member must answer with `respond`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RequestEvent {
    /// The id that the answer must repeat.
    pub request_id: RequestId,
    /// What it is about.
    pub kind: Kind,
    /// Who asks.
    pub from: MemberName,
    /// When it came in (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub received_at: Timestamp,
    /// Until when an answer is in time, as far as this side can tell (ms since the Unix epoch).
    /// Progress on the request moves it, up to the hard limit.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub answer_by: Timestamp,
    /// Why the requester asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// The plan to decide on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub plan: Option<Plan>,
    /// How often an approved plan may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub uses: Option<Uses>,
    /// The digest that the decision is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub digest: Option<Digest>,
    /// With a kind of the host's own: what it carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub payload: Option<Payload>,
    /// With a kind of the host's own that opens a gate: what an approval covers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub scope: Vec<String>,
    /// The earlier request that it goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub follows: Option<FollowsView>,
}

/// A request that this member must answer was sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ReminderEvent {
    /// The id that the answer must repeat.
    pub request_id: RequestId,
    /// Who asks.
    pub from: MemberName,
    /// For the model that must answer: the id and the exact shape of the answer.
    pub text: String,
}

/// A request that this member had to answer is over, and not by its answer alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ClosedEvent {
    /// The request.
    pub request_id: RequestId,
    /// What it was about.
    pub kind: Kind,
    /// Who asked.
    pub from: MemberName,
    /// How the requester ended it.
    pub status: Status,
    /// Who or what ended it.
    pub cause: Cause,
    /// Why the requester withdrew it, where it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// Whether this member had approved, and the approval came to nothing. Never so when it agreed
    /// to leave: it leaves, however the request ended.
    pub approval_without_effect: bool,
}

/// How a request of this member ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The request.
    pub request_id: RequestId,
    /// What it was about.
    pub kind: Kind,
    /// Whom it was addressed to.
    pub to: MemberName,
    /// How it ended. `timed_out` counts as not approved, and is nobody's decision.
    pub status: Status,
    /// `TIMEOUT_REJECTED` with status `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub code: Option<SettleCode>,
    /// Who or what ended it.
    pub cause: Cause,
    /// The member that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub by: Option<MemberName>,
    /// What was said with the decision: the reason of a refusal, the note on an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// When to ask again, in ms from the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub retry_after_ms: Option<Millis>,
    /// Every vote, where several members were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub votes: Vec<VoteView>,
    /// With a kind of the host's own: what came with the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub payload: Option<Payload>,
    /// Of a shutdown that was asked again by itself, and only where all of it has ended: the
    /// requests of all attempts, in order; `request_id` is the last one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub requests: Vec<RequestId>,
    /// When it ended (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub settled_at: Timestamp,
}

/// What one of several approvers has said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct VoteView {
    /// Who.
    pub by: MemberName,
    /// What; `gone` for a member that left or was lost without a vote.
    pub vote: Choice,
    /// Whether it came in time to count.
    pub counted: bool,
    /// What was said with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
}

/// One of several approvers has decided on a request of this member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct VoteEvent {
    /// The request.
    pub request_id: RequestId,
    /// What it is about.
    pub kind: Kind,
    /// Who voted.
    pub by: MemberName,
    /// Yes or no.
    pub approve: bool,
    /// What was said with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// Whether it came in time to count.
    pub counted: bool,
    /// Who must still decide in the present stage.
    pub awaiting: Vec<MemberName>,
}

/// Chat came in. Never a decision, whatever it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct MessageEvent {
    /// Who says it.
    pub from: MemberName,
    /// What.
    pub text: String,
    /// It reads like a structured message. It was not treated as one.
    pub looks_like_protocol: bool,
    /// Requests that the sender has not answered: prose does not answer them.
    pub unanswered: Vec<RequestId>,
}

/// A member told how it is getting on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ProgressEvent {
    /// Who.
    pub from: MemberName,
    /// The request it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
    /// What is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub note: Option<String>,
    /// Until when silence is no sign of death (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub busy_until: Option<Timestamp>,
}

/// A member has nothing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct IdleEvent {
    /// Who.
    pub from: MemberName,
    /// A word on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub note: Option<String>,
    /// Requests that it has not answered: it is idle and owes these.
    pub unanswered: Vec<RequestId>,
}

/// Approved work was reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ReportEvent {
    /// The approved request.
    pub request_id: RequestId,
    /// Who did the work.
    pub from: MemberName,
    /// Whether it worked.
    pub ok: bool,
    /// Whether failed work was undone; a second report of the same request tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub rolled_back: Option<bool>,
    /// What happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub detail: Option<String>,
}

/// A member did not answer in time. Before it is judged, the host should fetch what waits in the
/// mailbox: the answer may be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct DrainEvent {
    /// Who.
    pub member: MemberName,
    /// When it will be judged (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub judged_at: Timestamp,
}

/// A member's liveness changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct LivenessEvent {
    /// Who.
    pub member: MemberName,
    /// How alive it was.
    pub was: Liveness,
    /// How alive it is now.
    pub liveness: Liveness,
    /// Which life of it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub incarnation: Option<Incarnation>,
}

/// Something needs the host's attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct AlarmEvent {
    /// What kind of thing.
    pub alarm: Alarm,
    /// The member it is about.
    pub member: MemberName,
    /// The request it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
    /// With `reclaim`: what the lost member held.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub holding: Vec<Holding>,
    /// With `deadlock`: the circle, each member waiting for the next one, the last for the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cycle: Vec<Waiting>,
    /// With `refused_repeatedly`: how often, and what was said the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub refused: Option<Refused>,
}

/// One step of a circle of members that waited for each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Who waited.
    pub member: MemberName,
    /// For the decision on which request of its own.
    pub request_id: RequestId,
}

/// Something a lost member held when it was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Holding {
    /// The request through which it held it.
    pub request_id: RequestId,
    /// What that request was about.
    pub kind: Kind,
    /// Where the request stood.
    pub status: Status,
    /// The title of an approved plan whose work was not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub title: Option<String>,
    /// The scope of that plan: what may be half done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub scope: Vec<String>,
}

/// What needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Alarm {
    /// A worker is given up.
    WorkerLost,
    /// The host should take back what the lost worker held.
    Reclaim,
    /// A worker that was given up has spoken. The host decides.
    LostWorkerAlive,
    /// The lead does not answer.
    LeadSilent,
    /// An approver does not answer.
    ApproverSilent,
    /// The same question comes again and again: half of what a lineage may hold is used up.
    RequestLoop,
    /// A member agreed to leave and has not confirmed its exit in time.
    NotExited,
    /// A member leaves although the request that asked for it had ended before it agreed.
    LeftDespiteCancel,
    /// The same request was decided twice, differently. The first decision stands.
    ConflictingDecision,
    /// A frame claimed another sender than the transport says.
    Forged,
    /// A second request came under the id of a first one.
    IdReused,
    /// A life of a member spoke that nobody announced.
    UnannouncedLife,
    /// The transport could not send a frame.
    SendFailed,
    /// An execution report was sent as often as a request is, and nobody acknowledged it.
    ReportLost,
    /// Approved work was not reported in time. A later report still counts.
    ReportOverdue,
    /// A member repeats itself beyond all measure; its repeats get no answer for a while.
    Storm,
    /// Members waited for each other in a circle; the request given up to break it was ours.
    Deadlock,
    /// A member refused to leave as often as it was to be asked. The host decides.
    RefusedRepeatedly,
}

impl Alarm {
    /// Every alarm.
    pub const ALL: [Self; 18] = [
        Self::WorkerLost,
        Self::Reclaim,
        Self::LostWorkerAlive,
        Self::LeadSilent,
        Self::ApproverSilent,
        Self::RequestLoop,
        Self::NotExited,
        Self::LeftDespiteCancel,
        Self::ConflictingDecision,
        Self::Forged,
        Self::IdReused,
        Self::UnannouncedLife,
        Self::SendFailed,
        Self::ReportLost,
        Self::ReportOverdue,
        Self::Storm,
        Self::Deadlock,
        Self::RefusedRepeatedly,
    ];

    /// The name that people and programs see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorkerLost => "worker_lost",
            Self::Reclaim => "reclaim",
            Self::LostWorkerAlive => "lost_worker_alive",
            Self::LeadSilent => "lead_silent",
            Self::ApproverSilent => "approver_silent",
            Self::RequestLoop => "request_loop",
            Self::NotExited => "not_exited",
            Self::LeftDespiteCancel => "left_despite_cancel",
            Self::ConflictingDecision => "conflicting_decision",
            Self::Forged => "forged",
            Self::IdReused => "id_reused",
            Self::UnannouncedLife => "unannounced_life",
            Self::SendFailed => "send_failed",
            Self::ReportLost => "report_lost",
            Self::ReportOverdue => "report_overdue",
            Self::Storm => "storm",
            Self::Deadlock => "deadlock",
            Self::RefusedRepeatedly => "refused_repeatedly",
        }
    }
}
