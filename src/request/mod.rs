//! One request, on either side of it: its state, and the pure [`transition`] between states.
//!
//! Owns everything that is true of a single request. Knows nothing of wires, rosters or hosts: the
//! engine's ledger stores the states and carries out the [`Action`]s. Imports `message`,
//! `authority`, `deadline`, `ids` and `time`.
//!
//! ```text
//!                    asked side                                owed side
//!   ┌────────┐ response  ┌──────────┐ feedback     ┌──────┐ decide  ┌──────────┐
//!   │Pending │──────────▶│ Approved │─ exit/report │ Open │────────▶│ Approved │
//!   │        │──────────▶│ Rejected │              │      │────────▶│ Rejected │
//!   │        │─ clock ──▶│ TimedOut │              └──┬───┘         └────┬─────┘
//!   │        │─ end ────▶│ Cancelled│                 └── told ──▶ Closed ◀──┘
//!   └────────┘           └──────────┘
//! ```
//!
//! The asked side settles; the owed side stores its answer and is told the outcome whenever that
//! answer does not already imply it.

mod clocks;
mod input;
mod ladder;
mod owed;
mod quorum;
mod state;
mod transition;
mod vote;
mod work;

pub use self::clocks::Clocks;
pub use self::input::{Action, Answer, Context, Decider, Input, PauseError, Rejection, Step};
pub(crate) use self::ladder::Ladder;
pub use self::quorum::{Ballot, Panel, Stage, Standing, Vote};
pub use self::state::{Asked, Feedback, Owed, Settlement, State, WorkReport};
pub use self::transition::transition;
pub(crate) use self::work::{Work, Works};
pub use self::work::{WorkInput, WorkState, work_transition};
