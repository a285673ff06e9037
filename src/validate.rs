//! Rules that need no history: what no engine may say or believe, whatever happened before.
//!
//! Owns [`Valid`], which only this room can make, and the one order of precedence. Of several
//! broken rules the first one is reported:
//!
//! 1. a structured message is not for everyone,
//! 2. nor for oneself,
//! 3. nor for somebody who is not in the team,
//! 4. the roles of both sides fit the kind,
//! 5. a refusal says why,
//! 6. the other fields: sizes, then blanks, then the scope, then the time limits.
//!
//! Where it goes comes before what it says: a message that is sent on to the right member is
//! judged again, a corrected field does not help a message that may not be sent at all.
//! Imports `ids`, `message`, `authority`, `config` and `wire`.

mod fields;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use crate::authority::{Approval, AuthorityError, KindRules, KindTable};
use crate::config::Limits;
use crate::ids::MemberName;
use crate::message::{Kind, Message, Role, Roles, ScopeError, is_blank};
use crate::time::Millis;
use crate::wire::nearest;

/// A value that passed [`check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valid<T>(T);

/// Whose message is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Our own, before it is sent.
    Own,
    /// Another member's, after it arrived. Where a refusal would leave somebody hanging for ever,
    /// it is judged more mildly.
    Peer,
}

/// To whom a message goes, as the roster sees it. For a message that arrives, the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The whole team.
    Everyone,
    /// The sender.
    Oneself,
    /// Nobody in the team.
    Unknown {
        /// The name as given; it may be none at all.
        name: String,
        /// Whom it resembles; see [`nearest_name`].
        nearest: Option<MemberName>,
        /// Who there is.
        roster: Vec<MemberName>,
    },
    /// Another member, by its roles.
    Member(Roles),
}

/// What a message is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Rulebook<'a> {
    /// The kinds there are.
    pub kinds: &'a KindTable,
    /// The bounds.
    pub limits: &'a Limits,
}

/// Why a message is refused that could be decoded. Paths begin at the envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidMessage {
    /// A structured message to the whole team.
    Broadcast {
        /// Its `type`.
        message: &'static str,
    },
    /// A structured message to oneself.
    ToOneself {
        /// Its `type`.
        message: &'static str,
    },
    /// A message to somebody who is not in the team.
    UnknownRecipient {
        /// The name as given; it may be none at all.
        name: String,
        /// Whom it resembles.
        nearest: Option<MemberName>,
        /// Who there is.
        roster: Vec<MemberName>,
    },
    /// A `shutdown_response` to somebody other than the lead.
    ResponseNotToLead {
        /// The role it was addressed to.
        to: Role,
    },
    /// The roles do not fit the kind.
    NotAllowed {
        /// The `type` of the message.
        message: &'static str,
        /// The sender's role.
        from: Role,
        /// The receiver's role.
        to: Role,
        /// Between whom such a message goes, from the first to the second, where there is a rule.
        between: Option<(Roles, Roles)>,
        /// The rule, seen from the request: for a response the receiver is the one who asked.
        why: AuthorityError,
    },
    /// A kind that nobody declared.
    UnknownKind {
        /// The kind.
        kind: Kind,
        /// Which one it resembles.
        nearest: Option<Kind>,
    },
    /// A kind that has messages of its own.
    OwnMessages {
        /// The kind.
        kind: Kind,
    },
    /// A scope for a kind whose approval opens no gate, or a gate without a scope.
    ScopeMismatch {
        /// The kind.
        kind: Kind,
        /// Whether its approval opens a gate.
        gate: bool,
    },
    /// A decision that would open a gate and does not say what for.
    DigestRequired,
    /// A list of approvers that cannot decide.
    InvalidStages {
        /// Which stage, from 0.
        stage: usize,
        /// What is wrong with it.
        why: StageError,
    },
    /// A refusal that does not say why.
    ReasonRequired {
        /// The `type` of the message.
        message: &'static str,
        /// The field that must say it.
        path: &'static str,
    },
    /// A text that is too long.
    TextTooLong {
        /// Where.
        path: String,
        /// Its bytes in UTF-8.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
    /// A text that must say something and does not.
    Blank {
        /// Where.
        path: &'static str,
    },
    /// An entry of a plan's scope that is none.
    InvalidScope {
        /// Where.
        path: String,
        /// What is wrong with it.
        why: ScopeError,
    },
    /// A time limit of zero: the request would be over before it began.
    ZeroLimit {
        /// Where.
        path: &'static str,
    },
    /// The idle limit is longer than the hard limit.
    TimeoutOverCap {
        /// The idle limit.
        timeout: Millis,
        /// The hard limit.
        cap: Millis,
    },
}

/// What is wrong with a stage of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageError {
    /// It names nobody.
    Nobody,
    /// It names somebody who votes already.
    Repeated {
        /// Whom.
        name: MemberName,
    },
    /// No such number of members can say yes.
    Threshold {
        /// The number.
        threshold: usize,
        /// How many members it names.
        most: usize,
    },
    /// There are too many stages.
    TooMany {
        /// The bound.
        limit: usize,
    },
    /// Whoever approves this kind leaves: one member decides that for itself.
    OneDecides,
}

impl<T> Valid<T> {
    /// Gives the value away, and the proof up.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Valid<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl InvalidMessage {
    /// The field that is at fault.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Broadcast { .. }
            | Self::ToOneself { .. }
            | Self::UnknownRecipient { .. }
            | Self::ResponseNotToLead { .. } => "to",
            Self::NotAllowed { .. } => "message.type",
            Self::UnknownKind { .. } | Self::OwnMessages { .. } => fields::KIND,
            Self::ScopeMismatch { .. } => "message.scope",
            Self::DigestRequired => "message.digest",
            Self::InvalidStages { .. } => "stages",
            Self::ReasonRequired { path, .. } | Self::Blank { path } | Self::ZeroLimit { path } => {
                path
            }
            Self::TextTooLong { path, .. } | Self::InvalidScope { path, .. } => path,
            Self::TimeoutOverCap { .. } => fields::TIMEOUT,
        }
    }
}

/// Judges a structured message; the order of the rules is that of the module's text.
///
/// # Errors
/// [`InvalidMessage`] names the first rule that is broken.
pub fn check(
    message: Message,
    origin: Origin,
    from: Roles,
    to: Target,
    rules: Rulebook<'_>,
) -> Result<Valid<Message>, InvalidMessage> {
    let to = check_target(message.type_name(), to)?;
    check_roles(&message, from, to, rules.kinds)?;
    check_reason(&message, origin, rules.kinds)?;
    fields::check(&message, rules.limits)?;
    Ok(Valid(message))
}

/// Judges a chat text.
///
/// # Errors
/// [`InvalidMessage::TextTooLong`].
pub(crate) fn check_text(text: &str, limits: &Limits) -> Result<(), InvalidMessage> {
    fields::check_length(text, limits, || "message".to_owned())
}

/// The member that a misspelt name most likely means.
pub fn nearest_name<'a>(
    text: &str,
    names: impl Iterator<Item = &'a MemberName>,
) -> Option<MemberName> {
    nearest(text, names, |name| name.as_str()).cloned()
}

/// The role of the member a structured message goes to, if it may go there at all.
pub(crate) fn check_target(message: &'static str, to: Target) -> Result<Roles, InvalidMessage> {
    match to {
        Target::Everyone => Err(InvalidMessage::Broadcast { message }),
        Target::Oneself => Err(InvalidMessage::ToOneself { message }),
        Target::Unknown { name, nearest, roster } => {
            Err(InvalidMessage::UnknownRecipient { name, nearest, roster })
        }
        Target::Member(roles) => Ok(roles),
    }
}

/// Whether the roles of both sides fit what a message says.
fn check_roles(
    message: &Message,
    from: Roles,
    to: Roles,
    kinds: &KindTable,
) -> Result<(), InvalidMessage> {
    let name = message.type_name();
    let (sender, receiver) = (from.first(), to.first());
    let refuse = |between, why| InvalidMessage::NotAllowed {
        message: name,
        from: sender,
        to: receiver,
        between,
        why,
    };
    let asks = |kind| {
        let rules = kinds.find(kind);
        let between = rules.map(|rules| (rules.asked_by, rules.decided_by));
        allowed(rules, from, to).map_err(|why| refuse(between, why))
    };
    let answers = |kind| {
        let rules = kinds.find(kind);
        let between = rules.map(|rules| (rules.decided_by, rules.asked_by));
        allowed(rules, to, from).map_err(|why| refuse(between, why))
    };
    let nobody = |why| Err(refuse(None, why));
    let shutdown = || kinds.find(&Kind::SHUTDOWN).map(|rules| (rules.decided_by, rules.asked_by));
    match message {
        Message::ShutdownRequest(_) => asks(&Kind::SHUTDOWN),
        Message::PlanApprovalRequest(_) => asks(&Kind::PLAN_APPROVAL),
        Message::PlanApprovalResponse(_) | Message::Reopen(_) => answers(&Kind::PLAN_APPROVAL),
        Message::Request(m) => {
            let gate = generic_kind(kinds, &m.kind)? == Approval::OpensGate;
            asks(&m.kind)?;
            if gate == m.scope.is_empty() || (!gate && m.uses.is_some()) {
                return Err(InvalidMessage::ScopeMismatch { kind: m.kind.clone(), gate });
            }
            Ok(())
        }
        Message::Response(m) => {
            let gate = generic_kind(kinds, &m.kind)? == Approval::OpensGate;
            answers(&m.kind)?;
            if gate && m.digest.is_none() {
                return Err(InvalidMessage::DigestRequired);
            }
            Ok(())
        }
        // Before the rule about the recipient: a lead that is told to "send it to the lead"
        // would end itself.
        Message::ShutdownResponse(_) if from.has(Role::Lead) => {
            Err(refuse(shutdown(), AuthorityError::LeadIsNoTarget))
        }
        Message::ShutdownResponse(_) if !to.has(Role::Lead) => {
            Err(InvalidMessage::ResponseNotToLead { to: to.first() })
        }
        Message::ShutdownResponse(_) => answers(&Kind::SHUTDOWN),
        // A lead cannot leave: workers that believed it would drop everything it says from then on.
        Message::Exited(_) if from.has(Role::Lead) => nobody(AuthorityError::LeadIsNoTarget),
        Message::Undeliverable(_) if !to.has(Role::Lead) => nobody(AuthorityError::MayNotDecide),
        // These belong to a request by its id; the ledger knows its two sides.
        Message::Settled(_)
        | Message::Progress(_)
        | Message::Receipt(_)
        | Message::Cancel(_)
        | Message::ExecutionReport(_)
        | Message::Exited(_)
        | Message::Idle(_)
        | Message::Undeliverable(_)
        | Message::Probe(_) => Ok(()),
    }
}

/// Whether a member with the roles `asker` may ask one with the roles `decider`.
fn allowed(rules: Option<&KindRules>, asker: Roles, decider: Roles) -> Result<(), AuthorityError> {
    rules.map_or(Err(AuthorityError::MayNotAsk), |rules| rules.check(asker, decider))
}

/// What an approval of a kind means that has no messages of its own.
fn generic_kind(kinds: &KindTable, kind: &Kind) -> Result<Approval, InvalidMessage> {
    if [Kind::SHUTDOWN, Kind::PLAN_APPROVAL].contains(kind) {
        return Err(InvalidMessage::OwnMessages { kind: kind.clone() });
    }
    match kinds.find(kind) {
        Some(rules) => Ok(rules.approval),
        None => {
            let known = kinds.iter().map(|rules| &rules.kind);
            let nearest = nearest(kind.name(), known, |kind| kind.name()).cloned();
            Err(InvalidMessage::UnknownKind { kind: kind.clone(), nearest })
        }
    }
}

fn check_reason(
    message: &Message,
    origin: Origin,
    kinds: &KindTable,
) -> Result<(), InvalidMessage> {
    let (kind, approve, reason, path) = match message {
        Message::ShutdownResponse(m) => {
            (&Kind::SHUTDOWN, m.approve, m.reason.as_deref(), fields::REASON)
        }
        Message::PlanApprovalResponse(m) => {
            (&Kind::PLAN_APPROVAL, m.approve, m.feedback.as_deref(), fields::FEEDBACK)
        }
        Message::Response(m) => (&m.kind, m.approve, m.reason.as_deref(), fields::REASON),
        Message::ShutdownRequest(_)
        | Message::PlanApprovalRequest(_)
        | Message::Request(_)
        | Message::Settled(_)
        | Message::Progress(_)
        | Message::Receipt(_)
        | Message::Cancel(_)
        | Message::Reopen(_)
        | Message::ExecutionReport(_)
        | Message::Exited(_)
        | Message::Idle(_)
        | Message::Undeliverable(_)
        | Message::Probe(_) => return Ok(()),
    };
    let Some(rules) = kinds.find(kind) else { return Ok(()) };
    let required = match origin {
        Origin::Own => rules.refusal_needs_reason,
        Origin::Peer => rules.foreign_refusal_needs_reason,
    };
    if required && !approve && reason.is_none_or(is_blank) {
        return Err(InvalidMessage::ReasonRequired { message: message.type_name(), path });
    }
    Ok(())
}
