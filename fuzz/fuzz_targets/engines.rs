//! See `tests/fuzz/bodies.rs`.
#![no_main]

#[path = "../../tests/fuzz/bodies.rs"]
#[allow(dead_code, reason = "each target uses one body")]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::engines(data));
