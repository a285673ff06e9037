//! Work that a request names: what runs when it is approved, and what undoes work that failed.
//!
//! The engine never runs anything: it tells the host to, exactly once, and is told how it went.

use serde::Serialize;

use crate::message::WorkCause;
use crate::stored::from_store;
use crate::time::Timestamp;

/// How far work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkState {
    /// What it waits for has not happened.
    Waiting,
    /// The host was told to run it, and has not said that it began.
    Due {
        /// Which run of the request's works this is, from 1.
        run: u32,
    },
    /// The host has begun.
    Running {
        /// Which run it is.
        run: u32,
        /// When it began.
        since: Timestamp,
    },
    /// It ran and succeeded.
    Done,
    /// It ran and failed.
    Failed,
    /// It ran when its host ended, and nobody knows how far it came; or its host could not begin.
    Interrupted,
}

from_store!(enum WorkState {
    "waiting" => Waiting,
    "due" => Due { run },
    "running" => Running { run, since },
    "done" => Done,
    "failed" => Failed,
    "interrupted" => Interrupted,
});

impl WorkState {
    /// The run that is under way.
    const fn run(self) -> Option<u32> {
        match self {
            Self::Due { run } | Self::Running { run, .. } => Some(run),
            Self::Waiting | Self::Done | Self::Failed | Self::Interrupted => None,
        }
    }
}

/// What can happen to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkInput {
    /// What it waits for has happened.
    Start {
        /// The number of the run that is due.
        run: u32,
    },
    /// The host wants it again.
    Rerun {
        /// The number of the run that is due.
        run: u32,
    },
    /// The host begins.
    Began {
        /// Which run.
        run: u32,
        /// The time.
        now: Timestamp,
    },
    /// A run is over.
    Ended {
        /// Which one.
        run: u32,
        /// Whether it succeeded.
        ok: bool,
    },
    /// Its host ended, or does not know how to run it.
    Interrupt,
}

/// Moves work. Pure; `None` where the input does not fit, and nothing changes then.
#[must_use]
pub fn work_transition(state: WorkState, input: WorkInput) -> Option<WorkState> {
    match (state, input) {
        (WorkState::Waiting, WorkInput::Start { run })
        | (WorkState::Failed | WorkState::Interrupted, WorkInput::Rerun { run }) => {
            Some(WorkState::Due { run })
        }
        (WorkState::Due { run }, WorkInput::Began { run: begun, now }) if run == begun => {
            Some(WorkState::Running { run, since: now })
        }
        (
            WorkState::Due { run } | WorkState::Running { run, .. },
            WorkInput::Ended { run: ended, ok },
        ) if run == ended => Some(if ok { WorkState::Done } else { WorkState::Failed }),
        (WorkState::Due { .. } | WorkState::Running { .. }, WorkInput::Interrupt) => {
            Some(WorkState::Interrupted)
        }
        (
            WorkState::Waiting
            | WorkState::Due { .. }
            | WorkState::Running { .. }
            | WorkState::Done
            | WorkState::Failed
            | WorkState::Interrupted,
            WorkInput::Start { .. }
            | WorkInput::Rerun { .. }
            | WorkInput::Began { .. }
            | WorkInput::Ended { .. }
            | WorkInput::Interrupt,
        ) => None,
    }
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Work {
    /// What the host knows it by.
    pub(crate) name: String,
    pub(crate) cause: WorkCause,
    pub(crate) state: WorkState,
}

from_store!(struct Work { name, cause, state });

/// The works of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Works {
    works: Vec<Work>,
    /// How many runs were due so far.
    runs: u32,
}

from_store!(struct Works { works, runs });

impl Works {
    /// The works that a request names.
    pub(crate) fn named(on_approved: Option<String>, compensation: Option<String>) -> Self {
        let work = |cause| move |name| Work { name, cause, state: WorkState::Waiting };
        let works = on_approved.map(work(WorkCause::Approved)).into_iter();
        let works = works.chain(compensation.map(work(WorkCause::Compensation))).collect();
        Self { works, runs: 0 }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Work> {
        self.works.iter()
    }

    /// Whether the host is at work, or is to begin.
    pub(crate) fn under_way(&self) -> bool {
        self.works.iter().any(|work| work.state.run().is_some())
    }

    /// What the host is to begin, with its run.
    pub(crate) fn due(&self) -> impl Iterator<Item = (&Work, u32)> {
        self.works.iter().filter_map(|work| {
            let WorkState::Due { run } = work.state else { return None };
            Some((work, run))
        })
    }

    /// What waits for this is due.
    pub(crate) fn start(&mut self, cause: WorkCause) -> Option<(Work, u32)> {
        self.make_due(|work| work.cause == cause, |run| WorkInput::Start { run })
    }

    /// What failed or was interrupted is due again: what began last, first.
    pub(crate) fn rerun(&mut self) -> Option<(Work, u32)> {
        self.make_due(|_| true, |run| WorkInput::Rerun { run })
    }

    /// The host begins a run. `None` when it is not due.
    pub(crate) fn began(&mut self, run: u32, now: Timestamp) -> Option<()> {
        self.works.iter_mut().find_map(|work| {
            work.state = work_transition(work.state, WorkInput::Began { run, now })?;
            Some(())
        })
    }

    /// A run is over. `None` when it is not under way.
    pub(crate) fn ended(&mut self, run: u32, ok: bool) -> Option<Work> {
        self.works.iter_mut().find_map(|work| {
            work.state = work_transition(work.state, WorkInput::Ended { run, ok })?;
            Some(work.clone())
        })
    }

    /// The host does not know how to do a run. `None` when it is not under way.
    pub(crate) fn missing(&mut self, run: u32) -> Option<Work> {
        self.works.iter_mut().find_map(|work| {
            work.state.run().filter(|of| *of == run)?;
            work.state = work_transition(work.state, WorkInput::Interrupt)?;
            Some(work.clone())
        })
    }

    /// The host that ran them ended. Gives what was under way, with its run; `begun` leaves out what
    /// was only due.
    pub(crate) fn interrupt(&mut self, begun: bool) -> Vec<(Work, u32)> {
        let stopped = self.works.iter_mut().filter_map(|work| {
            if begun && matches!(work.state, WorkState::Due { .. }) {
                return None;
            }
            let run = work.state.run()?;
            work.state = work_transition(work.state, WorkInput::Interrupt)?;
            Some((work.clone(), run))
        });
        stopped.collect()
    }

    fn make_due(
        &mut self,
        which: impl Fn(&Work) -> bool,
        input: impl Fn(u32) -> WorkInput,
    ) -> Option<(Work, u32)> {
        let run = self.runs.saturating_add(1);
        // A compensation comes after the work that it undoes.
        let due = self.works.iter_mut().rev().filter(|work| which(work)).find_map(|work| {
            work.state = work_transition(work.state, input(run))?;
            Some((work.clone(), run))
        })?;
        self.runs = run;
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_ms(7);

    #[test]
    fn every_state_takes_exactly_these_inputs() {
        let (due, running) = (WorkState::Due { run: 2 }, WorkState::Running { run: 2, since: NOW });
        let states = [
            WorkState::Waiting,
            due,
            running,
            WorkState::Done,
            WorkState::Failed,
            WorkState::Interrupted,
        ];
        let inputs = [
            WorkInput::Start { run: 2 },
            WorkInput::Rerun { run: 2 },
            WorkInput::Began { run: 2, now: NOW },
            WorkInput::Began { run: 1, now: NOW },
            WorkInput::Ended { run: 2, ok: true },
            WorkInput::Ended { run: 2, ok: false },
            WorkInput::Ended { run: 1, ok: true },
            WorkInput::Interrupt,
        ];
        let taken = |state: WorkState| inputs.map(|input| work_transition(state, input));
        let (asked, go, no) = (Some(due), Some(running), None);
        let (done, failed) = (Some(WorkState::Done), Some(WorkState::Failed));
        let stopped = Some(WorkState::Interrupted);
        let expected = [
            [asked, no, no, no, no, no, no, no],
            [no, no, go, no, done, failed, no, stopped],
            [no, no, no, no, done, failed, no, stopped],
            [no; 8],
            [no, asked, no, no, no, no, no, no],
            [no, asked, no, no, no, no, no, no],
        ];
        assert_eq!(states.map(taken), expected);
    }

    #[test]
    fn runs_are_numbered_over_both_works_and_the_later_one_is_run_again_first() {
        let mut works = Works::named(Some("deploy".into()), Some("rollback".into()));
        assert_eq!(works.rerun(), None);
        let (deploy, first) = works.start(WorkCause::Approved).unwrap();
        assert_eq!((deploy.name.as_str(), first), ("deploy", 1));
        assert_eq!(works.start(WorkCause::Approved), None);
        let (_, second) = works.start(WorkCause::Compensation).unwrap();
        assert_eq!(second, 2);
        assert!(works.ended(1, false).is_some() && works.under_way());
        assert_eq!(works.interrupt(true).len(), 0, "it has not begun");
        assert_eq!(works.due().map(|(_, run)| run).collect::<Vec<_>>(), [2]);
        assert!(works.began(2, NOW).is_some() && works.due().next().is_none());
        assert_eq!(works.interrupt(true).len(), 1);
        assert!(!works.under_way());
        let (again, third) = works.rerun().unwrap();
        assert_eq!((again.name.as_str(), third), ("rollback", 3));
        assert!(works.ended(2, true).is_none());
        assert_eq!(works.rerun().unwrap().0.name, "deploy");
    }
}
