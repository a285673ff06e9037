//! What was saved and cannot be gone on from.

use team_protocols::{Engine, Saved, Uses};

use crate::harness::{Counting, Store, at, name};
use crate::{Code, Row, planned, refused};

pub(crate) const ROWS: &[Row] = &[
    ("journal_gap", || {
        let journal = kept().journal;
        let second = journal.find('\n').unwrap() + 1;
        restored("alice", None, &journal[second..])
    }),
    ("nothing_saved", || restored("alice", None, "")),
    ("replay_diverged", || {
        let (first, second) = (kept().journal, resealed(&kept().journal, "src/**", "docs/**"));
        assert_ne!(first, second);
        restored("alice", None, &second)
    }),
    ("restored_twice", || {
        let journal = kept().journal;
        let last = journal.lines().last().unwrap();
        restored("alice", None, &format!("{journal}{last}\n"))
    }),
    ("saved_corrupt", || restored("alice", Some("{}"), "")),
    ("saved_foreign", || restored("bob", None, &kept().journal)),
    ("saved_newer", || restored("alice", Some("{\"snapshot\":2,\"bytes\":1,"), "")),
    ("saved_truncated", || {
        let snapshot = kept().snapshot.unwrap();
        restored("alice", Some(&snapshot[..snapshot.len() - 1]), "")
    }),
];

/// What alice has kept.
fn kept() -> Store {
    let (mut net, id) = planned(Uses::UntilReport);
    net.enter_gate("alice", "write:src/a").unwrap();
    net.report("alice", &id, true).unwrap();
    net.halt("alice")
}

fn restored(own: &str, snapshot: Option<&str>, journal: &str) -> Code {
    let ids = Box::new(Counting { member: 9, next: 0 });
    let saved = Saved { snapshot, journal };
    refused(&Engine::restore(at(0), &name(own), saved, ids).map(drop))
}

/// A journal in which something else was asked, with sums that fit.
fn resealed(journal: &str, from: &str, to: &str) -> String {
    let (mut after, mut text) = ("0".repeat(16), String::new());
    for line in journal.replace(from, to).lines() {
        let (_, rest) = line.split_once("\"v\":").unwrap();
        let rest = format!("\"after\":\"{after}\",\"v\":{rest}");
        after = blake3::hash(rest.as_bytes()).to_hex()[..16].to_owned();
        text.push_str(&format!("{{\"sum\":\"{after}\",{rest}\n"));
    }
    text
}
