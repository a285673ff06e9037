//! Every error in one place: whose fault it is, its stable code, and what to say of it.
//!
//! Owns the umbrella and the two families that need history: not now, and misuse. The text
//! catalogue gives each a message and a safe next step in two languages. Imports every room
//! above the engine.

mod catalogue;
mod code;
mod en;
mod examples;
mod explain;
mod render;
mod rule;
#[cfg(test)]
mod tests;
mod text;
mod zh;

pub use self::catalogue::{CodeInfo, catalogue, explain_code};
pub use self::code::Family;
pub use self::rule::RULES;
use crate::config::ConfigError;
use crate::gate::Denied;
use crate::ids::{MemberName, RequestId};
pub use crate::message::Lang;
use crate::message::{Kind, Link, ScopeError, Status};
use crate::request::PauseError;
use crate::snapshot::RestoreError;
use crate::time::Millis;
use crate::validate::InvalidMessage;
use crate::wire::DecodeError;

/// Anything that can be refused. A refused call or message has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// The text cannot be read. The sender's fault.
    Decode(DecodeError),
    /// The message breaks a rule that needs no history. The sender's, or the model's, fault.
    Invalid(InvalidMessage),
    /// It does not fit how things stand. Nobody's fault, perhaps.
    NotNow(NotNow),
    /// The call makes no sense. The host's fault.
    Misuse(Misuse),
    /// The configuration makes no sense. The host's fault.
    Config(ConfigError),
    /// Nobody can go on from what was saved. The fault of whoever kept it.
    Restore(RestoreError),
}

/// Why a request may not go on from earlier ones, or is one of them once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineageError {
    /// The same plan was rejected, and this is no appeal.
    AlreadyRejected {
        /// As which request.
        request_id: RequestId,
        /// Why.
        reason: Option<String>,
    },
    /// It cannot go on from the request that it names.
    CannotFollow {
        /// That request.
        request_id: RequestId,
        /// What it would be to it.
        link: Link,
        /// Why not.
        why: FollowError,
    },
    /// There were as many appeals as there may be.
    AppealsExhausted {
        /// The bound.
        limit: usize,
    },
    /// There were as many requests as may go on from one another.
    LineageExhausted {
        /// The bound.
        limit: usize,
    },
}

/// Why a request cannot go on from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowError {
    /// That one stands so that nothing of the sort can follow it.
    Status {
        /// Where it stands.
        status: Status,
    },
    /// A retry or an appeal asks for the same, this one for something else.
    OtherContent,
    /// A revision asks for something else, this one for the same.
    SameContent,
    /// An earlier appeal has said the same.
    SameJustification,
}

/// Why a request cannot be asked again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscalationError {
    /// Only what asks a member to leave is asked again by itself.
    NotLeaving,
    /// It is asked at least once, and not more often than requests may go on from one another.
    Attempts {
        /// How often it was to be asked.
        attempts: u32,
        /// The most there may be.
        most: usize,
    },
}

/// What does not fit how things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotNow {
    /// It cannot go on from an earlier request.
    Lineage(LineageError),
    /// No open request has this id, or begins like this.
    UnknownRequest {
        /// What was given.
        found: String,
        /// What is open.
        open: Vec<RequestId>,
    },
    /// An answer names no request.
    RequestIdMissing {
        /// What is open.
        open: Vec<RequestId>,
    },
    /// Several open requests begin like this.
    AmbiguousPrefix {
        /// What was given.
        found: String,
        /// What it could mean.
        candidates: Vec<RequestId>,
    },
    /// The answer belongs to another kind of request.
    KindMismatch {
        /// What the request is about.
        request: Kind,
        /// What the answer is about.
        answer: Kind,
    },
    /// It was answered before, in the same way.
    AlreadyAnswered {
        /// How.
        status: Status,
    },
    /// It was answered before, differently.
    AnswerConflicts {
        /// How.
        status: Status,
    },
    /// It is over.
    NotPending {
        /// How it ended.
        status: Status,
    },
    /// It was not approved, so there is nothing to report on.
    NotApproved {
        /// Where it stands.
        status: Status,
    },
    /// There is nothing to report on an approval of this kind.
    NothingToReport,
    /// This run of work is not under way.
    WorkNotRunning {
        /// Its number.
        run: u32,
    },
    /// Only a plan that this member rejected can be reopened, and that stands so.
    NothingToReopen {
        /// Where the request stands.
        status: Status,
    },
    /// No work of the request failed or was interrupted.
    NothingToRerun,
    /// A compensation for a request whose approval opens no gate.
    NothingToUndo,
    /// A critical section is open: this member cannot agree to leave.
    InCriticalSection {
        /// Its name.
        name: String,
        /// When it is expected to end, in ms from now.
        free_in: Option<Millis>,
    },
    /// The addressed member is leaving.
    RecipientLeaving {
        /// Its name.
        name: MemberName,
    },
    /// The addressed member has left.
    RecipientLeft {
        /// Its name.
        name: MemberName,
    },
    /// The addressed member is lost.
    RecipientLost {
        /// Its name.
        name: MemberName,
        /// When a trial will be let through, in ms from now.
        retry_in: Option<Millis>,
    },
    /// Too many requests are open with this member.
    TooManyOpen {
        /// The bound.
        limit: usize,
    },
    /// The same is being asked already.
    AlreadyPending {
        /// The open request.
        request_id: RequestId,
    },
    /// Its clocks cannot be stopped, or go on.
    Pause(PauseError),
    /// The approval of this work ended when this member agreed to leave.
    ApprovalEnded,
    /// The addressed member waits for this one: both would wait for ever.
    WouldDeadlock {
        /// Its name.
        name: MemberName,
        /// What it waits for, and this member has not decided.
        request_id: RequestId,
    },
    /// This member is leaving, or has left.
    SelfLeaving,
    /// A peer used the id of one request for another.
    IdReused {
        /// The id.
        request_id: RequestId,
    },
    /// A guarded action is not covered by an approved plan.
    GateClosed {
        /// The action.
        action: String,
        /// Why.
        why: Denied,
        /// Plans that wait for their approval.
        pending: Vec<RequestId>,
    },
}

/// What a host must not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The clock is no time: not a number, negative, infinite or too large.
    BadClock,
    /// A span of time is no span: not a number, negative, infinite or too large.
    BadSpan {
        /// Which one.
        field: &'static str,
    },
    /// The engine was closed.
    Closed,
    /// The machine has no random numbers to give, and no seed was set.
    NoRandomness,
    /// An option from the host does not have the shape it should.
    BadOption {
        /// Where, and what is wrong.
        why: DecodeError,
    },
    /// A snapshot was asked for before everything was handed over.
    EffectsPending,
    /// No such permit, or nothing to give back.
    UnknownPermit,
    /// No such critical section.
    UnknownSection,
    /// Too many critical sections are open.
    TooManySections {
        /// The bound.
        limit: usize,
    },
    /// The text is no guarded action.
    BadAction {
        /// What was given.
        found: String,
        /// What is wrong with it.
        why: ScopeError,
    },
    /// The name of a new member is taken, or differs from a taken one in case only.
    NameTaken {
        /// The name.
        name: MemberName,
    },
    /// A team has exactly one lead.
    SecondLead,
    /// The team is full.
    TooManyMembers {
        /// The bound.
        limit: usize,
    },
    /// A request cannot be asked again by itself like this.
    BadEscalation {
        /// Why not.
        why: EscalationError,
    },
    /// An announced life is not later than the one that is known.
    LifeNotLater {
        /// The member.
        name: MemberName,
    },
}

impl From<Box<DecodeError>> for ProtocolError {
    fn from(error: Box<DecodeError>) -> Self {
        Self::Decode(*error)
    }
}

impl From<LineageError> for Box<ProtocolError> {
    #[cold]
    fn from(error: LineageError) -> Self {
        NotNow::Lineage(error).into()
    }
}

/// A member of a family is an error; inside the engine, an error behind a pointer.
macro_rules! families {
    ($($family:ident($error:ty)),*) => {$(
        impl From<$error> for ProtocolError {
            fn from(error: $error) -> Self {
                Self::$family(error)
            }
        }

        impl From<$error> for Box<ProtocolError> {
            #[cold]
            fn from(error: $error) -> Self {
                Self::new(ProtocolError::$family(error))
            }
        }
    )*};
}

families!(
    Decode(DecodeError),
    Invalid(InvalidMessage),
    NotNow(NotNow),
    Misuse(Misuse),
    Config(ConfigError),
    Restore(RestoreError)
);
