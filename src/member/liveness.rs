//! Whether a silent member is still there, judged apart from its requests.
//!
//! A timeout settles a request at once. What it says about the member is judged later, after
//! waiting mail had time to speak for it.

use serde::Serialize;

use crate::stored::from_store;
use crate::time::Timestamp;

/// A judgement that is still out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Judgement {
    /// When it falls.
    pub(crate) at: Timestamp,
    /// After when a sign of life counts for the member.
    pub(crate) since: Timestamp,
    /// Whether it was put off once, because the host had slept over it.
    pub(crate) adjourned: bool,
}

from_store!(struct Judgement { at, since, adjourned });

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
        // In the very millisecond of the request it may have been before it.
        let silent = last_heard.is_none_or(|at| at <= self.since);
        if silent || strikes >= limit { Verdict::Lost } else { Verdict::Suspect }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    const OUT: Judgement =
        Judgement { at: Timestamp::from_ms(99), since: Timestamp::from_ms(50), adjourned: false };

    #[test]
    fn no_sign_of_life_since_the_request_means_lost() {
        assert_eq!(OUT.verdict(None, 1, 3), Verdict::Lost);
        assert_eq!(OUT.verdict(Some(ms(50)), 1, 3), Verdict::Lost);
        assert_eq!(OUT.verdict(Some(ms(51)), 1, 3), Verdict::Suspect);
    }

    #[test]
    fn a_member_that_lives_and_never_answers_is_lost_after_the_last_strike() {
        assert_eq!(OUT.verdict(Some(ms(90)), 2, 3), Verdict::Suspect);
        assert_eq!(OUT.verdict(Some(ms(90)), 3, 3), Verdict::Lost);
    }
}
