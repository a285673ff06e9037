//! Whole teams under simulation: one seed decides everything, and after every step the laws of the
//! protocol must hold.
//!
//! A run that breaks a law is shortened to the lines that matter and printed; [`replay`] plays it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test may fail by panicking"
)]
#![allow(clippy::manual_is_multiple_of, reason = "`a % 3 == 0` says: one time in three")]

#[path = "sim/answering.rs"]
mod answering;
#[path = "sim/asking.rs"]
mod asking;
#[path = "sim/bad.rs"]
mod bad;
#[path = "sim/coverage.rs"]
mod coverage;
#[path = "sim/faults.rs"]
mod faults;
#[path = "harness/mod.rs"]
mod harness;
#[path = "sim/laws/mod.rs"]
mod laws;
#[path = "sim/play.rs"]
mod play;
#[path = "sim/script.rs"]
mod script;
#[path = "sim/shrink.rs"]
mod shrink;
#[path = "sim/world/mod.rs"]
mod world;

use std::time::Instant;

use crate::coverage::Coverage;
use crate::faults::Fault;
use crate::play::{attempt, failure, law_of, play};
use crate::script::Script;
use crate::shrink::shrink;

/// Lines of one script: long enough for circles to form and members to come back.
const LENGTH: usize = 400;

/// Plays a script from its text; fails if it breaks a law.
fn replay(text: &str) -> Coverage {
    play(&Script::parse(text), None)
}

/// Plays the scripts of many seeds; one that fails is shortened and told.
fn simulate(first: u64, enough: impl Fn(&Coverage) -> bool) -> Coverage {
    let mut all = Coverage::default();
    let mut seed = first;
    while !enough(&all) {
        let script = Script::of_seed(seed, LENGTH);
        match attempt(&script, None) {
            Ok(coverage) => all.add(&coverage),
            Err(_) => tell(&script),
        }
        seed += 1;
    }
    all
}

fn tell(script: &Script) -> ! {
    let why = failure(script, None).unwrap_or_default();
    let law = law_of(&why).to_owned();
    let fails = |script: &Script| failure(script, None).is_some_and(|w| law_of(&w) == law);
    let shortest = shrink(script, fails);
    let why = failure(&shortest, None).unwrap_or_default();
    let lines = shortest.ops.len();
    panic!("seed {} breaks a law.\n{why}\n{lines} lines:\n{shortest}", script.shape.seed)
}

#[test]
fn the_laws_hold_over_a_hundred_thousand_inputs() {
    let started = Instant::now();
    let coverage = simulate(1, |all| all.inputs >= 100_000);
    println!("{} inputs in {:?}", coverage.inputs, started.elapsed());
    println!("{}", coverage.report());
}

#[test]
fn the_same_seed_is_the_same_run() {
    let of = |seed| play(&Script::of_seed(seed, 150), None).report();
    assert_eq!(of(3), of(3));
}

#[test]
fn a_script_is_played_from_its_text() {
    let script = Script::of_seed(5, 60);
    assert_eq!(Script::parse(&script.to_string()), script);
    let played = replay(&script.to_string());
    assert_eq!(played.report(), play(&script, None).report());
    assert!(played.inputs > 60);
}

/// Every law objects to a fault that is planted in what it is told.
#[test]
fn every_planted_fault_is_seen_by_its_law() {
    let mut missed = Vec::new();
    for (fault, law) in Fault::ALL {
        let seen = |seed| {
            let why = failure(&Script::of_seed(seed, 250), Some(fault))?;
            (law_of(&why) == law).then_some(seed)
        };
        if (1..60).find_map(seen).is_none() {
            missed.push((fault, law));
        }
    }
    assert_eq!(missed, []);
    let judged: std::collections::BTreeSet<_> = Fault::ALL.iter().map(|(_, law)| *law).collect();
    assert_eq!(judged, laws::LAWS.into(), "laws that no fault has shown to work");
}

/// What the harness checks after every frame objects too: to a frame that had another fate than it
/// says, and to one that was dropped and left a trace.
#[test]
fn a_frame_with_two_fates_is_seen() {
    use team_protocols::{Disposition, DropReason, Noted, Sender};
    let objects = |tell: fn(Disposition) -> Disposition| {
        let mut net = harness::Net::team(&["alice"]);
        let text = harness::Frame::from_worker(1, "alice", serde_json::json!("hello")).text();
        let node = net.node_mut(harness::LEAD);
        let before = node.watch.before_frame(&node.engine);
        let now = harness::at(1);
        let told = tell(node.engine.handle_frame(now, &text, Sender::Channel("alice")));
        let check = || node.watch.after_frame(&node.engine, &before, &told, &[]);
        let objected = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err();
        // Its effects were not taken: there is nothing to compare with its journal.
        node.store = harness::Store::default();
        objected
    };
    assert!(!objects(|told| told));
    assert!(objects(|_| Disposition::Dropped(DropReason::Late)));
    assert!(objects(|_| Disposition::Settled(team_protocols::RequestId::parse("r").unwrap())));
    assert!(!objects(|_| Disposition::Noted(Noted::IdleAgain)), "which note it is does not matter");
}

/// The shortest script of a planted fault has only the lines that lead to it.
#[test]
fn a_failing_script_is_shortened_to_what_matters() {
    let fault = Some(Fault::TextTwice);
    let fails = |script: &Script| failure(script, fault).is_some_and(|w| law_of(&w) == "text once");
    let script = (1..60).map(|seed| Script::of_seed(seed, 120)).find(|script| fails(script));
    let shortest = shrink(&script.unwrap(), fails);
    let verbs: Vec<_> = shortest.ops.iter().map(|op| op.verb.name()).collect();
    assert!(matches!(verbs[..], ["say" | "tool"]), "{shortest}");
    assert!(fails(&Script::parse(&shortest.to_string())));
}

/// The story of one script: every line, frame and event. `SIMULATE_SCRIPT` names its file.
#[test]
#[ignore = "for a script that fails; `npm run simulate -- --script FILE` runs it"]
fn story() {
    let file = std::env::var("SIMULATE_SCRIPT").expect("SIMULATE_SCRIPT names a file");
    let script = Script::parse(&std::fs::read_to_string(file).unwrap());
    println!("{}", play::tell(&script).report());
}

/// The long run: `SIMULATE_EVENTS` inputs from `SIMULATE_SEED` on.
#[test]
#[ignore = "long; `npm run simulate` runs it"]
fn long_run() {
    let number = |name: &str, usual| {
        let text = std::env::var(name);
        text.map_or(usual, |text| text.replace('_', "").parse().expect("a number"))
    };
    let (events, seed) = (number("SIMULATE_EVENTS", 10_000_000), number("SIMULATE_SEED", 1));
    let started = Instant::now();
    let told = std::cell::Cell::new(0);
    let coverage = simulate(seed, |all| {
        if all.inputs / 500_000 > told.get() {
            told.set(all.inputs / 500_000);
            println!("{} inputs, {:.0} s", all.inputs, started.elapsed().as_secs_f64());
        }
        all.inputs >= events
    });
    let seconds = started.elapsed().as_secs_f64();
    let rate = coverage.inputs as f64 / seconds;
    let (inputs, scripts) = (coverage.inputs, coverage.scripts);
    println!(
        "{inputs} inputs in {scripts} scripts from seed {seed}, {seconds:.0} s: {rate:.0} a second"
    );
    println!("{}", coverage.report());
}
