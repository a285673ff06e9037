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

use crate::authority::{self, AuthorityError};
use crate::config::Limits;
use crate::ids::MemberName;
use crate::message::{Kind, Message, Role, ScopeError, is_blank};
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
    /// Another member, by its role.
    Member(Role),
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
        /// The rule, seen from the request: for a response the receiver is the one who asked.
        why: AuthorityError,
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
    from: Role,
    to: Target,
    limits: &Limits,
) -> Result<Valid<Message>, InvalidMessage> {
    let to = check_target(message.type_name(), to)?;
    check_roles(&message, from, to)?;
    check_reason(&message, origin)?;
    fields::check(&message, limits)?;
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
pub(crate) fn check_target(message: &'static str, to: Target) -> Result<Role, InvalidMessage> {
    match to {
        Target::Everyone => Err(InvalidMessage::Broadcast { message }),
        Target::Oneself => Err(InvalidMessage::ToOneself { message }),
        Target::Unknown { name, nearest, roster } => {
            Err(InvalidMessage::UnknownRecipient { name, nearest, roster })
        }
        Target::Member(role) => Ok(role),
    }
}

fn check_roles(message: &Message, from: Role, to: Role) -> Result<(), InvalidMessage> {
    let name = message.type_name();
    let refuse = |why| InvalidMessage::NotAllowed { message: name, from, to, why };
    match message {
        Message::ShutdownRequest(_) => authority::check(Kind::Shutdown, from, to),
        Message::PlanApprovalRequest(_) => authority::check(Kind::PlanApproval, from, to),
        Message::PlanApprovalResponse(_) => authority::check(Kind::PlanApproval, to, from),
        // Before the rule about the recipient: a lead that is told to "send it to the lead"
        // would end itself.
        Message::ShutdownResponse(_) if from == Role::Lead => Err(AuthorityError::LeadIsNoTarget),
        Message::ShutdownResponse(_) if to != Role::Lead => {
            return Err(InvalidMessage::ResponseNotToLead { to });
        }
        Message::ShutdownResponse(_) => authority::check(Kind::Shutdown, to, from),
        // A lead cannot leave: workers that believed it would drop everything it says from then on.
        Message::Exited(_) if from == Role::Lead => Err(AuthorityError::LeadIsNoTarget),
        // These belong to a request by its id; the ledger knows its two sides.
        Message::Settled(_)
        | Message::Progress(_)
        | Message::Receipt(_)
        | Message::Cancel(_)
        | Message::ExecutionReport(_)
        | Message::Exited(_)
        | Message::Idle(_)
        | Message::Undeliverable(_) => Ok(()),
    }
    .map_err(refuse)
}

fn check_reason(message: &Message, origin: Origin) -> Result<(), InvalidMessage> {
    let (kind, approve, reason, path) = match message {
        Message::ShutdownResponse(m) => {
            (Kind::Shutdown, m.approve, m.reason.as_deref(), fields::REASON)
        }
        Message::PlanApprovalResponse(m) => {
            (Kind::PlanApproval, m.approve, m.feedback.as_deref(), fields::FEEDBACK)
        }
        Message::ShutdownRequest(_)
        | Message::PlanApprovalRequest(_)
        | Message::Settled(_)
        | Message::Progress(_)
        | Message::Receipt(_)
        | Message::Cancel(_)
        | Message::ExecutionReport(_)
        | Message::Exited(_)
        | Message::Idle(_)
        | Message::Undeliverable(_) => return Ok(()),
    };
    let rules = authority::rules(kind);
    let required = match origin {
        Origin::Own => rules.refusal_needs_reason,
        Origin::Peer => rules.foreign_refusal_needs_reason,
    };
    if required && !approve && reason.is_none_or(is_blank) {
        return Err(InvalidMessage::ReasonRequired { message: message.type_name(), path });
    }
    Ok(())
}
