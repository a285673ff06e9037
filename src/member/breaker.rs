//! The breaker: no requests to a member that is lost, except for one short trial.

use serde::Serialize;

use crate::stored::from_store;
use crate::time::Timestamp;

/// Whether requests to a member are let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Breaker {
    /// All of them.
    Closed,
    /// None until `until`; then half-open.
    Open { until: Timestamp },
    /// One, with a short limit: `trying` while it is under way.
    HalfOpen { trying: bool },
}

from_store!(enum Breaker {
    "closed" => Closed,
    "open" => Open { until },
    "half_open" => HalfOpen { trying },
});

/// How a request may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// As it is.
    Free,
    /// As a trial, with the short limit.
    Trial,
    /// Not at all; perhaps later.
    Blocked { until: Option<Timestamp> },
}

impl Breaker {
    /// How a request may go out now.
    pub(crate) fn passage(self, now: Timestamp) -> Passage {
        match self {
            Self::Closed => Passage::Free,
            Self::Open { until } if now < until => Passage::Blocked { until: Some(until) },
            Self::HalfOpen { trying: true } => Passage::Blocked { until: None },
            Self::Open { .. } | Self::HalfOpen { trying: false } => Passage::Trial,
        }
    }

    /// A trial went out.
    pub(crate) fn trial(&mut self) {
        *self = Self::HalfOpen { trying: true };
    }

    /// An authentic frame came in from the member.
    pub(crate) fn heard(&mut self) {
        if let Self::Open { .. } = self {
            *self = Self::HalfOpen { trying: false };
        }
    }

    /// The trial ended without a decision, and the member was not lost over it.
    pub(crate) fn trial_over(&mut self) {
        if let Self::HalfOpen { trying } = self {
            *trying = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_turns_half_open_after_the_cool_down_and_lets_one_trial_through() {
        let mut breaker = Breaker::Open { until: Timestamp::from_ms(10) };
        let blocked = Passage::Blocked { until: Some(Timestamp::from_ms(10)) };
        assert_eq!(breaker.passage(Timestamp::from_ms(9)), blocked);
        assert_eq!(breaker.passage(Timestamp::from_ms(10)), Passage::Trial);
        breaker.trial();
        assert_eq!(breaker.passage(Timestamp::from_ms(11)), Passage::Blocked { until: None });
        breaker.trial_over();
        assert_eq!(breaker.passage(Timestamp::from_ms(12)), Passage::Trial);
    }

    #[test]
    fn a_frame_opens_it_halfway_at_once_and_does_not_disturb_a_trial() {
        let mut breaker = Breaker::Open { until: Timestamp::from_ms(10) };
        breaker.heard();
        assert_eq!(breaker.passage(Timestamp::from_ms(1)), Passage::Trial);
        breaker.trial();
        breaker.heard();
        assert_eq!(breaker, Breaker::HalfOpen { trying: true });
        let mut closed = Breaker::Closed;
        closed.heard();
        assert_eq!(closed, Breaker::Closed);
    }
}
