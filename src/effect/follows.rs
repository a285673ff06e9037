//! The earlier request that a request goes on from, as the host sees it.

use serde::Serialize;

use crate::ids::RequestId;
use crate::message::{Follows, Link};

/// The earlier request that one goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct FollowsView {
    /// The earlier request, of the same requester.
    pub request_id: RequestId,
    /// What this one is to it.
    #[serde(rename = "as")]
    pub link: Link,
    /// With an appeal: what the earlier decision did not consider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub justification: Option<String>,
}

impl From<&Follows> for FollowsView {
    fn from(follows: &Follows) -> Self {
        let Follows { request_id, link, justification } = follows.clone();
        Self { request_id, link, justification }
    }
}
