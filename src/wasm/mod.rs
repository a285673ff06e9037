//! The boundary to JavaScript: conversion only, no protocol decision.
//!
//! Text comes in through one shared buffer, into which JavaScript writes UTF-8. Results go out as
//! a few numbers and one text, which JavaScript decodes once and slices. Nothing JavaScript holds
//! points into this memory. What is more than a text goes out as JSON.

mod engine;
mod fan_out;
mod kinds;
mod options;
mod random;
mod reopen;
mod result;
mod room;
mod saved;
mod works;

pub use self::engine::WasmEngine;
pub use self::kinds::KindOptions;
pub use self::options::{
    BooleanReading, EngineOptions, LimitOptions, MemberOptions, TimingOptions,
};
pub use self::room::{header, reserve};

/// As fast as the one of the standard library, at a seventh of its size.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
