//! Hostile members, outsiders and models: what they send is refused with its code, changes no state,
//! and lets neither the journal nor memory grow.
//!
//! Frames that are malformed one by one are in `tests/bad_input`; here are those that are well-formed,
//! come at the wrong time, from the wrong one, or in masses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "hostile/blows.rs"]
mod blows;
#[path = "harness/mod.rs"]
mod harness;
#[path = "hostile/models.rs"]
mod models;
#[path = "hostile/stage.rs"]
mod stage;

use crate::blows::BLOWS;
use crate::harness::verdict;
use crate::models::MODELS;
use crate::stage::{Blow, Stage};

/// Plays what leads up to the last frame, and says what that frame did.
fn strike(expected: &str, lead_up: fn(&mut Stage) -> Blow) -> Result<(), String> {
    let mut stage = Stage::new();
    let Blow { victim, channel, frame } = lead_up(&mut stage);
    let net = &mut stage.net;
    let shown: String = frame.chars().take(300).collect();
    let shown = format!("{expected}: {channel} to {victim}: {shown}");
    let fault = |what: String| Err(format!("{what}: {shown}"));
    net.set_now(net.now() + 1);
    let known = net.engine(&victim).team().iter().any(|of| of.name.as_str() == channel);
    let heard = |net: &harness::Net| known.then(|| net.view(&victim, &channel).last_heard_at);
    let (before, heard_before) = (stage::State::of(net, &victim), heard(net));
    let disposition = net.send(&channel, &victim, &frame);
    let after = stage::State::of(net, &victim);
    if verdict(&disposition) != expected {
        return fault(verdict(&disposition).to_owned());
    }
    if (&after.hash, &after.statuses) != (&before.hash, &before.statuses) {
        return fault(format!("{after:?} after {before:?}"));
    }
    // An authentic frame is a sign of life, and a repeat counts towards a storm: the journal must
    // know of that, and of nothing else.
    let counts = heard(net) != heard_before || ["duplicate", "stale_frame"].contains(&expected);
    if after.lines - before.lines != usize::from(counts) {
        return fault(format!("{} lines, counts: {counts}", after.lines - before.lines));
    }
    Ok(())
}

#[test]
fn every_hostile_sequence_is_refused_with_its_code_and_leaves_no_trace() {
    assert!(BLOWS.len() >= 60, "{}", BLOWS.len());
    let faults = BLOWS.iter().filter_map(|(expected, lead_up)| strike(expected, *lead_up).err());
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn what_no_member_could_have_sent_writes_no_line() {
    let silent = [
        "forged",
        "from_self",
        "unknown_sender",
        "stale_incarnation",
        "unannounced_life",
        "misaddressed",
        "broadcast_frame",
        "sender_left",
        "receiver_left",
    ];
    let rows = BLOWS.iter().filter(|(code, _)| silent.contains(code));
    let mut seen = 0;
    for (_, lead_up) in rows {
        let mut stage = Stage::new();
        let Blow { victim, channel, frame } = lead_up(&mut stage);
        let lines = stage.lines(&victim);
        for _ in 0..50 {
            stage.net.send(&channel, &victim, &frame);
        }
        assert_eq!(stage.lines(&victim), lines, "{frame}");
        seen += 1;
    }
    assert!(seen >= 25, "{seen}");
}

#[test]
fn what_a_model_writes_wrongly_is_refused_and_leaves_no_trace() {
    let mut faults = Vec::new();
    for (expected, own, input) in MODELS {
        let mut stage = Stage::new();
        let input = stage.fill(input);
        let before = stage::State::of(&stage.net, own);
        let posted = stage.net.network.posted;
        let done = stage.net.act(own, |engine, now| engine.call_tool(now, &input));
        let untouched = stage::State::of(&stage.net, own) == before;
        let refused = done.as_ref().err().map(|error| error.code());
        if refused != Some(expected) || !untouched || stage.net.network.posted != posted {
            faults.push(format!("{refused:?} for {expected}, {untouched}: {own}: {input}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
