//! A shutdown that is asked again by itself, step by step.

use serde::Serialize;

use super::Outcome;
use crate::ids::{MemberName, RequestId};
use crate::message::{Attempt, EscalationStep};

/// A shutdown that is asked again by itself went a step on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct EscalationEvent {
    /// The request of this attempt.
    pub request_id: RequestId,
    /// Who is asked.
    pub to: MemberName,
    /// What has happened.
    pub step: EscalationStep,
    /// How often it was asked, and when it is asked again.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The requests of all attempts so far, in order.
    pub requests: Vec<RequestId>,
    /// With `waiting`: the reason of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// With `ended`: what came of it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub outcome: Option<Outcome>,
}

/// A member that refused whenever it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// How often.
    pub times: u32,
    /// What it said the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reason: Option<String>,
    /// The requests, in order; those that it did not answer in time are among them.
    pub requests: Vec<RequestId>,
}
