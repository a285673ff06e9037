//! The team as one engine sees it: names, roles, lives, and how alive each member is.
//!
//! Owns the roster, the repeat window and the repeat count of each sender, liveness and the breaker. Imports `config`,
//! `ids`, `message` and `time`.

mod breaker;
mod liveness;
mod repeats;
mod roster;
mod window;

pub(crate) use self::breaker::{Breaker, Passage};
pub(crate) use self::liveness::{Judgement, Verdict};
pub(crate) use self::repeats::Again;
pub(crate) use self::roster::{LifeCheck, Roster};
pub(crate) use self::window::Repeat;
