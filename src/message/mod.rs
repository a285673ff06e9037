//! What members say to each other: the envelope and the structured messages in it.
//!
//! Owns the wire names (they stand once, on these types), the plan and its digest, and the words
//! that every room shares: kind, status, cause, role. Imports `ids` and `time`.

mod about;
mod escalation;
mod kind;
mod lang;
mod plan;
mod probe;
mod recipient;
mod roles;
mod scope;
mod text;
mod work;

use serde::Serialize;

pub use self::about::{Details, Kind, KindNameError, MAX_KIND_LENGTH, Payload};
pub use self::escalation::{Attempt, EscalationStep};
pub use self::kind::{Cause, Choice, Liveness, Received, Role, SettleCode, Status};
pub use self::lang::Lang;
pub(crate) use self::plan::FieldHasher;
pub use self::plan::{Digest, Plan, Uses};
pub use self::probe::{Probe, Wait};
pub use self::recipient::Recipient;
pub use self::roles::Roles;
pub use self::scope::{Action, ScopeEntry, ScopeError};
pub use self::text::is_blank;
pub use self::work::WorkCause;
use crate::ids::{Incarnation, MemberName, RequestId};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// The version of the canonical wire format.
pub const WIRE_VERSION: u64 = 1;

/// One frame on the wire: who says what to whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Envelope {
    /// Format version, 1.
    pub v: u64,
    /// Unique among all frames: the nonce of the sender's life and `seq`.
    pub id: String,
    /// The sender numbers its frames from 1; a receiver uses it against repeats.
    pub seq: u64,
    /// Who says it. The transport's word for the sender overrules this one.
    pub from: MemberName,
    /// Which life of the sender.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub from_incarnation: Incarnation,
    /// To whom.
    pub to: MemberName,
    /// Which life of the receiver, where the sender knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub to_incarnation: Option<Incarnation>,
    /// When it was sent, by the sender's clock (ms since the Unix epoch).
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub at: Timestamp,
    /// Marks a request that is sent again, and spells the answer out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reminder: Option<Reminder>,
    /// Plain text, or a structured message.
    pub message: Body,
}

/// Marks a request that is sent again under the same `request_id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Reminder {
    /// Which reminder this is, from 1.
    pub count: u32,
    /// For the model that must answer: the id and the exact shape of the answer.
    pub text: String,
}

/// What an envelope carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum Body {
    /// Chat. Never read as a decision.
    Text(String),
    /// A structured message.
    Structured(Message),
}

/// The structured messages, told apart by `type`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// The lead asks a worker to leave.
    ShutdownRequest(ShutdownRequest),
    /// The worker decides.
    ShutdownResponse(ShutdownResponse),
    /// A worker asks for a plan to be approved.
    PlanApprovalRequest(PlanApprovalRequest),
    /// The lead, or another approver, decides.
    PlanApprovalResponse(PlanApprovalResponse),
    /// A request of any other kind.
    Request(KindRequest),
    /// A decision on it.
    Response(KindResponse),
    /// The requester tells an outcome that the answer does not already imply.
    Settled(Settled),
    /// Still at work.
    Progress(Progress),
    /// An engine's acknowledgement: the frame arrived, a decision may take longer.
    Receipt(Receipt),
    /// The request is withdrawn.
    Cancel(Cancel),
    /// Whoever rejected a plan is willing to decide on it once more.
    Reopen(Reopen),
    /// How the approved work went.
    ExecutionReport(ExecutionReport),
    /// The member has left.
    Exited(Exited),
    /// The member has nothing to do. Carries no decision.
    Idle(Idle),
    /// A text of the member's did not get through.
    Undeliverable(Undeliverable),
    /// An engine's search for a deadlock.
    Probe(Probe),
}

/// How long the requester waits; relative, so that clocks need not agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Timing {
    /// Idle limit in ms; progress restarts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub timeout_ms: Option<Millis>,
    /// Hard limit in ms; nothing restarts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub cap_ms: Option<Millis>,
}

/// `shutdown_request`: lead to worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ShutdownRequest {
    /// The id that the answer must repeat.
    pub request_id: RequestId,
    /// Why the lead asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// The request that this one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub follows: Option<Follows>,
    /// The requester's limits.
    #[serde(flatten)]
    pub timing: Timing,
}

/// `shutdown_response`: worker to lead, and only there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ShutdownResponse {
    /// The id of the request.
    pub request_id: RequestId,
    /// `true`: the worker is leaving. `false`: not now.
    pub approve: bool,
    /// What blocks; required, and not blank, when `approve` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// When to ask again, in ms from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub retry_after_ms: Option<Millis>,
}

/// `plan_approval_request`: worker to lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PlanApprovalRequest {
    /// The id that the answer must repeat.
    pub request_id: RequestId,
    /// What the worker wants to do.
    pub plan: Plan,
    /// How often an approval may be used.
    pub uses: Uses,
    /// The request that this one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub follows: Option<Follows>,
    /// The requester's limits.
    #[serde(flatten)]
    pub timing: Timing,
}

/// `plan_approval_response`: lead to worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PlanApprovalResponse {
    /// The id of the request.
    pub request_id: RequestId,
    /// `true`: the gate opens for exactly this plan.
    pub approve: bool,
    /// A note; our own rejections require one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub feedback: Option<String>,
    /// The digest of what was decided on.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub digest: Digest,
}

/// `request`: of a kind of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct KindRequest {
    /// The id that the answer must repeat.
    pub request_id: RequestId,
    /// What it is about.
    pub kind: Kind,
    /// What the kind defines; any JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub payload: Option<Payload>,
    /// With a kind that opens a gate: the guarded actions that an approval covers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub scope: Vec<String>,
    /// With a kind that opens a gate: how often an approval may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub uses: Option<Uses>,
    /// The request that this one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub follows: Option<Follows>,
    /// The requester's limits.
    #[serde(flatten)]
    pub timing: Timing,
}

/// `response`: the decision on a `request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct KindResponse {
    /// The id of the request.
    pub request_id: RequestId,
    /// The kind of the request.
    pub kind: Kind,
    /// The decision.
    pub approve: bool,
    /// Why not, or a note on an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// When to ask again, in ms from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub retry_after_ms: Option<Millis>,
    /// What the kind defines as an answer; any JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub payload: Option<Payload>,
    /// The digest of what was decided on; required where an approval opens a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    pub digest: Option<Digest>,
}

/// How a request goes on from an earlier one of the same requester.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Follows {
    /// The earlier request.
    pub request_id: RequestId,
    /// What this one is to it.
    #[serde(rename = "as")]
    pub link: Link,
    /// With an appeal: what the earlier decision did not consider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub justification: Option<String>,
}

from_store!(struct Follows { request_id, link as "as", justification });

/// What a request is to the one that it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// The same once more.
    Retry,
    /// The same once more after a refusal, with a new justification.
    Appeal,
    /// Something else instead of it.
    Revision,
}

from_store!(enum Link {
    "retry" => Retry,
    "appeal" => Appeal,
    "revision" => Revision,
});

/// `settled`: requester to answering side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Settled {
    /// The id of the request.
    pub request_id: RequestId,
    /// How it ended.
    pub status: Status,
    /// `TIMEOUT_REJECTED` with status `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub code: Option<SettleCode>,
    /// Who or what ended it.
    pub cause: Cause,
}

/// `progress`: a sign of life with content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Progress {
    /// The request it is about; restarts its idle limit, never its cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
    /// What is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub note: Option<String>,
    /// For how long, in ms from now, silence is no sign of death.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub busy_for_ms: Option<Millis>,
}

/// `receipt`: sent by the engine itself, one for everything that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Receipt {
    /// The request it is about.
    pub request_id: RequestId,
    /// What of it arrived; left out on the wire for the request itself.
    #[serde(skip_serializing_if = "Received::is_request")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub of: Received,
    /// With a report: what that one said of undoing the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub rolled_back: Option<bool>,
}

/// `cancel`: the requester withdraws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Cancel {
    /// The id of the request.
    pub request_id: RequestId,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
}

/// `reopen`: who rejected a plan to who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Reopen {
    /// The id of the rejected request.
    pub request_id: RequestId,
    /// What has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
}

/// `execution_report`: how the approved work went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ExecutionReport {
    /// The id of the approved request.
    pub request_id: RequestId,
    /// Whether it worked.
    pub ok: bool,
    /// In a second report, when what failed was to be undone: whether it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub rolled_back: Option<bool>,
    /// What happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub detail: Option<String>,
}

/// `exited`: the member has left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Exited {
    /// The shutdown that it completes, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub request_id: Option<RequestId>,
}

/// `idle`: nothing to do at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Idle {
    /// A word on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub note: Option<String>,
}

/// `undeliverable`: sent to the lead by the engine of whoever wrote the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Undeliverable {
    /// Whom the text was for.
    pub to: MemberName,
    /// How it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub excerpt: Option<String>,
    /// Why it did not get through.
    pub cause: Cause,
}

impl Link {
    /// Everything a request can be to an earlier one.
    pub const ALL: [Self; 3] = [Self::Retry, Self::Appeal, Self::Revision];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Appeal => "appeal",
            Self::Revision => "revision",
        }
    }
}

impl Message {
    /// The value of `type` on the wire.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ShutdownRequest(_) => "shutdown_request",
            Self::ShutdownResponse(_) => "shutdown_response",
            Self::PlanApprovalRequest(_) => "plan_approval_request",
            Self::PlanApprovalResponse(_) => "plan_approval_response",
            Self::Request(_) => "request",
            Self::Response(_) => "response",
            Self::Settled(_) => "settled",
            Self::Progress(_) => "progress",
            Self::Receipt(_) => "receipt",
            Self::Cancel(_) => "cancel",
            Self::Reopen(_) => "reopen",
            Self::ExecutionReport(_) => "execution_report",
            Self::Exited(_) => "exited",
            Self::Idle(_) => "idle",
            Self::Undeliverable(_) => "undeliverable",
            Self::Probe(_) => "probe",
        }
    }

    /// The request this message belongs to, where it names one.
    #[must_use]
    pub const fn request_id(&self) -> Option<&RequestId> {
        match self {
            Self::ShutdownRequest(m) => Some(&m.request_id),
            Self::ShutdownResponse(m) => Some(&m.request_id),
            Self::PlanApprovalRequest(m) => Some(&m.request_id),
            Self::PlanApprovalResponse(m) => Some(&m.request_id),
            Self::Request(m) => Some(&m.request_id),
            Self::Response(m) => Some(&m.request_id),
            Self::Settled(m) => Some(&m.request_id),
            Self::Receipt(m) => Some(&m.request_id),
            Self::Cancel(m) => Some(&m.request_id),
            Self::Reopen(m) => Some(&m.request_id),
            Self::ExecutionReport(m) => Some(&m.request_id),
            Self::Progress(m) => m.request_id.as_ref(),
            Self::Exited(m) => m.request_id.as_ref(),
            Self::Idle(_) | Self::Undeliverable(_) | Self::Probe(_) => None,
        }
    }
}
