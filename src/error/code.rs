//! The stable code of every error, and whose fault it is.

use super::{LineageError, Misuse, NotNow, ProtocolError};
use crate::authority::KindError;
use crate::config::ConfigError;
use crate::gate::Denied;
use crate::request::PauseError;
use crate::snapshot::RestoreError;
use crate::validate::InvalidMessage;
use crate::wire::DecodeError;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// The text cannot be read: the sender's.
    Undecodable,
    /// The message breaks a rule: the sender's, or the model's.
    Invalid,
    /// It does not fit how things stand: perhaps nobody's.
    NotNow,
    /// The call makes no sense: the host's.
    Misuse,
    /// The configuration makes no sense: the host's.
    Configuration,
    /// Nobody can go on from what was saved: of whoever kept it.
    Unrestorable,
}

impl Family {
    /// The name that programs see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::Invalid => "invalid",
            Self::NotNow => "not_now",
            Self::Misuse => "misuse",
            Self::Configuration => "configuration",
            Self::Unrestorable => "unrestorable",
        }
    }
}

impl ProtocolError {
    /// Whose fault it is.
    #[must_use]
    pub const fn family(&self) -> Family {
        match self {
            Self::Decode(_) => Family::Undecodable,
            Self::Invalid(_) => Family::Invalid,
            Self::NotNow(_) => Family::NotNow,
            Self::Misuse(_) => Family::Misuse,
            Self::Config(_) => Family::Configuration,
            Self::Restore(_) => Family::Unrestorable,
        }
    }

    /// The stable code: what programs decide by.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Decode(error) => decode_code(error),
            Self::Invalid(error) => invalid_code(error),
            Self::NotNow(error) => not_now_code(error),
            Self::Misuse(error) => misuse_code(error),
            Self::Config(error) => config_code(error),
            Self::Restore(error) => restore_code(error),
        }
    }

    /// The field that is at fault, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Decode(error) => error.path(),
            Self::Invalid(error) => Some(error.path()),
            Self::NotNow(error) => not_now_path(error),
            Self::Misuse(error) => misuse_path(error),
            Self::Config(error) => config_path(error),
            Self::Restore(error) => error.path(),
        }
    }
}

const fn decode_code(error: &DecodeError) -> &'static str {
    match error {
        DecodeError::TooLarge { .. } => "too_large",
        DecodeError::NotJson { .. } => "not_json",
        DecodeError::LoneSurrogate { .. } => "lone_surrogate",
        DecodeError::TooDeep { .. } => "too_deep",
        DecodeError::TooManyItems { .. } => "too_many_items",
        DecodeError::DuplicateField { .. } => "duplicate_field",
        DecodeError::NotAnObject { .. } => "not_an_object",
        DecodeError::UnsupportedVersion { .. } => "unsupported_version",
        DecodeError::MissingField { .. } => "missing_field",
        DecodeError::WrongType { .. } => "wrong_type",
        DecodeError::UnknownType { .. } => "unknown_type",
        DecodeError::InvalidName { .. } => "invalid_name",
        DecodeError::InvalidId { .. } => "invalid_id",
        DecodeError::InvalidKind { .. } => "invalid_kind",
        DecodeError::InvalidIncarnation { .. } => "invalid_incarnation",
        DecodeError::InvalidDigest { .. } => "invalid_digest",
        DecodeError::InvalidNumber { .. } => "invalid_number",
        DecodeError::InvalidBoolean { .. } => "invalid_boolean",
        DecodeError::InvalidChoice { .. } => "invalid_choice",
        DecodeError::UnknownField { .. } => "unknown_field",
        DecodeError::Ambiguous { .. } => "ambiguous",
        DecodeError::NestedTooOften { .. } => "nested_too_often",
    }
}

const fn invalid_code(error: &InvalidMessage) -> &'static str {
    match error {
        InvalidMessage::Broadcast { .. } => "broadcast",
        InvalidMessage::ToOneself { .. } => "to_oneself",
        InvalidMessage::UnknownRecipient { .. } => "unknown_recipient",
        InvalidMessage::ResponseNotToLead { .. } => "response_not_to_lead",
        InvalidMessage::NotAllowed { .. } => "not_allowed",
        InvalidMessage::UnknownKind { .. } => "unknown_kind",
        InvalidMessage::OwnMessages { .. } => "own_messages",
        InvalidMessage::ScopeMismatch { .. } => "scope_mismatch",
        InvalidMessage::DigestRequired => "digest_required",
        InvalidMessage::InvalidStages { .. } => "invalid_stages",
        InvalidMessage::ReasonRequired { .. } => "reason_required",
        InvalidMessage::TextTooLong { .. } => "text_too_long",
        InvalidMessage::Blank { .. } => "blank",
        InvalidMessage::InvalidScope { .. } => "invalid_scope",
        InvalidMessage::ZeroLimit { .. } => "zero_limit",
        InvalidMessage::TimeoutOverCap { .. } => "timeout_over_cap",
    }
}

const fn not_now_code(error: &NotNow) -> &'static str {
    match error {
        NotNow::UnknownRequest { .. } => "unknown_request",
        NotNow::RequestIdMissing { .. } => "request_id_missing",
        NotNow::AmbiguousPrefix { .. } => "ambiguous_prefix",
        NotNow::KindMismatch { .. } => "kind_mismatch",
        NotNow::AlreadyAnswered { .. } => "already_answered",
        NotNow::AnswerConflicts { .. } => "answer_conflicts",
        NotNow::NotPending { .. } => "not_pending",
        NotNow::NotApproved { .. } => "not_approved",
        NotNow::ApprovalEnded => "approval_ended",
        NotNow::NothingToReport => "nothing_to_report",
        NotNow::WorkNotRunning { .. } => "work_not_running",
        NotNow::NothingToReopen { .. } => "nothing_to_reopen",
        NotNow::NothingToRerun => "nothing_to_rerun",
        NotNow::NothingToUndo => "nothing_to_undo",
        NotNow::InCriticalSection { .. } => "in_critical_section",
        NotNow::RecipientLeaving { .. } => "recipient_leaving",
        NotNow::RecipientLeft { .. } => "recipient_left",
        NotNow::RecipientLost { .. } => "recipient_lost",
        NotNow::TooManyOpen { .. } => "too_many_open",
        NotNow::AlreadyPending { .. } => "already_pending",
        NotNow::Pause(PauseError::AlreadyPaused) => "already_paused",
        NotNow::Pause(PauseError::NotPaused) => "not_paused",
        NotNow::Pause(PauseError::UsedUp { .. }) => "pause_used_up",
        NotNow::Lineage(LineageError::AlreadyRejected { .. }) => "already_rejected",
        NotNow::Lineage(LineageError::CannotFollow { .. }) => "cannot_follow",
        NotNow::Lineage(LineageError::AppealsExhausted { .. }) => "appeals_exhausted",
        NotNow::Lineage(LineageError::LineageExhausted { .. }) => "lineage_exhausted",
        NotNow::WouldDeadlock { .. } => "would_deadlock",
        NotNow::SelfLeaving => "self_leaving",
        NotNow::IdReused { .. } => "id_reused",
        NotNow::GateClosed { why: Denied::NoPlan, .. } => "gate_no_plan",
        NotNow::GateClosed { why: Denied::PlanRequired, .. } => "gate_plan_required",
        NotNow::GateClosed { why: Denied::OutOfScope, .. } => "gate_out_of_scope",
        NotNow::GateClosed { why: Denied::Spent, .. } => "gate_spent",
    }
}

const fn not_now_path(error: &NotNow) -> Option<&'static str> {
    match error {
        NotNow::UnknownRequest { .. }
        | NotNow::RequestIdMissing { .. }
        | NotNow::AmbiguousPrefix { .. }
        | NotNow::Pause(_)
        | NotNow::IdReused { .. } => Some("request_id"),
        NotNow::KindMismatch { .. } => Some("message.type"),
        NotNow::RecipientLeaving { .. }
        | NotNow::RecipientLeft { .. }
        | NotNow::RecipientLost { .. }
        | NotNow::WouldDeadlock { .. } => Some("to"),
        NotNow::GateClosed { .. } => Some("action"),
        NotNow::AlreadyAnswered { .. }
        | NotNow::AnswerConflicts { .. }
        | NotNow::NotPending { .. }
        | NotNow::NotApproved { .. }
        | NotNow::ApprovalEnded
        | NotNow::NothingToReport
        | NotNow::WorkNotRunning { .. }
        | NotNow::NothingToReopen { .. }
        | NotNow::NothingToRerun
        | NotNow::NothingToUndo
        | NotNow::InCriticalSection { .. }
        | NotNow::TooManyOpen { .. }
        | NotNow::AlreadyPending { .. }
        | NotNow::Lineage(_)
        | NotNow::SelfLeaving => None,
    }
}

const fn misuse_code(error: &Misuse) -> &'static str {
    match error {
        Misuse::BadClock => "bad_clock",
        Misuse::BadSpan { .. } => "bad_span",
        Misuse::BadOption { .. } => "bad_option",
        Misuse::Closed => "closed",
        Misuse::NoRandomness => "no_randomness",
        Misuse::EffectsPending => "effects_pending",
        Misuse::UnknownPermit => "unknown_permit",
        Misuse::UnknownSection => "unknown_section",
        Misuse::TooManySections { .. } => "too_many_sections",
        Misuse::BadAction { .. } => "bad_action",
        Misuse::NameTaken { .. } => "name_taken",
        Misuse::SecondLead => "second_lead",
        Misuse::TooManyMembers { .. } => "too_many_members",
        Misuse::LifeNotLater { .. } => "life_not_later",
        Misuse::BadEscalation { .. } => "bad_escalation",
    }
}

fn misuse_path(error: &Misuse) -> Option<&str> {
    match error {
        Misuse::BadClock => Some("now"),
        Misuse::BadSpan { field } => Some(field),
        Misuse::BadOption { why } => why.path(),
        Misuse::BadAction { .. } => Some("action"),
        Misuse::NameTaken { .. } => Some("name"),
        Misuse::SecondLead => Some("role"),
        Misuse::BadEscalation { .. } => Some("escalate"),
        Misuse::LifeNotLater { .. } => Some("incarnation"),
        Misuse::Closed
        | Misuse::NoRandomness
        | Misuse::EffectsPending
        | Misuse::UnknownPermit
        | Misuse::UnknownSection
        | Misuse::TooManySections { .. }
        | Misuse::TooManyMembers { .. } => None,
    }
}

const fn config_code(error: &ConfigError) -> &'static str {
    match error {
        ConfigError::NoLead => "config_no_lead",
        ConfigError::SeveralLeads { .. } => "config_several_leads",
        ConfigError::DuplicateMember { .. } => "config_duplicate_member",
        ConfigError::AliasIsMember { .. } => "config_alias_is_member",
        ConfigError::SelfNotListed { .. } => "config_self_not_listed",
        ConfigError::TooManyMembers { .. } => "config_too_many_members",
        ConfigError::Zero { .. } => "config_zero",
        ConfigError::Kind { why } => match why {
            KindError::Taken { .. } => "config_kind_taken",
            KindError::Nobody { .. } => "config_kind_nobody",
            KindError::LeadLeaves { .. } => "config_kind_lead_leaves",
            KindError::PeersOpenGates { .. } => "config_kind_peers_open_gates",
            KindError::BadLimits { .. } => "config_kind_bad_limits",
            KindError::Circle { .. } => "config_kind_circle",
        },
        ConfigError::TimeoutOverCap { .. } => "config_timeout_over_cap",
    }
}

const fn restore_code(error: &RestoreError) -> &'static str {
    match error {
        RestoreError::Nothing => "nothing_saved",
        RestoreError::Truncated { .. } => "saved_truncated",
        RestoreError::Corrupt { .. } => "saved_corrupt",
        RestoreError::Newer { .. } => "saved_newer",
        RestoreError::Foreign { .. } => "saved_foreign",
        RestoreError::Gap { .. } => "journal_gap",
        RestoreError::Twice { .. } => "restored_twice",
        RestoreError::Diverged { .. } => "replay_diverged",
    }
}

const fn config_path(error: &ConfigError) -> Option<&str> {
    match error {
        ConfigError::NoLead
        | ConfigError::SeveralLeads { .. }
        | ConfigError::DuplicateMember { .. }
        | ConfigError::TooManyMembers { .. } => Some("members"),
        ConfigError::AliasIsMember { .. } => Some("lead_aliases"),
        ConfigError::SelfNotListed { .. } => Some("member"),
        ConfigError::Zero { field } => Some(field),
        ConfigError::Kind { .. } => Some("kinds"),
        ConfigError::TimeoutOverCap { .. } => Some("timing"),
    }
}
