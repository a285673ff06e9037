//! Which frames of one sender were seen: bounded memory against repeats.

use serde::Serialize;

use crate::stored::from_store;

/// Remembers the numbers of the last [`WINDOW`] frames of one life of one sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SeqWindow {
    /// The highest number seen; 0 before the first.
    highest: u64,
    /// One bit per number: bit `n % WINDOW` for number `n`, while it is in the window.
    seen: [u64; WORDS],
}

from_store!(struct SeqWindow { highest, seen });

/// What the window says of a frame that is not new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Seen before.
    Duplicate,
    /// Too old to tell: below the watermark.
    Stale,
}

impl SeqWindow {
    /// A window that has seen nothing.
    pub(crate) const fn new() -> Self {
        Self { highest: 0, seen: [0; WORDS] }
    }

    /// Whether a frame with this number is new.
    pub(crate) fn check(&self, seq: u64) -> Result<(), Repeat> {
        if seq > self.highest {
            return Ok(());
        }
        if self.highest - seq >= WINDOW {
            return Err(Repeat::Stale);
        }
        if self.word(seq) & bit(seq) != 0 { Err(Repeat::Duplicate) } else { Ok(()) }
    }

    /// Remembers the number of a frame that `check` let pass.
    pub(crate) fn note(&mut self, seq: u64) {
        if seq > self.highest {
            // Numbers that enter the window now were not seen; at most the whole window.
            let skipped = (seq - self.highest).min(WINDOW);
            for entered in (seq - skipped + 1)..=seq {
                self.set(entered, false);
            }
            self.highest = seq;
        }
        self.set(seq, true);
    }

    fn word(&self, seq: u64) -> u64 {
        self.seen.get(place(seq)).copied().unwrap_or(0)
    }

    fn set(&mut self, seq: u64, seen: bool) {
        if let Some(word) = self.seen.get_mut(place(seq)) {
            *word = if seen { *word | bit(seq) } else { *word & !bit(seq) };
        }
    }
}

const fn place(seq: u64) -> usize {
    ((seq % WINDOW) / 64) as usize
}

const fn bit(seq: u64) -> u64 {
    1 << (seq % 64)
}

const WORDS: usize = 16;

/// 1 024 frames: more than any transport of the field reorders by.
const WINDOW: u64 = 64 * WORDS as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn seen(numbers: &[u64]) -> SeqWindow {
        let mut window = SeqWindow::new();
        numbers.iter().for_each(|n| window.note(*n));
        window
    }

    #[test]
    fn order_does_not_matter_inside_the_window() {
        let window = seen(&[5, 3, 9]);
        assert_eq!(window.check(4), Ok(()));
        assert_eq!(window.check(3), Err(Repeat::Duplicate));
        assert_eq!(window.check(9), Err(Repeat::Duplicate));
        assert_eq!(window.check(10), Ok(()));
    }

    #[test]
    fn what_lies_below_the_watermark_is_stale() {
        let window = seen(&[1, 2_000]);
        assert_eq!(window.check(2_000 - WINDOW), Err(Repeat::Stale));
        assert_eq!(window.check(2_000 - WINDOW + 1), Ok(()));
        assert_eq!(window.check(1), Err(Repeat::Stale));
    }

    #[test]
    fn it_agrees_with_a_set_that_forgets_nothing() {
        let mut window = SeqWindow::new();
        let mut all = BTreeSet::new();
        let mut number = 1_u64;
        for step in 0..20_000_u64 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let seq = 1 + step / 2 + (number >> 33) % 900;
            if window.check(seq).is_ok() {
                assert!(all.insert(seq), "{seq} passed twice");
                window.note(seq);
            } else {
                assert!(all.contains(&seq), "{seq} is new and was refused");
            }
        }
    }
}
