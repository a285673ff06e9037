//! How alive a member is, judged apart from its requests.
//!
//! A timeout settles a request at once. What it says about the member is judged later, after
//! waiting mail had time to speak for it.

use serde::Serialize;

use crate::time::Timestamp;

/// How alive a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// Nothing speaks against it.
    Active,
    /// It said that it will be silent for a while.
    Busy,
    /// It agreed to leave and has not confirmed its exit.
    Leaving,
    /// It has left.
    Left,
    /// It shows signs of life and does not answer.
    Suspect,
    /// It shows no sign of life, or has not answered several times in a row.
    Lost,
}

/// A judgement that is still out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// When it falls.
    pub(crate) at: Timestamp,
    /// Since when a sign of life counts for the member.
    pub(crate) since: Timestamp,
}

/// How a judgement falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Alive, but it does not answer.
    Suspect,
    /// Given up.
    Lost,
}

impl Judgement {
    /// Judges a member by when it was last heard and how often it did not answer in a row.
    pub(crate) fn verdict(
        self,
        last_heard: Option<Timestamp>,
        strikes: u32,
        limit: u32,
    ) -> Verdict {
        let silent = last_heard.is_none_or(|at| at < self.since);
        if silent || strikes >= limit { Verdict::Lost } else { Verdict::Suspect }
    }
}

impl Liveness {
    /// The name that people and programs see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Busy => "busy",
            Self::Leaving => "leaving",
            Self::Left => "left",
            Self::Suspect => "suspect",
            Self::Lost => "lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    const OUT: Judgement = Judgement { at: Timestamp::from_ms(99), since: Timestamp::from_ms(50) };

    #[test]
    fn no_sign_of_life_since_the_request_means_lost() {
        assert_eq!(OUT.verdict(None, 1, 3), Verdict::Lost);
        assert_eq!(OUT.verdict(Some(ms(49)), 1, 3), Verdict::Lost);
        assert_eq!(OUT.verdict(Some(ms(50)), 1, 3), Verdict::Suspect);
    }

    #[test]
    fn a_member_that_lives_and_never_answers_is_lost_after_the_last_strike() {
        assert_eq!(OUT.verdict(Some(ms(90)), 2, 3), Verdict::Suspect);
        assert_eq!(OUT.verdict(Some(ms(90)), 3, 3), Verdict::Lost);
    }
}
