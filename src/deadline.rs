//! Which moments the engine waits for, and which of them comes first.
//!
//! Owns [`DeadlineKind`] and the one queue. Each subject (a request, a member) has at most one
//! entry: the earliest of its own deadlines, which it works out itself. Imports `time`.

use std::num::NonZeroU64;

use serde::Serialize;

use crate::time::Timestamp;

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadlineKind {
    /// A request stayed without progress: it times out.
    Idle,
    /// A request reached its hard limit: it times out whatever the progress.
    Cap,
    /// An unanswered request is sent again; while it is paused, without reminding anybody.
    Reminder,
    /// A paused request has been paused as long as it may: its clocks go on.
    PauseEnd,
    /// A member that agreed to leave has not confirmed its exit.
    ExitGrace,
    /// An execution report that nobody acknowledged is sent again.
    Report,
    /// The report on work that this member approved has not come.
    ReportOverdue,
    /// A request that came in may no longer be answered.
    ObligationEnd,
    /// A request that has ended is asked again.
    AskAgain,
    /// A member heard from must be told that its frames arrive.
    Receipt,
    /// A silent member is judged.
    Judgement,
}

impl DeadlineKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Idle,
        Self::Cap,
        Self::Reminder,
        Self::PauseEnd,
        Self::ExitGrace,
        Self::Report,
        Self::ReportOverdue,
        Self::ObligationEnd,
        Self::AskAgain,
        Self::Receipt,
        Self::Judgement,
    ];
}

/// Whose deadline it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Subject {
    /// The request in this slot of the ledger.
    Request(usize),
    /// The member at this place of the roster.
    Member(usize),
}

/// The earliest deadline of every subject.
///
/// Two dense arrays with a cached bound: setting, clearing and asking "is anything due" cost the
/// same for ten entries and for a million; a sweep that finds something reads the array once.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadlineQueue {
    requests: Lane,
    members: Lane,
}

impl DeadlineQueue {
    /// Sets, moves or clears the deadline of a subject.
    pub(crate) fn set(&mut self, subject: Subject, at: Option<Timestamp>) {
        match subject {
            Subject::Request(slot) => self.requests.set(slot, at),
            Subject::Member(index) => self.members.set(index, at),
        }
    }

    /// No deadline lies before this point; `None` when there is none at all. Exact for small
    /// teams; above [`EXACT_BELOW`] entries it may be early, and the sweep then finds nothing.
    pub(crate) fn earliest(&self) -> Option<Timestamp> {
        match (self.requests.bound(), self.members.bound()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The subjects whose deadline has come, requests first, each in order of place.
    pub(crate) fn due(&mut self, now: Timestamp) -> Vec<Subject> {
        let mut due = Vec::new();
        self.requests.due(now, |slot| due.push(Subject::Request(slot)));
        self.members.due(now, |index| due.push(Subject::Member(index)));
        due
    }
}

/// One dense array.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// `after(at)` per place.
    at: Vec<Option<NonZeroU64>>,
    /// How many places are taken.
    taken: usize,
    /// No entry is earlier; meaningless while `taken` is zero.
    bound: u64,
}

impl Lane {
    fn set(&mut self, place: usize, at: Option<Timestamp>) {
        if place >= self.at.len() {
            if at.is_none() {
                return;
            }
            self.at.resize(place + 1, None);
        }
        let Some(entry) = self.at.get_mut(place) else { return };
        let new = at.map(encode);
        let old = std::mem::replace(entry, new);
        self.taken = self.taken + usize::from(new.is_some()) - usize::from(old.is_some());
        match new {
            Some(new) if self.taken == 1 || new.get() < self.bound => self.bound = new.get(),
            _ if self.at.len() <= EXACT_BELOW && old.is_some_and(|old| old.get() == self.bound) => {
                self.rebuild();
            }
            _ => {}
        }
    }

    fn bound(&self) -> Option<Timestamp> {
        (self.taken > 0).then(|| Timestamp::from_ms(self.bound - 1))
    }

    fn due(&mut self, now: Timestamp, mut found: impl FnMut(usize)) {
        let limit = encode(now);
        if self.taken == 0 || self.bound > limit.get() {
            return;
        }
        for (place, entry) in self.at.iter().enumerate() {
            if entry.is_some_and(|at| at <= limit) {
                found(place);
            }
        }
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.bound = self.at.iter().flatten().min().map_or(0, |at| at.get());
    }
}

/// Shifts by one so that "none" needs no room of its own.
fn encode(at: Timestamp) -> NonZeroU64 {
    NonZeroU64::MIN.saturating_add(at.as_ms())
}

/// Up to this many places the bound is exact after every change.
const EXACT_BELOW: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Option<Timestamp> {
        Some(Timestamp::from_ms(ms))
    }

    #[test]
    fn nothing_is_due_before_its_time_and_late_means_at_the_deadline() {
        let mut queue = DeadlineQueue::default();
        queue.set(Subject::Request(3), at(10));
        assert_eq!(queue.due(Timestamp::from_ms(9)), []);
        assert_eq!(queue.due(Timestamp::from_ms(10)), [Subject::Request(3)]);
        assert_eq!(queue.due(Timestamp::from_ms(10)), [Subject::Request(3)], "until it is moved");
    }

    #[test]
    fn the_earliest_follows_every_change_of_a_small_queue() {
        let mut queue = DeadlineQueue::default();
        assert_eq!(queue.earliest(), None);
        queue.set(Subject::Request(0), at(50));
        queue.set(Subject::Member(1), at(20));
        assert_eq!(queue.earliest(), at(20));
        queue.set(Subject::Member(1), at(70));
        assert_eq!(queue.earliest(), at(50));
        queue.set(Subject::Request(0), None);
        assert_eq!(queue.earliest(), at(70));
        queue.set(Subject::Member(1), None);
        assert_eq!(queue.earliest(), None);
        queue.set(Subject::Request(9), None);
        assert_eq!(queue.earliest(), None, "clearing what was never set is nothing");
    }

    #[test]
    fn the_bound_of_a_large_queue_is_never_late() {
        let mut queue = DeadlineQueue::default();
        for slot in 0..1000 {
            queue.set(Subject::Request(slot), at(1000 - slot as u64));
        }
        queue.set(Subject::Request(999), None);
        assert!(queue.earliest() <= at(2));
        assert_eq!(queue.due(Timestamp::from_ms(1)), [], "the bound was early");
        assert_eq!(queue.earliest(), at(2), "and is exact after the sweep");
        assert_eq!(queue.due(Timestamp::from_ms(3)).len(), 2);
    }

    #[test]
    fn the_first_and_the_last_moment_can_be_deadlines() {
        let mut queue = DeadlineQueue::default();
        queue.set(Subject::Member(0), at(u64::MAX - 1));
        queue.set(Subject::Request(0), at(0));
        assert_eq!(queue.earliest(), at(0));
        assert_eq!(queue.due(Timestamp::from_ms(0)), [Subject::Request(0)]);
        assert_eq!(queue.due(Timestamp::from_ms(u64::MAX)).len(), 2);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Whatever is set and cleared in whatever order: the queue says what a plain map says.
        #[test]
        fn the_queue_agrees_with_a_map(
            changes in proptest::collection::vec((0..100usize, proptest::bool::ANY, proptest::option::of(0..50u64)), 0..200),
            now in 0..60u64,
        ) {
            let (mut queue, mut map) = (DeadlineQueue::default(), std::collections::BTreeMap::new());
            for (place, request, when) in changes {
                let subject = if request { Subject::Request(place) } else { Subject::Member(place) };
                queue.set(subject, when.map(Timestamp::from_ms));
                match when {
                    Some(when) => map.insert(subject, Timestamp::from_ms(when)),
                    None => map.remove(&subject),
                };
                let first = map.values().min().copied();
                assert_eq!(queue.earliest().is_some(), first.is_some());
                assert!(queue.earliest() <= first, "it may be early and is never late");
            }
            let now = Timestamp::from_ms(now);
            let due: Vec<Subject> = map.iter().filter(|(_, at)| **at <= now).map(|(of, _)| *of).collect();
            assert_eq!(queue.due(now), due);
        }
    }
}
