//! Strict, typed handshakes for teams of LLM agents.

mod authority;
mod config;
mod deadline;
mod effect;
mod engine;
mod error;
mod gate;
mod ids;
mod journal;
mod member;
mod message;
mod request;
mod time;
mod validate;
mod wire;

pub use crate::authority::{Approval, AuthorityError, KindRules, rules};
pub use crate::config::*;
pub use crate::deadline::DeadlineKind;
pub use crate::effect::*;
pub use crate::engine::*;
pub use crate::error::*;
pub use crate::gate::{Denied, Permit};
pub use crate::ids::*;
pub use crate::journal::{AuditEntry, DropReason, Noted, Verdict};
pub use crate::member::Liveness;
pub use crate::message::*;
pub use crate::time::{Millis, Timestamp};
pub use crate::validate::{InvalidMessage, Origin, Target, Valid, check, nearest_name};
/// The life of one request.
pub mod fsm {
    pub use crate::request::*;
}
pub use crate::wire::*;
