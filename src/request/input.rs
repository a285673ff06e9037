//! What can happen to a request, and what the engine must do then.

use serde::Serialize;

use super::quorum::Panel;
use super::state::{State, WorkReport};
use crate::authority::Approval;
use crate::deadline::DeadlineKind;
use crate::ids::MemberIndex;
use crate::message::{Cause, Payload, Status};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// What a transition needs to know beside state and input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context<'p> {
    /// Who decides.
    pub panel: &'p Panel,
    /// The time of the input.
    pub now: Timestamp,
    /// What an approval of this kind means.
    pub approval: Approval,
    /// How long a leaving member may take to confirm.
    pub exit_grace: Millis,
    /// How long a report waits for its receipt before it is sent again.
    pub report_every: Millis,
    /// How often it is sent again.
    pub report_repeats: u32,
    /// How long the report on approved work may take, from the approval or the last progress.
    pub report_due: Millis,
    /// How long all pauses of a request may take together.
    pub pause_max: Millis,
}

/// Who decided. The engine knows the name.
pub type Decider = MemberIndex;

/// A decision with what was said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Yes or no.
    pub approve: bool,
    /// Reason or feedback.
    pub note: Option<String>,
    /// When to ask again, from now.
    pub retry_after: Option<Millis>,
    /// What the kind defines as an answer.
    pub payload: Option<Payload>,
    /// Whether the requester has told that the outcome is the same.
    pub confirmed: bool,
}

from_store!(struct Answer { approve, note, retry_after, payload, confirmed });

/// Something that happens to a request. The engine has checked who it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The addressed member decided.
    Response {
        /// What it decided.
        answer: Answer,
        /// Which member that was.
        by: Decider,
    },
    /// The other member is still at it: at the answer, or at the work that was approved.
    Progress,
    /// The same request came in once more.
    AskedAgain {
        /// Until when an answer can reach the requester in time, where it said so anew.
        until: Option<Timestamp>,
    },
    /// The requester withdrew it, or told its outcome.
    Told {
        /// How it ended there.
        status: Status,
        /// Who or what ended it.
        cause: Cause,
    },
    /// The leaving member has left.
    Exited,
    /// The requester told how the approved work went.
    Report {
        /// What it says.
        report: WorkReport,
    },
    /// Our host answers.
    Decide(Answer),
    /// A critical section holds the request back.
    Defer,
    /// The critical section is over.
    Resume,
    /// A member has our execution report.
    Acknowledged {
        /// Which one.
        by: Decider,
        /// Which report: what that one said of undoing the work.
        rolled_back: Option<bool>,
    },
    /// Our host withdraws it.
    Cancel,
    /// Our host stops the clocks of its request, for a person to decide.
    Pause,
    /// Our host lets them go on.
    Unpause,
    /// It is given up to break a circle of members that wait for each other.
    Deadlock,
    /// Our host tells how the approved work went.
    Finish {
        /// Whether it worked.
        ok: bool,
    },
    /// The compensation of work that failed has ended.
    RolledBack {
        /// Whether the work is undone.
        ok: bool,
    },
    /// A deadline has come.
    Due(DeadlineKind),
    /// There is no other side any more (`PeerLeft`, `PeerLost`), or no more of ours (`Leaving`,
    /// `Closed`).
    Gone(Cause),
    /// A member that should decide is not there (any more).
    ApproverGone {
        /// Which one.
        by: Decider,
        /// Why.
        cause: Cause,
    },
    /// The transport could not send the request.
    SendFailed,
}

/// What the engine must do after a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Tell the host how its request ended.
    TellSettled,
    /// Tell everybody who was asked how the request ended.
    SendSettled,
    /// Tell the other side that the request is withdrawn.
    SendCancel,
    /// Send the request again under the same id.
    SendReminder,
    /// Send the request again for its new limits.
    SendLimits,
    /// Ask the approvers of the stage that has begun.
    OpenStage,
    /// Tell the host of a vote.
    TellVote,
    /// Tell the member that has just voted how the request ended.
    SendOutcome,
    /// Send the stored answer.
    SendAnswer,
    /// Send the execution report.
    SendReport,
    /// Acknowledge the request, with the next frame that goes there or by a receipt.
    Acknowledge,
    /// Acknowledge the execution report now.
    SendReceipt,
    /// Put the request before the host.
    AskHost,
    /// Tell the host that it need not answer any more.
    TellClosed,
    /// Tell the host that its answer had no effect.
    TellNoEffect,
    /// Tell the host how the approved work went.
    TellReport,
    /// The answering member is leaving.
    PeerLeaving,
    /// The answering member has left.
    PeerLeft,
    /// We are leaving.
    SelfLeaving,
    /// The gate opens for the plan.
    OpenGate,
    /// The gate closes for the plan.
    CloseGate,
    /// Start the work that waits for the approval, where the request names any.
    StartWork,
    /// Start the compensation of work that failed, where the request names one.
    Compensate,
    /// The member did not answer in time: is it still there?
    JudgePeer,
    /// The member answered: what was held against it is forgotten.
    PeerAnswered,
    /// The leaving member has not confirmed its exit.
    AlarmNotExited,
    /// Nobody acknowledged the execution report.
    AlarmReportLost,
    /// The approved work was not reported in time.
    AlarmReportOverdue,
}

/// A state and what goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The new state.
    pub next: State,
    /// What to do, in this order.
    pub actions: Vec<Action>,
}

/// Why the clocks of a request cannot be stopped, or go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseError {
    /// It is paused already.
    AlreadyPaused,
    /// It is not paused.
    NotPaused,
    /// Its pauses have taken all they may.
    UsedUp {
        /// How long that is.
        limit: Millis,
    },
}

/// Why an input does not fit a state. The state stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// An answer or news for a request that ended before it came.
    Late {
        /// How it ended.
        status: Status,
    },
    /// The same once more.
    Duplicate {
        /// How it ended.
        status: Status,
    },
    /// A second, different decision.
    Conflicting {
        /// What was decided first.
        status: Status,
    },
    /// Our host wants to end or answer what is over.
    NotPending {
        /// How it ended.
        status: Status,
    },
    /// Our host wants to report on what was not approved.
    NotApproved {
        /// Where the request stands.
        status: Status,
    },
    /// Our host wants to pause or resume what is not so.
    Pause(PauseError),
    /// The input belongs to the other side of a request.
    WrongSide,
    /// The input does not fit this kind of request.
    WrongKind,
    /// Nothing is due.
    NotDue,
}
