//! A rejected plan may be asked about once more.

use serde::Serialize;

use crate::ids::{MemberName, RequestId};

/// Whoever rejected a plan of this member is willing to decide on it once more: the same may be
/// asked again, and that is no appeal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ReopenedEvent {
    /// The rejected request. It stays rejected.
    pub request_id: RequestId,
    /// Who reopens it.
    pub by: MemberName,
    /// What has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
}
