//! Which group of rules an error belongs to.

use super::{Misuse, NotNow, ProtocolError};
use crate::effect::Alarm;
use crate::journal::DropReason;
use crate::validate::InvalidMessage;
use crate::wire::DecodeError;

/// Every group of rules; nothing else is ever a rule.
///
/// - `addressing`: to whom a message may go
/// - `authority`: who may ask and who may decide
/// - `clock`: what a host may give as the time
/// - `configuration`: what makes a team
/// - `correlation`: which request an answer belongs to
/// - `deadlock`: nobody waits for a member that waits for it
/// - `durability`: what is saved comes back as it was, once
/// - `gate`: guarded actions need an approved plan
/// - `identity`: who speaks, and which life of whom
/// - `lifecycle`: what fits the state of a request, a section or the engine
/// - `liveness`: who is there: busy, leaving, left, lost
/// - `machine`: what the engine needs from where it runs
/// - `reason`: a refusal says why
/// - `shape`: how a message or an option is written
/// - `size`: bounds on everything that can grow
/// - `timing`: limits and spans of time
pub const RULES: [&str; 16] = [
    ADDRESSING,
    AUTHORITY,
    CLOCK,
    CONFIGURATION,
    CORRELATION,
    DEADLOCK,
    DURABILITY,
    GATE,
    IDENTITY,
    LIFECYCLE,
    LIVENESS,
    MACHINE,
    REASON,
    SHAPE,
    SIZE,
    TIMING,
];

impl ProtocolError {
    /// The group of the broken rule: one of [`RULES`]. Coarser than the code, and as stable.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Decode(error) => decode(error),
            Self::Invalid(error) => invalid(error),
            Self::NotNow(error) => not_now(error),
            Self::Misuse(error) => misuse(error),
            Self::Config(_) => CONFIGURATION,
            Self::Restore(_) => DURABILITY,
        }
    }
}

const fn decode(error: &DecodeError) -> &'static str {
    match error {
        DecodeError::TooLarge { .. }
        | DecodeError::TooDeep { .. }
        | DecodeError::TooManyItems { .. } => SIZE,
        DecodeError::NotJson { .. }
        | DecodeError::LoneSurrogate { .. }
        | DecodeError::DuplicateField { .. }
        | DecodeError::NotAnObject { .. }
        | DecodeError::UnsupportedVersion { .. }
        | DecodeError::MissingField { .. }
        | DecodeError::WrongType { .. }
        | DecodeError::UnknownType { .. }
        | DecodeError::InvalidName { .. }
        | DecodeError::InvalidId { .. }
        | DecodeError::InvalidKind { .. }
        | DecodeError::InvalidIncarnation { .. }
        | DecodeError::InvalidDigest { .. }
        | DecodeError::InvalidNumber { .. }
        | DecodeError::InvalidBoolean { .. }
        | DecodeError::InvalidChoice { .. }
        | DecodeError::UnknownField { .. }
        | DecodeError::Ambiguous { .. }
        | DecodeError::NestedTooOften { .. } => SHAPE,
    }
}

const fn invalid(error: &InvalidMessage) -> &'static str {
    match error {
        InvalidMessage::Broadcast { .. }
        | InvalidMessage::ToOneself { .. }
        | InvalidMessage::UnknownRecipient { .. }
        | InvalidMessage::ResponseNotToLead { .. } => ADDRESSING,
        InvalidMessage::NotAllowed { .. }
        | InvalidMessage::UnknownKind { .. }
        | InvalidMessage::InvalidStages { .. } => AUTHORITY,
        InvalidMessage::DigestRequired => CORRELATION,
        InvalidMessage::ReasonRequired { .. } => REASON,
        InvalidMessage::TextTooLong { .. } => SIZE,
        InvalidMessage::OwnMessages { .. }
        | InvalidMessage::ScopeMismatch { .. }
        | InvalidMessage::Blank { .. }
        | InvalidMessage::InvalidScope { .. } => SHAPE,
        InvalidMessage::ZeroLimit { .. } | InvalidMessage::TimeoutOverCap { .. } => TIMING,
    }
}

const fn not_now(error: &NotNow) -> &'static str {
    match error {
        NotNow::UnknownRequest { .. }
        | NotNow::RequestIdMissing { .. }
        | NotNow::AmbiguousPrefix { .. }
        | NotNow::KindMismatch { .. }
        | NotNow::IdReused { .. } => CORRELATION,
        NotNow::AlreadyAnswered { .. }
        | NotNow::AnswerConflicts { .. }
        | NotNow::NotPending { .. }
        | NotNow::NotApproved { .. }
        | NotNow::NothingToReport
        | NotNow::WorkNotRunning { .. }
        | NotNow::NothingToReopen { .. }
        | NotNow::NothingToRerun
        | NotNow::NothingToUndo
        | NotNow::InCriticalSection { .. }
        | NotNow::AlreadyPending { .. }
        | NotNow::Lineage(_)
        | NotNow::Pause(_) => LIFECYCLE,
        NotNow::WouldDeadlock { .. } => DEADLOCK,
        NotNow::RecipientLeaving { .. }
        | NotNow::RecipientLeft { .. }
        | NotNow::RecipientLost { .. }
        | NotNow::ApprovalEnded
        | NotNow::SelfLeaving => LIVENESS,
        NotNow::TooManyOpen { .. } => SIZE,
        NotNow::GateClosed { .. } => GATE,
    }
}

const fn misuse(error: &Misuse) -> &'static str {
    match error {
        Misuse::BadClock => CLOCK,
        Misuse::BadSpan { .. } => TIMING,
        Misuse::BadOption { .. } | Misuse::BadAction { .. } => SHAPE,
        Misuse::Closed | Misuse::UnknownSection => LIFECYCLE,
        Misuse::EffectsPending => DURABILITY,
        Misuse::NoRandomness => MACHINE,
        Misuse::UnknownPermit => GATE,
        Misuse::TooManySections { .. } | Misuse::TooManyMembers { .. } => SIZE,
        Misuse::NameTaken { .. } | Misuse::SecondLead => CONFIGURATION,
        Misuse::LifeNotLater { .. } => IDENTITY,
        Misuse::BadEscalation { .. } => LIFECYCLE,
    }
}

/// The group of the rule by which a frame is dropped.
pub(super) const fn of_drop(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Orphan
        | DropReason::WrongKind
        | DropReason::DigestMismatch
        | DropReason::Unapproved
        | DropReason::NotRejected => CORRELATION,
        DropReason::Late
        | DropReason::Duplicate
        | DropReason::Conflicting
        | DropReason::Throttled => LIFECYCLE,
        DropReason::StaleIncarnation
        | DropReason::StaleFrame
        | DropReason::Unannounced
        | DropReason::Forged
        | DropReason::Unidentified
        | DropReason::UnknownSender => IDENTITY,
        DropReason::SenderLeft | DropReason::ReceiverLeft => LIVENESS,
        DropReason::Misaddressed | DropReason::Broadcast | DropReason::FromSelf => ADDRESSING,
        DropReason::WrongResponder => AUTHORITY,
    }
}

/// The group of the rule that an alarm is about.
pub(super) const fn of_alarm(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::WorkerLost
        | Alarm::Reclaim
        | Alarm::LostWorkerAlive
        | Alarm::LeadSilent
        | Alarm::RequestLoop
        | Alarm::ApproverSilent
        | Alarm::RefusedRepeatedly
        | Alarm::NotExited => LIVENESS,
        Alarm::LeftDespiteCancel | Alarm::ConflictingDecision | Alarm::Storm => LIFECYCLE,
        Alarm::Forged | Alarm::UnannouncedLife => IDENTITY,
        Alarm::IdReused => CORRELATION,
        Alarm::SendFailed => MACHINE,
        Alarm::ReportLost | Alarm::ReportOverdue => LIVENESS,
        Alarm::Deadlock => DEADLOCK,
    }
}

const ADDRESSING: &str = "addressing";
const AUTHORITY: &str = "authority";
const CLOCK: &str = "clock";
const CONFIGURATION: &str = "configuration";
const CORRELATION: &str = "correlation";
const DEADLOCK: &str = "deadlock";
const DURABILITY: &str = "durability";
const GATE: &str = "gate";
const IDENTITY: &str = "identity";
const LIFECYCLE: &str = "lifecycle";
const LIVENESS: &str = "liveness";
const MACHINE: &str = "machine";
const REASON: &str = "reason";
const SHAPE: &str = "shape";
const SIZE: &str = "size";
const TIMING: &str = "timing";
