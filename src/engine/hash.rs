//! The state hash: the same for the same history, whatever machine computed it.

use std::collections::BinaryHeap;
use std::fmt;

use super::Engine;
use super::ledger::{Content, Entry};
use crate::ids::RequestId;
use crate::message::{Digest, FieldHasher, Payload};
use crate::request::{
    Asked, Ballot, Feedback, Ladder, Owed, Settlement, State, Vote, WorkReport, WorkState,
};
use crate::time::Timestamp;

/// A hash over ledger, roster and gate. Counters and last-seen times are not part of it, so it
/// stays the same over everything that changes no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(Digest);

/// Hashes of different schemas cannot be compared; this one is in front of the text.
const SCHEMA: &str = "s1";

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEMA}:{}", self.0)
    }
}

impl Engine {
    /// The hash of what this engine knows.
    #[must_use]
    pub fn state_hash(&self) -> StateHash {
        let mut input = FieldHasher::new("team-protocols state s1");
        input.text(1, self.config.member.as_str());
        for (index, member) in self.roster.iter() {
            input.text(2, member.name.as_str());
            member.roles.iter().for_each(|role| input.text(3, role.name()));
            input.text(4, &member.incarnation.map(|life| life.to_string()).unwrap_or_default());
            input.text(5, member.presence.name());
            input.number(6, u64::from(member.strikes));
            self.ledger.early(index).for_each(|id| input.text(13, id.as_str()));
            let entries = self.ledger.iter().filter(|(_, entry)| entry.peer == index);
            let entries: BinaryHeap<_> =
                entries.map(|(slot, entry)| (entry.opened_at, &entry.id, slot)).collect();
            for (_, _, slot) in entries.into_sorted_vec() {
                self.ledger.get(slot).into_iter().for_each(|entry| entry_into(&mut input, entry));
            }
        }
        for (request_id, uses, spent) in self.gate.open_for() {
            input.text(7, request_id.as_str());
            input.text(8, uses.name());
            input.number(9, u64::from(spent));
        }
        input.text(12, self.gate.held_by().map_or("", RequestId::as_str));
        self.sections.names().for_each(|name| input.text(10, name));
        input.number(11, u64::from(self.closed));
        StateHash(input.finish())
    }
}

fn entry_into(input: &mut FieldHasher, entry: &Entry) {
    input.text(20, entry.id.as_str());
    input.text(21, entry.content.kind().name());
    input.number(22, entry.opened_at.as_ms());
    input.text(25, entry.lineage.root.as_ref().map_or("", RequestId::as_str));
    input.number(26, entry.lineage.length as u64);
    input.number(27, entry.lineage.appeals as u64);
    input.number(28, u64::from(entry.lineage.reopened));
    match &entry.content {
        Content::Shutdown { reason } => input.text(23, reason.as_deref().unwrap_or_default()),
        Content::Plan { digest, .. } | Content::Other { digest, .. } => {
            input.text(24, &digest.to_string())
        }
    }
    match &entry.state {
        State::Asked(asked) => asked_into(input, asked),
        State::Owed(owed) => owed_into(input, owed),
    }
    if let Some(feedback) = entry.state.feedback() {
        feedback_into(input, feedback);
    }
    if let Some(Ladder { attempts, wait, longest, timeout, cap, requests, refused, next_at }) =
        entry.ladder.as_deref()
    {
        for number in [u64::from(*attempts), u64::from(*refused)] {
            input.number(90, number);
        }
        [wait, longest, timeout, cap].iter().for_each(|span| input.number(91, span.as_ms()));
        requests.iter().for_each(|id| input.text(92, id.as_str()));
        input.number(93, next_at.map_or(0, |at| at.as_ms().saturating_add(1)));
    }
    for work in entry.works.iter() {
        input.text(70, &work.name);
        input.number(71, work.cause as u64);
        let (tag, run) = match work.state {
            WorkState::Waiting => (0, 0),
            WorkState::Due { run } => (5, run),
            WorkState::Running { run, since: _ } => (1, run),
            WorkState::Done => (2, 0),
            WorkState::Failed => (3, 0),
            WorkState::Interrupted => (4, 0),
        };
        input.number(72, tag);
        input.number(73, u64::from(run));
    }
}

fn asked_into(input: &mut FieldHasher, asked: &Asked) {
    let settled = |input: &mut FieldHasher, settlement: &Settlement| {
        let Settlement { at, cause, by, note, retry_after, payload, ballot } = settlement;
        input.number(31, at.as_ms());
        input.text(32, cause.name());
        input.number(33, by.map_or(0, |by| 1 + by.0 as u64));
        input.text(34, note.as_deref().unwrap_or_default());
        input.number(35, retry_after.map_or(0, |span| 1 + span.as_ms()));
        ballot_into(input, ballot);
        input.text(39, payload.as_ref().map_or("", Payload::as_json));
    };
    match asked {
        Asked::Pending(clocks, ballot) => {
            ballot_into(input, ballot);
            input.number(30, 1);
            input.number(36, clocks.expires_at().as_ms());
            input.number(37, clocks.cap_at().as_ms());
            input.number(38, u64::from(clocks.reminded()));
            let paused = clocks.paused_until();
            input.number(60, paused.map_or(0, |until| until.as_ms().saturating_add(1)));
            input.number(61, clocks.paused_for().as_ms());
            input.number(62, u64::from(clocks.told_in_pause()));
        }
        Asked::Approved(settlement, _) => {
            input.number(30, 2);
            settled(input, settlement);
        }
        Asked::Rejected(settlement) => {
            input.number(30, 3);
            settled(input, settlement);
        }
        Asked::TimedOut(settlement) => {
            input.number(30, 4);
            settled(input, settlement);
        }
        Asked::Cancelled(settlement) => {
            input.number(30, 5);
            settled(input, settlement);
        }
    }
}

fn ballot_into(input: &mut FieldHasher, ballot: &Ballot) {
    input.number(80, ballot.stage as u64);
    for Vote { by, choice, counted, note, informed } in &ballot.votes {
        input.number(81, by.0 as u64);
        input.number(82, *choice as u64);
        input.number(83, u64::from(*counted) * 2 + u64::from(*informed));
        input.text(84, note.as_deref().unwrap_or_default());
    }
}

fn owed_into(input: &mut FieldHasher, owed: &Owed) {
    let ends = |input: &mut FieldHasher, tag: u64, until: Timestamp| {
        input.number(40, tag);
        input.number(41, until.as_ms());
    };
    match owed {
        Owed::Open { until } => ends(input, 1, *until),
        Owed::Deferred { until } => ends(input, 2, *until),
        Owed::Approved(answer, _) | Owed::Rejected(answer) => {
            input.number(40, if answer.approve { 3 } else { 4 });
            input.text(42, answer.note.as_deref().unwrap_or_default());
        }
        Owed::Closed { status, cause } => {
            input.number(40, 5);
            input.text(43, status.name());
            input.text(44, cause.name());
        }
    }
}

fn feedback_into(input: &mut FieldHasher, feedback: Feedback) {
    let (tag, value) = match feedback {
        Feedback::Nothing => (8, 0),
        Feedback::ExitDue { by } => (1, by.as_ms()),
        Feedback::ExitOverdue => (2, 0),
        Feedback::Exited => (3, 0),
        Feedback::ReportDue { by } => (4, by.map_or(0, |by| by.as_ms().saturating_add(1))),
        Feedback::Reported { report } => (5, report_number(report)),
        Feedback::Abandoned => (6, 0),
        Feedback::ReportSent { report, again_at, left } => {
            input.number(52, again_at.as_ms());
            input.number(53, u64::from(left));
            (7, report_number(report))
        }
    };
    input.number(50, tag);
    input.number(51, value);
}

/// The report without a compensation counts as it always did.
fn report_number(report: WorkReport) -> u64 {
    let undone = match report.rolled_back {
        None => 0,
        Some(false) => 2,
        Some(true) => 4,
    };
    undone + u64::from(report.ok)
}
