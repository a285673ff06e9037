//! Why the work that a request names runs.

use serde::Serialize;

use crate::stored::from_store;

/// Why work runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum WorkCause {
    /// The request was approved.
    Approved,
    /// The approved work was reported as failed, and is to be undone.
    Compensation,
}

from_store!(enum WorkCause {
    "approved" => Approved,
    "compensation" => Compensation,
});
