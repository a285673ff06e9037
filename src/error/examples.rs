//! One example of every error, for the catalogue and for tests.
//!
//! That none is missing is tested against the list of codes.

use super::{EscalationError, FollowError, LineageError, Misuse, NotNow, ProtocolError};
use crate::authority::{AuthorityError, KindError};
use crate::config::ConfigError;
use crate::gate::Denied;
use crate::ids::{MemberName, NameError, RequestId, RequestIdError};
use crate::message::{Kind, KindNameError, Link, Role, Roles, ScopeError, Status};
use crate::request::PauseError;
use crate::snapshot::RestoreError;
use crate::time::Millis;
use crate::validate::{InvalidMessage, StageError};
use crate::wire::{DecodeError, JsonType, Shape, Syntax};

/// One error for each code.
pub(super) fn all() -> Vec<ProtocolError> {
    // Both parse; a test counts what comes out.
    let (Ok(lead), Ok(worker)) = (MemberName::parse("team-lead"), MemberName::parse("alice"))
    else {
        return Vec::new();
    };
    let mut all: Vec<ProtocolError> = Vec::new();
    all.extend(text_level().map(Into::into));
    all.extend(field_level().map(Into::into));
    all.extend(invalid(&lead, &worker).map(Into::into));
    all.extend(requests().map(Into::into));
    all.extend(standing(&worker).map(Into::into));
    all.extend(gate().map(Into::into));
    all.extend(misuse(&worker).map(Into::into));
    all.extend(config(&lead, &worker).map(Into::into));
    all.extend(restore(&lead, &worker).map(Into::into));
    all
}

fn text_level() -> [DecodeError; 9] {
    [
        DecodeError::TooLarge { bytes: 2_097_152, limit: 1_048_576 },
        DecodeError::NotJson { at: 17, expected: Syntax::CommaOrEnd },
        DecodeError::LoneSurrogate { at: 42 },
        DecodeError::TooDeep { limit: 32 },
        DecodeError::TooManyItems { limit: 1_024 },
        DecodeError::DuplicateField { field: "approve".into() },
        DecodeError::NotAnObject { found: JsonType::Array },
        DecodeError::UnsupportedVersion { found: "2".into() },
        DecodeError::NestedTooOften { path: "message".into() },
    ]
}

fn field_level() -> [DecodeError; 13] {
    let path = || "message.approve".to_owned();
    let digest = || "message.digest".to_owned();
    [
        DecodeError::MissingField { path: path(), expected: Shape::Boolean },
        DecodeError::WrongType {
            path: "message.plan.steps".into(),
            expected: Shape::TextList,
            found: JsonType::Text,
        },
        DecodeError::UnknownType {
            path: "message.type".into(),
            found: "plan_approval_requst".into(),
            nearest: Some("plan_approval_request"),
        },
        DecodeError::InvalidName {
            path: "to".into(),
            found: "alice smith".into(),
            why: NameError::BadCharacter,
        },
        DecodeError::InvalidId { path: "message.request_id".into(), why: RequestIdError::Empty },
        DecodeError::InvalidKind {
            path: "message.kind".into(),
            found: "Resource Grant".into(),
            why: KindNameError::BadCharacter,
        },
        DecodeError::InvalidIncarnation { path: "from_incarnation".into(), found: "1".into() },
        DecodeError::InvalidDigest { path: digest(), found: "sha256:0".into() },
        DecodeError::InvalidNumber { path: "message.timeout_ms".into(), found: "1e3".into() },
        DecodeError::InvalidBoolean {
            path: path(),
            found: "\"maybe\"".into(),
            accepted: &["true", "false", "\"true\"", "\"false\""],
        },
        DecodeError::InvalidChoice {
            path: "message.uses".into(),
            found: "twice".into(),
            accepted: vec!["once", "until_report"],
        },
        DecodeError::UnknownField { path: "message.plan.budget".into() },
        DecodeError::Ambiguous { path: "message.request_id".into(), other: "requestId".into() },
    ]
}

fn invalid(lead: &MemberName, worker: &MemberName) -> [InvalidMessage; 16] {
    [
        InvalidMessage::Broadcast { message: "shutdown_request" },
        InvalidMessage::ToOneself { message: "plan_approval_request" },
        InvalidMessage::UnknownRecipient {
            name: "alcie".into(),
            nearest: Some(worker.clone()),
            roster: vec![lead.clone(), worker.clone()],
        },
        InvalidMessage::ResponseNotToLead { to: Role::Worker },
        InvalidMessage::NotAllowed {
            message: "plan_approval_request",
            from: Role::Worker,
            to: Role::Worker,
            between: Some((Roles::of(&[Role::Worker]), Roles::of(&[Role::Lead, Role::Approver]))),
            why: AuthorityError::PeersDoNotDecide,
        },
        InvalidMessage::UnknownKind { kind: Kind::DEPENDENCY, nearest: None },
        InvalidMessage::OwnMessages { kind: Kind::SHUTDOWN },
        InvalidMessage::ScopeMismatch { kind: Kind::DEPENDENCY, gate: false },
        InvalidMessage::DigestRequired,
        InvalidMessage::InvalidStages {
            stage: 0,
            why: StageError::Threshold { threshold: 3, most: 2 },
        },
        InvalidMessage::ReasonRequired { message: "shutdown_response", path: "message.reason" },
        InvalidMessage::TextTooLong {
            path: "message.plan.text".into(),
            bytes: 300_000,
            limit: 262_144,
        },
        InvalidMessage::Blank { path: "message.plan.risk" },
        InvalidMessage::InvalidScope {
            path: "message.plan.scope[0]".into(),
            why: ScopeError::DotSegment,
        },
        InvalidMessage::ZeroLimit { path: "message.timeout_ms" },
        InvalidMessage::TimeoutOverCap { timeout: Millis::new(700_000), cap: Millis::new(600_000) },
    ]
}

fn requests() -> [NotNow; 18] {
    let open = vec![id()];
    [
        NotNow::UnknownRequest { found: "req_0000".into(), open: open.clone() },
        NotNow::RequestIdMissing { open },
        NotNow::AmbiguousPrefix { found: "req_7".into(), candidates: vec![id(), other_id()] },
        NotNow::KindMismatch { request: Kind::SHUTDOWN, answer: Kind::PLAN_APPROVAL },
        NotNow::AlreadyAnswered { status: Status::Approved },
        NotNow::AnswerConflicts { status: Status::Rejected },
        NotNow::NotPending { status: Status::TimedOut },
        NotNow::NotApproved { status: Status::Rejected },
        NotNow::NothingToReport,
        NotNow::WorkNotRunning { run: 2 },
        NotNow::NothingToReopen { status: Status::Approved },
        NotNow::NothingToRerun,
        NotNow::NothingToUndo,
        NotNow::AlreadyPending { request_id: id() },
        NotNow::Pause(PauseError::AlreadyPaused),
        NotNow::Pause(PauseError::NotPaused),
        NotNow::Pause(PauseError::UsedUp { limit: Millis::new(86_400_000) }),
        NotNow::IdReused { request_id: id() },
    ]
}

fn standing(worker: &MemberName) -> [NotNow; 12] {
    [
        NotNow::Lineage(LineageError::AlreadyRejected {
            request_id: id(),
            reason: Some("no rollback".into()),
        }),
        NotNow::Lineage(LineageError::CannotFollow {
            request_id: id(),
            link: Link::Appeal,
            why: FollowError::Status { status: Status::TimedOut },
        }),
        NotNow::Lineage(LineageError::AppealsExhausted { limit: 2 }),
        NotNow::Lineage(LineageError::LineageExhausted { limit: 8 }),
        NotNow::InCriticalSection { name: "tests".into(), free_in: Some(Millis::new(9_500)) },
        NotNow::RecipientLeaving { name: worker.clone() },
        NotNow::RecipientLeft { name: worker.clone() },
        NotNow::RecipientLost { name: worker.clone(), retry_in: Some(Millis::new(60_000)) },
        NotNow::TooManyOpen { limit: 64 },
        NotNow::ApprovalEnded,
        NotNow::WouldDeadlock { name: worker.clone(), request_id: id() },
        NotNow::SelfLeaving,
    ]
}

fn gate() -> [NotNow; 4] {
    [Denied::NoPlan, Denied::PlanRequired, Denied::OutOfScope, Denied::Spent].map(|why| {
        NotNow::GateClosed { action: "delete:src/auth/session.rs".into(), why, pending: Vec::new() }
    })
}

fn misuse(worker: &MemberName) -> [Misuse; 15] {
    [
        Misuse::BadClock,
        Misuse::BadSpan { field: "timeout_ms" },
        Misuse::Closed,
        Misuse::NoRandomness,
        Misuse::BadOption {
            why: DecodeError::InvalidNumber {
                path: "options.limits.depth".into(),
                found: "-1".into(),
            },
        },
        Misuse::EffectsPending,
        Misuse::UnknownPermit,
        Misuse::UnknownSection,
        Misuse::TooManySections { limit: 64 },
        Misuse::BadAction { found: "src/old.rs".into(), why: ScopeError::NoVerb },
        Misuse::NameTaken { name: worker.clone() },
        Misuse::SecondLead,
        Misuse::TooManyMembers { limit: 256 },
        Misuse::LifeNotLater { name: worker.clone() },
        Misuse::BadEscalation { why: EscalationError::Attempts { attempts: 9, most: 8 } },
    ]
}

fn config(lead: &MemberName, worker: &MemberName) -> [ConfigError; 14] {
    [
        ConfigError::NoLead,
        ConfigError::SeveralLeads { second: worker.clone() },
        ConfigError::DuplicateMember { name: worker.clone() },
        ConfigError::AliasIsMember { name: lead.clone() },
        ConfigError::SelfNotListed { name: worker.clone() },
        ConfigError::TooManyMembers { limit: 256 },
        ConfigError::Zero { field: "depth" },
        ConfigError::TimeoutOverCap { timeout: Millis::new(700_000), cap: Millis::new(600_000) },
        ConfigError::Kind { why: KindError::Taken { kind: Kind::SHUTDOWN } },
        ConfigError::Kind { why: KindError::Nobody { kind: Kind::DEPENDENCY } },
        ConfigError::Kind { why: KindError::LeadLeaves { kind: Kind::DEPENDENCY } },
        ConfigError::Kind { why: KindError::PeersOpenGates { kind: Kind::DEPENDENCY } },
        ConfigError::Kind { why: KindError::BadLimits { kind: Kind::DEPENDENCY } },
        ConfigError::Kind {
            why: KindError::Circle { kind: Kind::DEPENDENCY, through: vec![Kind::DEPENDENCY] },
        },
    ]
}

fn restore(lead: &MemberName, worker: &MemberName) -> [RestoreError; 8] {
    let path = || "journal[12]".to_owned();
    [
        RestoreError::Nothing,
        RestoreError::Truncated { path: "snapshot".into() },
        RestoreError::Corrupt { path: path() },
        RestoreError::Newer { path: path(), found: 2, known: 1 },
        RestoreError::Foreign { found: worker.clone(), expected: lead.clone() },
        RestoreError::Gap { path: path(), expected: 40, found: 42 },
        RestoreError::Twice { path: path(), n: 40 },
        RestoreError::Diverged { path: path() },
    ]
}

const fn bits(last: u128) -> u128 {
    0x7c9e_6679_7425_40de_944b_e07f_c1f9_0ae0 + last
}

fn id() -> RequestId {
    RequestId::from_random(bits(7))
}

fn other_id() -> RequestId {
    RequestId::from_random(bits(8) + (1 << 100))
}
