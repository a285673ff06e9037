//! What looks for deadlocks on the wire.

use serde::Serialize;

use crate::ids::{MemberName, RequestId};

/// One edge of the wait-for graph: this member has asked under this id, and waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Wait {
    /// Who waits.
    pub member: MemberName,
    /// For the decision on which request of its own.
    pub request_id: RequestId,
}

/// `probe`: goes from a member that waits to the one it waits for, and on from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum Probe {
    /// It looks for a cycle.
    Open {
        /// Numbers the searches of the member that began this one; a later one is greater.
        round: u64,
        /// The edges travelled so far; the last one led here.
        path: Vec<Wait>,
    },
    /// A cycle was found; it is on its way to the owner of the victim.
    Closed {
        /// The edges of the cycle, each leading to the member of the next one.
        cycle: Vec<Wait>,
        /// Which of them led here, counted from 0.
        at: usize,
    },
}

impl Probe {
    /// The most edges a probe may hold. 256: as many members as a team may have, and a path meets
    /// each of them at most once.
    pub const MAX_WAITS: usize = 256;
}
