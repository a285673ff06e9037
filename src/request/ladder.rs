//! A request that is asked again by itself, until it is approved or was asked often enough.
//!
//! Each attempt is a request of its own; the ladder goes from one to the next with what they have
//! in common.

use serde::Serialize;

use crate::ids::RequestId;
use crate::message::{Attempt, Status};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// How a request is asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Ladder {
    /// How many requests there may be, the first one included.
    pub(crate) attempts: u32,
    /// How long to wait after one that names no time.
    pub(crate) wait: Millis,
    /// How long to wait at most, whatever a refusal says.
    pub(crate) longest: Millis,
    /// The idle limit of each.
    pub(crate) timeout: Millis,
    /// The hard limit of each.
    pub(crate) cap: Millis,
    /// The requests so far, in order.
    pub(crate) requests: Vec<RequestId>,
    /// How many of them were refused.
    pub(crate) refused: u32,
    /// When the next one goes out; `None` while one waits for its answer.
    pub(crate) next_at: Option<Timestamp>,
}

from_store!(struct Ladder { attempts, wait, longest, timeout, cap, requests, refused, next_at });

impl Ladder {
    /// How often it was asked.
    pub(crate) fn attempt(&self) -> Attempt {
        let attempt = u32::try_from(self.requests.len()).unwrap_or(u32::MAX);
        Attempt { attempt, of: self.attempts, next_at: self.next_at }
    }

    /// The ladder after its request has ended like this, and whether it is asked again. Only a
    /// refusal and a timeout are worth another attempt; `retry_after` is what the refusal says.
    pub(crate) fn after(
        self,
        status: Status,
        retry_after: Option<Millis>,
        now: Timestamp,
    ) -> (Self, bool) {
        let refused = self.refused + u32::from(status == Status::Rejected);
        let again = matches!(status, Status::Rejected | Status::TimedOut)
            && self.attempt().attempt < self.attempts;
        let wait = retry_after.unwrap_or(self.wait).min(self.longest);
        (Self { refused, next_at: again.then(|| now.after(wait)), ..self }, again)
    }

    /// The ladder with the next request.
    pub(crate) fn asked(mut self, id: RequestId) -> Self {
        self.requests.push(id);
        Self { next_at: None, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(times: u128) -> Ladder {
        Ladder {
            attempts: 3,
            wait: Millis::new(60),
            longest: Millis::new(1_000),
            timeout: Millis::new(10),
            cap: Millis::new(20),
            requests: (0..times).map(RequestId::from_random).collect(),
            refused: 0,
            next_at: None,
        }
    }

    fn next(times: u128, status: Status, retry_after: Option<u64>) -> Option<u64> {
        let retry_after = retry_after.map(Millis::new);
        let (ladder, again) = asked(times).after(status, retry_after, Timestamp::from_ms(500));
        assert_eq!(ladder.next_at.is_some(), again);
        assert_eq!(ladder.refused, u32::from(status == Status::Rejected));
        ladder.next_at.map(Timestamp::as_ms)
    }

    #[test]
    fn a_refusal_says_when_to_ask_again_within_a_bound() {
        assert_eq!(next(1, Status::Rejected, Some(90)), Some(590));
        assert_eq!(next(1, Status::Rejected, Some(0)), Some(500));
        assert_eq!(next(1, Status::Rejected, None), Some(560));
        assert_eq!(next(1, Status::Rejected, Some(5_000)), Some(1_500));
        assert_eq!(next(2, Status::TimedOut, None), Some(560));
    }

    #[test]
    fn it_ends_with_the_last_attempt_and_with_whatever_is_no_failure() {
        assert_eq!(next(3, Status::Rejected, Some(90)), None);
        assert_eq!(next(3, Status::TimedOut, None), None);
        assert_eq!(next(1, Status::Approved, None), None);
        assert_eq!(next(1, Status::Cancelled, None), None);
    }

    #[test]
    fn the_next_request_ends_the_wait() {
        let (ladder, _) = asked(1).after(Status::Rejected, None, Timestamp::from_ms(0));
        let ladder = ladder.asked(RequestId::from_random(9));
        assert_eq!(ladder.attempt(), Attempt { attempt: 2, of: 3, next_at: None });
    }
}
