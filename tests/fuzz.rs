//! The bodies of the fuzz targets (`fuzz/`), with seeded inputs and with every case that was found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a test may fail by panicking; the bodies are shared with another crate"
)]

#[path = "fuzz/bodies.rs"]
mod bodies;
#[path = "harness/mod.rs"]
mod harness;

use crate::harness::{LEAD, Net, Random, plan};

/// `FUZZ_RUNS` inputs each.
fn runs(usual: u64) -> u64 {
    std::env::var("FUZZ_RUNS").map_or(usual, |text| text.replace('_', "").parse().unwrap())
}

/// What every sort of frame looks like, to begin from.
fn frames() -> Vec<String> {
    let mut net = Net::team(&["alice", "bob"]);
    let shutdown = net.ask_shutdown("alice");
    net.reject("alice", &shutdown, "busy");
    let id = net.submit("alice", plan(), team_protocols::Uses::Once);
    net.approve(LEAD, &id);
    net.report("alice", &id, true).unwrap();
    net.ask_for("alice", "dependency", "bob", team_protocols::Details::default()).unwrap();
    net.say("bob", LEAD, "hello").unwrap();
    net.idle("bob");
    let mut frames: Vec<_> = net.network.sent.iter().map(|packet| packet.frame.clone()).collect();
    frames.push(r#"{"to":"team-lead","message":{"type":"shutdown_response","request_id":"r","approve":"true"}}"#.to_owned());
    frames.push(net.node("alice").store.journal.clone());
    frames.push(net.engine("alice").snapshot().unwrap());
    frames
}

#[test]
fn whatever_comes_in_is_read_or_refused() {
    let (frames, mut random) = (frames(), Random::new(1));
    for _ in 0..runs(20_000) {
        let mut bytes = frames[random.below(frames.len() as u64) as usize].clone().into_bytes();
        for _ in 0..random.below(6) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at.max(1)),
                _ => {
                    let from = random.below(bytes.len() as u64) as usize;
                    let part = bytes[from.min(at)..from.max(at)].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        bodies::decode(&bytes);
    }
}

#[test]
fn whatever_happens_to_engines_they_keep_the_laws() {
    let mut random = Random::new(2);
    for _ in 0..runs(150) {
        let length = random.below(1_500) as usize;
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        bodies::engines(&bytes);
    }
}

/// Inputs that once broke something.
#[test]
fn what_was_found_once_is_not_found_again() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/cases");
    for case in std::fs::read_dir(cases).unwrap() {
        let path = case.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        match path.file_name().unwrap().to_str().unwrap().split('-').next() {
            Some("decode") => bodies::decode(&bytes),
            Some("engines") => bodies::engines(&bytes),
            other => panic!("no body for {other:?}"),
        }
    }
}

/// Writes what the fuzzer begins with: a frame of every sort. `FUZZ_SEEDS` names the folder.
#[test]
#[ignore = "see docs/quality.md"]
fn write_seeds() {
    let folder = std::path::PathBuf::from(std::env::var("FUZZ_SEEDS").expect("FUZZ_SEEDS"));
    std::fs::create_dir_all(&folder).unwrap();
    for (n, frame) in frames().iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{n}")), frame).unwrap();
    }
}
