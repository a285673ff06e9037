//! Points in time and spans of it, both in whole milliseconds.
//!
//! Owns the two number types and the arithmetic that cannot overflow. Imports nothing.

use serde::Serialize;

use crate::stored::from_store;

/// A point in time: milliseconds since the Unix epoch, given by the host with every input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

from_store!(newtype Timestamp);

/// A span of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Millis(u64);

from_store!(newtype Millis);

impl Timestamp {
    /// A point `ms` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// Reads a host clock. `None` for NaN, infinities, negative values and values past the
    /// integers a JavaScript number holds exactly.
    #[must_use]
    pub fn from_host_clock(ms: f64) -> Option<Self> {
        Millis::from_host_number(ms).map(|Millis(ms)| Self(ms))
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_ms(self) -> u64 {
        self.0
    }

    /// The point `span` later; stays at the end of time instead of wrapping.
    #[must_use]
    pub const fn after(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The span from `earlier` to here; zero when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl Millis {
    /// The largest span accepted from outside: the largest integer a JavaScript number holds
    /// exactly (2^53 - 1).
    pub const MAX_FROM_OUTSIDE: u64 = (1 << 53) - 1;

    /// A span of `ms` milliseconds.
    #[must_use]
    pub const fn new(ms: u64) -> Self {
        Self(ms)
    }

    /// Reads a host's number; a fraction is cut off. `None` for NaN, infinities, negative values
    /// and values above [`Self::MAX_FROM_OUTSIDE`].
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the range is checked first"
    )]
    pub fn from_host_number(ms: f64) -> Option<Self> {
        let in_range = ms >= 0.0 && ms <= Self::MAX_FROM_OUTSIDE as f64;
        in_range.then_some(Self(ms as u64))
    }

    /// The span in milliseconds.
    #[must_use]
    pub const fn as_ms(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_clock_that_is_no_time_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.5, 9_007_199_254_740_992.0]
        {
            assert_eq!(Timestamp::from_host_clock(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_fraction_of_a_millisecond_is_cut_off() {
        assert_eq!(Timestamp::from_host_clock(12.9), Some(Timestamp::from_ms(12)));
        assert_eq!(Timestamp::from_host_clock(-0.0), Some(Timestamp::from_ms(0)));
    }

    #[test]
    fn arithmetic_stops_at_the_ends_of_time() {
        let end = Timestamp::from_ms(u64::MAX);
        assert_eq!(end.after(Millis::new(1)), end);
        assert_eq!(Timestamp::from_ms(1).since(end), Millis::new(0));
    }
}
