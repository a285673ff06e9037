//! What the simulations have reached, and what they never have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use team_protocols::{Alarm, Cause, DropReason, Lang, Status, catalogue};

/// Which inputs can meet a request in which status, as far as that is seen from outside: by the
/// frame, call or event that brings them.
const PAIRS: [(&str, &[Status], &[&str]); 8] = [
    (
        "asked",
        &[Status::Pending],
        &["exited", "deadlock", "due", "gone", "approver_gone", "send_failed"],
    ),
    (
        "asked",
        &Status::ALL,
        &["response", "progress", "acknowledged", "cancel", "pause", "unpause", "finish"],
    ),
    ("asked", &[Status::Approved], &["exited", "rolled_back", "due"]),
    ("owed", &[Status::Pending], &["defer", "due", "gone"]),
    ("owed", &Status::ALL, &["asked_again", "told", "decide"]),
    ("owed", &[Status::Rejected], &["reopen"]),
    ("asked", &[Status::Rejected], &["reopened"]),
    ("owed", &[Status::Approved], &["report", "progress", "exited", "due"]),
];

/// Counts of everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    /// How many inputs engines were given.
    pub(crate) inputs: u64,
    pub(crate) scripts: u64,
    pairs: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    codes: BTreeMap<(&'static str, &'static str), u64>,
}

impl Coverage {
    /// An input met a request in this status.
    pub(crate) fn met(&mut self, mine: bool, status: Status, input: &'static str) {
        let side = if mine { "asked" } else { "owed" };
        *self.pairs.entry((side, status.name(), input)).or_insert(0) += 1;
    }

    /// Something with a name happened: a drop, a refusal, an alarm, a cause.
    pub(crate) fn seen(&mut self, family: &'static str, code: &'static str) {
        *self.codes.entry((family, code)).or_insert(0) += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.scripts += other.scripts;
        for (pair, count) in &other.pairs {
            *self.pairs.entry(*pair).or_insert(0) += count;
        }
        for (code, count) in &other.codes {
            *self.codes.entry(*code).or_insert(0) += count;
        }
    }

    /// How many pairs of status and input were met, of how many that exist.
    pub(crate) fn pairs_met(&self) -> (usize, usize) {
        let all = pairs();
        (all.iter().filter(|pair| self.pairs.contains_key(pair)).count(), all.len())
    }

    pub(crate) fn count(&self, family: &str, code: &str) -> u64 {
        let fits = |((f, c), _): &(&(&str, &str), &u64)| *f == family && *c == code;
        self.codes.iter().find(fits).map_or(0, |(_, count)| *count)
    }

    /// The report for people.
    pub(crate) fn report(&self) -> String {
        let mut out = String::new();
        let (met, all) = self.pairs_met();
        writeln!(out, "status × input: {met} of {all} pairs reached").unwrap();
        for (side, status, input) in pairs() {
            if !self.pairs.contains_key(&(side, status, input)) {
                writeln!(out, "  never: {side} {status} × {input}").unwrap();
            }
        }
        for (how, count) in self.codes.iter().filter(|((family, _), _)| *family == "ended") {
            writeln!(out, "process ended {}: {count}", how.1).unwrap();
        }
        let everything = [
            ("dropped", DropReason::ALL.map(DropReason::code).to_vec()),
            ("alarm", Alarm::ALL.map(Alarm::name).to_vec()),
            ("cause", Cause::ALL.map(Cause::name).to_vec()),
            ("refused", errors()),
        ];
        for (family, names) in everything {
            let reached: Vec<_> = names.iter().filter(|n| self.count(family, n) > 0).collect();
            let never: Vec<_> = names.iter().filter(|n| self.count(family, n) == 0).collect();
            writeln!(out, "{family}: {} of {} reached", reached.len(), names.len()).unwrap();
            for name in reached {
                writeln!(out, "  {:>9} {name}", self.count(family, name)).unwrap();
            }
            if !never.is_empty() {
                writeln!(out, "  never: {never:?}").unwrap();
            }
        }
        out
    }
}

/// Every pair that exists.
fn pairs() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut pairs = Vec::new();
    for (side, statuses, inputs) in PAIRS {
        for status in statuses {
            pairs.extend(inputs.iter().map(|input| (side, status.name(), *input)));
        }
    }
    pairs
}

/// The codes of errors, without those of frames that no member of ours sends and of configurations.
fn errors() -> Vec<&'static str> {
    let of = |info: team_protocols::CodeInfo| {
        let here = matches!(info.family, "not_now" | "invalid" | "misuse");
        here.then_some(info.code)
    };
    catalogue(Lang::En).filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}
