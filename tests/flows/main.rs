//! Flows over several engines, one file per theme.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod addressing;
mod correlation;
mod deadlock;
mod escalation;
mod identity;
mod kinds;
mod leaving;
mod lineage;
mod liveness;
mod noise;
mod pause;
mod plan_gate;
mod plan_request;
mod quorum;
mod reopen;
mod report_overdue;
mod saved;
mod sending;
mod shutdown;
mod shutdown_all;
mod shutdown_section;
mod storm;
mod timeouts;
mod undeliverable;
mod views;
mod works;
