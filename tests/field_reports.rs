//! Failures that users of agent teams reported in public, as scenarios with the right answers.
//!
//! Grouped by the kind of failure; each test is named after what must happen instead.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "harness/mod.rs"]
mod harness;

#[path = "field_reports/answers.rs"]
mod answers;
#[path = "field_reports/delivery.rs"]
mod delivery;
#[path = "field_reports/effects.rs"]
mod effects;
#[path = "field_reports/peers.rs"]
mod peers;
#[path = "field_reports/roles.rs"]
mod roles;
#[path = "field_reports/shutdown.rs"]
mod shutdown;

use serde_json::json;
use team_protocols::Uses;

use crate::harness::{Frame, digest, plan, tool};

/// A yes to a shutdown, as a frame of the worker at this place.
fn yes_frame(place: u64, from: &str, id: &str, seq: u64) -> String {
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": true});
    Frame::from_worker(place, from, message).seq(seq).text()
}

/// The lead's answer to the plan of these tests.
fn decision(id: &str, approve: bool, seq: u64) -> Frame {
    let message = json!({"type": "plan_approval_response", "request_id": id, "approve": approve,
                         "feedback": "because", "digest": digest(&plan(), Uses::UntilReport)});
    Frame::from_lead("w1", message).seq(seq)
}
