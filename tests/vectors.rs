//! Scenarios as data, which the JavaScript package runs too. `vectors/README.md` has the format.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "scenario/commands.rs"]
mod commands;
#[path = "scenario/expect.rs"]
mod expect;
#[path = "harness/mod.rs"]
mod harness;
#[path = "scenario/names.rs"]
mod names;
#[path = "scenario/play.rs"]
mod play;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

fn scenarios() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/scenarios");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, value)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_scenario_comes_out_as_written() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 15, "{} scenarios", scenarios.len());
    for (name, scenario) in scenarios {
        play::play(&name, &scenario);
    }
}

#[test]
fn every_command_of_the_format_is_used_by_some_scenario() {
    let mut used = BTreeSet::new();
    for (_, scenario) in scenarios() {
        for step in scenario["steps"].as_array().unwrap() {
            used.extend(step["command"].as_str().map(str::to_owned));
        }
    }
    let known: BTreeSet<String> = commands::ALL.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(used, known);
}

/// A runner that checks nothing would pass everything.
#[test]
fn a_scenario_that_expects_something_else_fails() {
    for (wrong, part) in [
        (r#"{"command":"say","at":"team-lead","args":["alice","hi"],"error":"closed"}"#, "hi"),
        (r#"{"command":"say","at":"team-lead","args":["alcie","hi"]}"#, "unknown_recipient"),
        (r#"{"advance":1,"deadline":{"alice":5}}"#, "deadline"),
        (r#"{"advance":1,"events":{"alice":[{"type":"alarm"}]}}"#, "events"),
        (r#"{"frame":"x","from":"alice","to":"team-lead","disposition":"orphan"}"#, "disposition"),
        (r#"{"advance":1,"liveness":{"team-lead":{"alice":"lost"}}}"#, "liveness"),
        (r#"{"advance":1,"mail":[["team-lead","alice","text"]]}"#, "mail"),
        (r#"{"advance":1,"typo":[]}"#, "typo"),
    ] {
        let scenario = format!(r#"{{"about":"x","workers":["alice"],"steps":[{wrong}]}}"#);
        let scenario: Value = serde_json::from_str(&scenario).unwrap();
        let outcome = std::panic::catch_unwind(|| play::play("wrong", &scenario));
        let message = outcome.expect_err(wrong);
        let message = message.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(message.contains(part), "{wrong}: {message}");
    }
}
