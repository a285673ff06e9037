//! Work that requests name, as the host learns of it.

use serde::Serialize;

use crate::ids::RequestId;
use crate::message::WorkCause;

/// A run of work that a request names. As a `work` event it must begin now, once; `work_done` tells
/// how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct WorkEvent {
    /// The request that names it.
    pub request_id: RequestId,
    /// What it is known by.
    pub name: String,
    /// Why it runs.
    pub cause: WorkCause,
    /// The number of this run among all of the request, from 1; `work_done` must repeat it.
    pub run: u32,
}

/// Work that a request names failed or was interrupted. The decision stands; `rerun` runs it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct WorkFailedEvent {
    /// The request that names it.
    pub request_id: RequestId,
    /// What it is known by.
    pub name: String,
    /// Why it ran.
    pub cause: WorkCause,
    /// Which run failed.
    pub run: u32,
    /// What went wrong, where it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub detail: Option<String>,
    /// Whether nobody knows how far it came, for its host ended meanwhile.
    pub interrupted: bool,
}
