//! Every code of the catalogue comes out of the public API: a row for each, with the shortest
//! history that ends in it.
//!
//! No row makes an error, drop or alarm itself. A code without a row, and a row without a code,
//! fail; so does a row whose history ends in another code or family.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "reached/alarm.rs"]
mod alarm;
#[path = "reached/configuration.rs"]
mod configuration;
#[path = "reached/dropped.rs"]
mod dropped;
#[path = "harness/mod.rs"]
mod harness;
#[path = "reached/invalid.rs"]
mod invalid;
#[path = "reached/misuse.rs"]
mod misuse;
#[path = "reached/not_now.rs"]
mod not_now;
#[path = "reached/undecodable.rs"]
mod undecodable;
#[path = "reached/unrestorable.rs"]
mod unrestorable;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use team_protocols::{Alarm, Disposition, DropReason, Lang, Plan, ProtocolError, Uses, catalogue};

use crate::harness::{Called, Frame, LEAD, Net, digest, plan};

/// A code and its family.
type Code = (&'static str, &'static str);

/// A code, and a history that ends in it. The history returns what it ended in.
type Row = (&'static str, fn() -> Code);

/// The rows of each family.
const FAMILIES: [(&str, &[Row]); 8] = [
    ("undecodable", undecodable::ROWS),
    ("invalid", invalid::ROWS),
    ("not_now", not_now::ROWS),
    ("misuse", misuse::ROWS),
    ("configuration", configuration::ROWS),
    ("dropped", dropped::ROWS),
    ("alarm", alarm::ROWS),
    ("unrestorable", unrestorable::ROWS),
];

/// Codes for what only JavaScript can hand in, where Rust has a type that rules it out: the code,
/// the variant behind it, and what `tests/js/codes.test.mjs` must do to see it.
const ONLY_FROM_JAVASCRIPT: [(&str, &str, &str); 4] = [
    ("bad_clock", "BadClock", "new Engine(options, NaN), and any command with such a `now`"),
    ("bad_option", "BadOption", "new Engine({ ...options, timeout: 1 }, now), and lang: \"fr\""),
    ("bad_span", "BadSpan", "engine.requestShutdown(now, \"alice\", { timeoutMs: -1 })"),
    ("no_randomness", "NoRandomness", "new Engine(options, now) without `globalThis.crypto`"),
];

#[test]
fn every_code_comes_out_of_the_public_api() {
    for (family, rows) in FAMILIES {
        for (code, reach) in rows {
            assert_eq!(reach(), (*code, family), "the row of `{code}`");
        }
    }
}

#[test]
fn every_code_has_one_row_unless_only_javascript_can_reach_it() {
    let rows = FAMILIES.iter().flat_map(|(family, rows)| rows.iter().map(|row| (row.0, *family)));
    let elsewhere = ONLY_FROM_JAVASCRIPT.iter().map(|(code, ..)| (*code, "misuse"));
    let mut reached: Vec<Code> = rows.chain(elsewhere).collect();
    let mut known: Vec<Code> = catalogue(Lang::En).map(|info| (info.code, info.family)).collect();
    reached.sort_unstable();
    known.sort_unstable();
    assert_eq!(reached, known);
}

#[test]
fn what_only_javascript_can_reach_is_made_at_its_boundary_and_nowhere_else() {
    for (code, variant, _) in ONLY_FROM_JAVASCRIPT {
        let makes = |file: &&PathBuf| {
            let source = fs::read_to_string(file).unwrap();
            source.contains(&format!("Misuse::{variant}"))
        };
        let rooms: BTreeSet<String> =
            sources().iter().filter(makes).map(|file| room(file)).collect();
        // The errors name each variant once more, to explain it.
        let expected = ["error", "wasm"].map(str::to_owned);
        assert_eq!(rooms, BTreeSet::from(expected), "{code}");
    }
}

// ---- what a history ended in ----

/// The code of a refused call.
fn refused<T: Debug>(result: &Called<T>) -> Code {
    of_error(result.as_ref().expect_err("should have been refused"))
}

/// The code of a dropped or refused frame.
fn judged(disposition: &Disposition) -> Code {
    match disposition {
        Disposition::Dropped(reason) => (DropReason::code(*reason), "dropped"),
        Disposition::Refused(error) => of_error(error),
        Disposition::Accepted(_)
        | Disposition::Settled(_)
        | Disposition::VoteRecorded(_)
        | Disposition::Noted(_) => {
            panic!("a frame was good for something: {disposition:?}")
        }
    }
}

/// The only alarm that a member's host was told of.
fn alarmed(net: &Net, own: &str) -> Code {
    let alarms = net.alarms(own);
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    (alarms[0].name(), "alarm")
}

/// One of several alarms, by its place.
fn nth_alarm(net: &Net, own: &str, place: usize) -> Code {
    (Alarm::name(net.alarms(own)[place]), "alarm")
}

fn of_error(error: &ProtocolError) -> Code {
    (error.code(), error.family().name())
}

// ---- teams to begin with ----

/// A lead, alice and bob, of whom nobody has said anything.
fn team() -> Net {
    Net::team(&["alice", "bob"])
}

/// The lead has asked alice to leave.
fn asked() -> (Net, String) {
    let mut net = team();
    let id = net.ask_shutdown("alice");
    (net, id)
}

/// Alice has agreed to leave.
fn leaving() -> (Net, String) {
    let (mut net, id) = asked();
    net.approve("alice", &id);
    (net, id)
}

/// Alice has said that she has left.
fn left() -> Net {
    let mut net = team();
    net.exit("alice").unwrap();
    net
}

/// Alice gave no sign of life when she was asked, and is given up.
fn lost() -> Net {
    let mut net = team();
    net.network.part("alice", LEAD);
    net.ask_shutdown("alice");
    net.advance(65_000);
    net
}

/// The lead has approved a plan of alice's.
fn planned(uses: Uses) -> (Net, String) {
    let mut net = team();
    let id = net.submit("alice", plan(), uses);
    net.approve(LEAD, &id);
    (net, id)
}

/// Alice's frame came again and again, more often than a lead with tight bounds bears.
fn stormed() -> Net {
    let mut net = Net::with(&["alice"], |config| {
        config.limits.open_per_member = 1;
        config.limits.repeats_per_request = 1;
    });
    for _ in 0..3 {
        net.send("alice", LEAD, &idle().text());
    }
    net
}

// ---- frames and tool calls by hand ----

/// A frame of alice's to the lead.
fn from_alice(message: Value) -> Frame {
    Frame::from_worker(1, "alice", message)
}

/// A sign of life of alice's.
fn idle() -> Frame {
    from_alice(json!({"type": "idle"}))
}

/// Alice's answer to a shutdown.
fn answer(id: &str, approve: bool, seq: u64) -> Frame {
    let message = json!({"type": "shutdown_response", "request_id": id, "approve": approve,
                         "reason": "busy"});
    from_alice(message).seq(seq)
}

/// Alice's plan under an id of her choice.
fn plan_request(id: &str, plan: &Plan, seq: u64) -> Frame {
    let message = json!({"type": "plan_approval_request", "request_id": id, "plan": plan});
    from_alice(message).seq(seq)
}

/// The lead's yes to a plan of alice's that may be used once.
fn plan_answer(id: &str, plan: &Plan) -> Frame {
    let message = json!({"type": "plan_approval_response", "request_id": id, "approve": true,
                         "digest": digest(plan, Uses::Once)});
    Frame::from_lead("alice", message)
}

/// What the lead makes of a frame on alice's channel.
fn at_lead(net: &mut Net, frame: &Frame) -> Code {
    judged(&net.send("alice", LEAD, &frame.text()))
}

// ---- the source ----

/// Every file of the core.
fn sources() -> Vec<PathBuf> {
    let mut folders = vec![root()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
    files
}

/// The room that a file belongs to.
fn room(file: &Path) -> String {
    let inside = file.strip_prefix(root()).unwrap();
    let first = Path::new(inside.components().next().unwrap().as_os_str());
    first.file_stem().unwrap().to_string_lossy().into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
