//! Where one request stands.

use serde::Serialize;

use super::clocks::Clocks;
use super::input::{Answer, Decider};
use super::quorum::Ballot;
use crate::deadline::DeadlineKind;
use crate::message::{Cause, Payload, Status};
use crate::stored::from_store;
use crate::time::{Millis, Timestamp};

/// The state of one request, as one of its two sides sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// We asked: we settle.
    Asked(Asked),
    /// We were asked: we answer.
    Owed(Owed),
}

from_store!(enum State {
    "asked" => Asked(_),
    "owed" => Owed(_),
});

/// The requester's side. Everything but `Pending` is final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// No outcome yet.
    Pending(Clocks, Ballot),
    /// The other side said yes; what it leads to may still be open.
    Approved(Settlement, Feedback),
    /// The other side said no.
    Rejected(Settlement),
    /// Nobody decided in time.
    TimedOut(Settlement),
    /// Ended without a decision.
    Cancelled(Settlement),
}

from_store!(enum Asked {
    "pending" => Pending(_, _),
    "approved" => Approved(_, _),
    "rejected" => Rejected(_),
    "timed_out" => TimedOut(_),
    "cancelled" => Cancelled(_),
});

/// The answering side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Owed {
    /// The host must answer.
    Open {
        /// Until when an answer can still reach the requester in time.
        until: Timestamp,
    },
    /// A critical section holds the request back from the host.
    Deferred {
        /// Until when an answer can still reach the requester in time.
        until: Timestamp,
    },
    /// We said yes.
    Approved(Answer, Feedback),
    /// We said no.
    Rejected(Answer),
    /// Over, and not by our answer alone.
    Closed {
        /// How the requester, or the clock, ended it.
        status: Status,
        /// Who or what ended it.
        cause: Cause,
    },
}

from_store!(enum Owed {
    "open" => Open { until },
    "deferred" => Deferred { until },
    "approved" => Approved(_, _),
    "rejected" => Rejected(_),
    "closed" => Closed { status, cause },
});

/// How a request was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settlement {
    /// When.
    pub at: Timestamp,
    /// Who or what did it.
    pub cause: Cause,
    /// The member that decided; `None` when nobody did.
    pub by: Option<Decider>,
    /// The reason or feedback that came with it.
    pub note: Option<String>,
    /// When to ask again, from then.
    pub retry_after: Option<Millis>,
    /// What the kind defines as an answer.
    pub payload: Option<Payload>,
    /// Every vote, where several members were asked.
    pub ballot: Ballot,
}

from_store!(struct Settlement { at, cause, by, note, retry_after, payload, ballot });

/// What an approval still leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// To nothing: the kind means no more by it.
    Nothing,
    /// The member that approved is leaving; its confirmation is due.
    ExitDue {
        /// When the grace ends.
        by: Timestamp,
    },
    /// It has not confirmed within the grace.
    ExitOverdue,
    /// It has left.
    Exited,
    /// The work may be done; its report is to come.
    ReportDue {
        /// When it is overdue; `None` for the member that owes it, and once that was told.
        by: Option<Timestamp>,
    },
    /// The report is under way; its receipt is due.
    ReportSent {
        /// What it says.
        report: WorkReport,
        /// When it is sent again.
        again_at: Timestamp,
        /// How often it may still be sent.
        left: u32,
    },
    /// The work was reported.
    Reported {
        /// What the report said.
        report: WorkReport,
    },
    /// It will not come: the member that owed it is gone.
    Abandoned,
}

from_store!(enum Feedback {
    "nothing" => Nothing,
    "exit_due" => ExitDue { by },
    "exit_overdue" => ExitOverdue,
    "exited" => Exited,
    "report_due" => ReportDue { by },
    "report_sent" => ReportSent { report, again_at, left },
    "reported" => Reported { report },
    "abandoned" => Abandoned,
});

/// What an execution report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorkReport {
    /// Whether the work succeeded.
    pub ok: bool,
    /// Whether what failed was undone, once that is known.
    pub rolled_back: Option<bool>,
}

from_store!(struct WorkReport { ok, rolled_back });

impl WorkReport {
    /// A first report.
    #[must_use]
    pub const fn first(ok: bool) -> Self {
        Self { ok, rolled_back: None }
    }

    /// The report of the same work that comes next, when its compensation has ended. Failed work is
    /// undone once; what could not be undone may be tried again.
    #[must_use]
    pub const fn then(self, rolled_back: bool) -> Option<Self> {
        match (self.ok, self.rolled_back, rolled_back) {
            (false, None, _) | (false, Some(false), true) => {
                Some(Self { ok: false, rolled_back: Some(rolled_back) })
            }
            (true, _, _) | (false, Some(_), _) => None,
        }
    }

    /// Whether that is a later report of the same work; frames of earlier ones may come after it.
    pub(super) fn leads_to(self, later: Self) -> bool {
        later.rolled_back.is_some_and(|undone| self.then(undone) == Some(later))
    }
}

impl Settlement {
    /// One at this time that nobody decided; the cause is to be filled in.
    pub(super) const fn at(at: Timestamp) -> Self {
        let cause = Cause::Clock;
        let ballot = Ballot { stage: 0, votes: Vec::new() };
        Self { at, cause, by: None, note: None, retry_after: None, payload: None, ballot }
    }
}

impl State {
    /// The status that people see.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Asked(Asked::Pending(..))
            | Self::Owed(Owed::Open { .. } | Owed::Deferred { .. }) => Status::Pending,
            Self::Asked(Asked::Approved(..)) | Self::Owed(Owed::Approved(..)) => Status::Approved,
            Self::Asked(Asked::Rejected(_)) | Self::Owed(Owed::Rejected(_)) => Status::Rejected,
            Self::Asked(Asked::TimedOut(_)) => Status::TimedOut,
            Self::Asked(Asked::Cancelled(_)) => Status::Cancelled,
            Self::Owed(Owed::Closed { status, .. }) => *status,
        }
    }

    /// The votes, on the side that asked.
    #[must_use]
    pub const fn ballot(&self) -> Option<&Ballot> {
        match self {
            Self::Asked(Asked::Pending(_, ballot)) => Some(ballot),
            Self::Asked(
                Asked::Approved(settlement, _)
                | Asked::Rejected(settlement)
                | Asked::TimedOut(settlement)
                | Asked::Cancelled(settlement),
            ) => Some(&settlement.ballot),
            Self::Owed(_) => None,
        }
    }

    /// How it was settled, on the side that settles.
    #[must_use]
    pub const fn settlement(&self) -> Option<&Settlement> {
        match self {
            Self::Asked(
                Asked::Approved(settlement, _)
                | Asked::Rejected(settlement)
                | Asked::TimedOut(settlement)
                | Asked::Cancelled(settlement),
            ) => Some(settlement),
            Self::Asked(Asked::Pending(..)) | Self::Owed(_) => None,
        }
    }

    /// What an approval still leads to.
    #[must_use]
    pub const fn feedback(&self) -> Option<Feedback> {
        match self {
            Self::Asked(Asked::Approved(_, feedback)) | Self::Owed(Owed::Approved(_, feedback)) => {
                Some(*feedback)
            }
            Self::Asked(
                Asked::Pending(..) | Asked::Rejected(_) | Asked::TimedOut(_) | Asked::Cancelled(_),
            )
            | Self::Owed(
                Owed::Open { .. } | Owed::Deferred { .. } | Owed::Rejected(_) | Owed::Closed { .. },
            ) => None,
        }
    }

    /// Whether anything more is expected of either side.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        let feedback_due = matches!(
            self.feedback(),
            Some(
                Feedback::ExitDue { .. }
                    | Feedback::ExitOverdue
                    | Feedback::ReportDue { .. }
                    | Feedback::ReportSent { .. }
            )
        );
        matches!(self.status(), Status::Pending) || feedback_due
    }

    /// When this request wants to be looked at next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Asked(Asked::Pending(clocks, _)) => Some(clocks.next()),
            Self::Asked(Asked::Approved(_, Feedback::ExitDue { by })) => Some(*by),
            Self::Asked(Asked::Approved(_, Feedback::ReportSent { again_at, .. })) => {
                Some(*again_at)
            }
            Self::Owed(Owed::Open { until } | Owed::Deferred { until }) => Some(*until),
            Self::Owed(Owed::Approved(_, Feedback::ReportDue { by })) => *by,
            Self::Asked(_) | Self::Owed(_) => None,
        }
    }

    /// What is due now, if anything.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<DeadlineKind> {
        if self.next_deadline().is_none_or(|at| now < at) {
            return None;
        }
        match self {
            Self::Asked(Asked::Pending(clocks, _)) => clocks.due(now),
            Self::Asked(Asked::Approved(_, Feedback::ReportSent { .. })) => {
                Some(DeadlineKind::Report)
            }
            Self::Asked(_) => Some(DeadlineKind::ExitGrace),
            Self::Owed(Owed::Approved(..)) => Some(DeadlineKind::ReportOverdue),
            Self::Owed(_) => Some(DeadlineKind::ObligationEnd),
        }
    }
}
