//! Every order of events within bounds, over the real engine: three members, a network that loses,
//! doubles and reorders, clocks that go from one deadline to the next.
//!
//! An engine is not copied. What it is lies in its snapshot; what an input makes of a snapshot is
//! worked out once by a real engine and remembered ([`local`]). The model ([`team`]) is the network,
//! the hosts and the clock around that, and what must hold ([`properties`](team::Team::properties)).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test may fail by panicking"
)]

#[path = "harness/mod.rs"]
mod harness;
#[path = "model/local.rs"]
mod local;
#[path = "model/team.rs"]
mod team;

use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model};

use crate::team::{Bounds, Mistake, Story, Team};

/// Bounds of the ordinary run, or the wider ones of `npm run model`.
fn bounds(short: Bounds, long: Bounds) -> Bounds {
    if std::env::var_os("MODEL_LONG").is_some() { long } else { short }
}

/// Goes through everything; fails with the shortest way to what must not be.
fn exhaust(name: &str, story: Story, bounds: Bounds) -> usize {
    let started = Instant::now();
    let checker = Team::new(story, bounds, None).checker().threads(2).spawn_bfs().join();
    let (unique, all) = (checker.unique_state_count(), checker.state_count());
    let (depth, inputs) = (checker.max_depth(), checker.model().inputs());
    println!(
        "{name}: {unique} states ({all} with repeats), depth {depth}, {inputs} inputs of real \
         engines, {bounds:?}, {:.1} s",
        started.elapsed().as_secs_f64()
    );
    checker.assert_properties();
    unique
}

/// The way to what a planted mistake leads to.
fn found(story: Story, bounds: Bounds, mistake: Mistake) -> Option<(&'static str, usize)> {
    let checker = Team::new(story, bounds, Some(mistake)).checker();
    let checker = checker.finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let broken = checker.discoveries().into_iter().find(|(name, _)| name.starts_with("always"));
    broken.map(|(name, path)| {
        let steps = path.into_actions();
        println!("{mistake:?} breaks \"{name}\": {steps:#?}");
        (name, steps.len())
    })
}

#[test]
fn a_shutdown_and_a_plan() {
    let short = Bounds { losses: 1, doubles: 1, ticks: 0 };
    let long = Bounds { losses: 1, doubles: 0, ticks: 1 };
    let states = exhaust("handshake", Story::Handshake, bounds(short, long));
    assert!(states > 1_000, "{states}");
}

#[test]
fn a_plan_that_two_decide() {
    for (name, threshold, veto) in [("any of two", 1, false), ("both", 2, false), ("veto", 1, true)]
    {
        let short = Bounds { losses: 1, doubles: 1, ticks: 0 };
        let long = Bounds { losses: 1, doubles: 1, ticks: 1 };
        let story = Story::Quorum { threshold, veto };
        let states = exhaust(name, story, bounds(short, long));
        assert!(states > 500, "{states}");
    }
}

#[test]
fn a_circle_of_three() {
    let short = Bounds { losses: 0, doubles: 0, ticks: 0 };
    let long = Bounds { losses: 1, doubles: 0, ticks: 0 };
    let states = exhaust("deadlock", Story::Circle, bounds(short, long));
    assert!(states > 500, "{states}");
}

#[test]
fn a_circle_of_two_on_a_bad_network() {
    let short = Bounds { losses: 1, doubles: 1, ticks: 0 };
    let long = Bounds { losses: 1, doubles: 0, ticks: 1 };
    let states = exhaust("deadlock of two", Story::Pair, bounds(short, long));
    assert!(states > 500, "{states}");
}

#[test]
fn planted_mistakes_are_found() {
    let some = Bounds { losses: 0, doubles: 1, ticks: 1 };
    let quorum = Story::Quorum { threshold: 2, veto: false };
    for (story, mistake, property) in [
        (Story::Handshake, Mistake::NoBecomesYes, "always: no approval without its act"),
        (quorum, Mistake::NoBecomesYes, "always: no approval without its act"),
        (Story::Handshake, Mistake::OldSnapshot, "always: asked once, what was asked"),
        (Story::Pair, Mistake::NoProbes, "always: a circle is broken by one victim"),
    ] {
        let way = found(story, some, mistake);
        assert_eq!(way.map(|(name, _)| name), Some(property), "{mistake:?}");
    }
}
