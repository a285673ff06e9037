//! How often one sender repeats itself: where frames can get lost, repeats are normal up to a
//! bound; beyond it they are a storm, and are not answered.
//!
//! The count is kept per sender in windows of fixed length. What a window may hold is so high that
//! no peer that keeps the rules comes near it (see `Limits::repeats_per_request`):
//!
//! - the bound covers every request that may be open when the window begins;
//! - each request that begins in the window raises it by what may be repeated about that request.
//!
//! Beyond the bound a repeat is dropped as `throttled` and gets no reply until the window is over,
//! and one alarm tells of it. Only repeats are counted and held back. A frame that settles a
//! request, begins one or says something for the first time is none, so a storm keeps no answer
//! out; and of every sort of repeat the first one in a window passes, so that it hides no
//! contradiction either.

use serde::Serialize;

use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// What a sender says again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// A frame, a decision or news that came before.
    Said,
    /// A frame older than what is remembered of its sender.
    OldFrame,
    /// A request that we know.
    Request,
    /// Something about a request that is over.
    Late,
    /// Something about a request that we do not know.
    Orphan,
    /// The opposite of a decision that stands.
    Contradiction,
    /// Another request under an id in use.
    ReusedId,
    /// That it is idle.
    Idle,
}

/// How one sender has repeated itself in the present window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Repeats {
    /// When the window began; `None` before the first repeat or request.
    since: Option<Timestamp>,
    /// How many came.
    count: u32,
    /// How many more are borne, for requests that began in this window.
    earned: u32,
    /// Which sorts of repeat came: one bit each.
    sorts: u16,
    /// Whether the storm was told.
    told: bool,
}

from_store!(struct Repeats { since, count, earned, sorts, told });

impl Repeats {
    /// Whether a repeat of this sort, coming now, is beyond the bound.
    pub(crate) fn is_beyond(self, now: Timestamp, window: Millis, bound: u32, sort: Again) -> bool {
        let present = self.at(now, window);
        let known = present.sorts & bit(sort) != 0;
        known && present.count >= bound.saturating_add(present.earned)
    }

    /// Counts a repeat.
    pub(crate) fn count(&mut self, now: Timestamp, window: Millis, sort: Again) {
        *self = self.at(now, window);
        self.count = self.count.saturating_add(1);
        self.sorts |= bit(sort);
    }

    /// A repeat was beyond the bound. Whether it is the first one, of which the host is told.
    pub(crate) fn tell(&mut self) -> bool {
        !std::mem::replace(&mut self.told, true)
    }

    /// A request began: so many repeats about it are borne in this window.
    pub(crate) fn earn(&mut self, now: Timestamp, window: Millis, repeats: u32) {
        *self = self.at(now, window);
        self.earned = self.earned.saturating_add(repeats);
    }

    /// The window of this moment: the present one, or a new one.
    fn at(self, now: Timestamp, window: Millis) -> Self {
        match self.since {
            Some(since) if now < since.after(window) => self,
            Some(_) | None => Self { since: Some(now), ..Self::default() },
        }
    }
}

const fn bit(sort: Again) -> u16 {
    1 << sort as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Millis = Millis::new(100);
    const BOUND: u32 = 3;

    fn ms(ms: u64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn beyond(repeats: Repeats, at: u64, sort: Again) -> bool {
        repeats.is_beyond(ms(at), WINDOW, BOUND, sort)
    }

    #[test]
    fn the_storm_begins_beyond_the_bound_is_told_once_and_ends_with_the_window() {
        let mut repeats = Repeats::default();
        let mut at = |at: u64| {
            let beyond = beyond(repeats, at, Again::Said);
            if beyond {
                return (true, repeats.tell());
            }
            repeats.count(ms(at), WINDOW, Again::Said);
            (false, false)
        };
        assert_eq!([at(0), at(1), at(2)], [(false, false); 3]);
        assert_eq!([at(3), at(4), at(99)], [(true, true), (true, false), (true, false)]);
        assert_eq!([at(100), at(101), at(102)], [(false, false); 3]);
        assert_eq!(at(103), (true, true));
    }

    #[test]
    fn the_first_repeat_of_a_sort_passes_whatever_came_before() {
        let mut repeats = Repeats::default();
        for _ in 0..9 {
            repeats.count(ms(0), WINDOW, Again::Said);
        }
        assert!(!beyond(repeats, 1, Again::Contradiction));
        repeats.count(ms(1), WINDOW, Again::Contradiction);
        assert!(beyond(repeats, 2, Again::Contradiction));
    }

    #[test]
    fn a_request_that_begins_in_the_window_raises_its_bound() {
        let mut repeats = Repeats::default();
        repeats.earn(ms(0), WINDOW, 2);
        for _ in 0..5 {
            assert!(!beyond(repeats, 1, Again::Request));
            repeats.count(ms(1), WINDOW, Again::Request);
        }
        assert!(beyond(repeats, 1, Again::Request));
        repeats.earn(ms(2), WINDOW, 1);
        assert!(!beyond(repeats, 2, Again::Request));
    }

    #[test]
    fn every_sort_has_a_bit_of_its_own() {
        let all = [
            Again::Said,
            Again::OldFrame,
            Again::Request,
            Again::Late,
            Again::Orphan,
            Again::Contradiction,
            Again::ReusedId,
            Again::Idle,
        ];
        assert_eq!(all.iter().fold(0, |bits, sort| bits | bit(*sort)).count_ones(), 8);
    }
}
