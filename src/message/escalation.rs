//! How far a request is that is asked again by itself.

use serde::Serialize;

use crate::time::Timestamp;

/// How often a request was asked that is asked again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many there are at most.
    pub of: u32,
    /// Between two attempts: when the next one goes out (ms since the Unix epoch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number"))]
    pub next_at: Option<Timestamp>,
}

/// What has just happened to a request that is asked again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum EscalationStep {
    /// It was asked, for the first time or again.
    Asked,
    /// It was refused, or not answered in time, and is asked again later.
    Waiting,
    /// It is not asked again: the aim is reached, or given up.
    Ended,
}

impl EscalationStep {
    /// The code of its audit entry.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Asked => "escalation_asked",
            Self::Waiting => "escalation_waiting",
            Self::Ended => "escalation_ended",
        }
    }
}
