//! The one function that moves a request from state to state.

use super::clocks::Clocks;
use super::input::{Action, Answer, Context, Decider, Input, Rejection, Step};
use super::state::{Asked, Feedback, Owed, Settlement, State};
use crate::authority::Approval;
use crate::deadline::DeadlineKind;
use crate::message::{Cause, Status};

/// Moves a request. Pure: the state is only read, and a rejected input costs nothing.
///
/// # Errors
/// [`Rejection`] says why the input does not fit the state.
pub fn transition(state: &State, input: Input, context: Context) -> Result<Step, Rejection> {
    match state {
        State::Asked(asked) => match asked {
            Asked::Pending(clocks) => pending(*clocks, input, context),
            Asked::Approved(settlement, feedback) => {
                approved(settlement, *feedback, &input, context)
            }
            Asked::Rejected(_) => after_end(Status::Rejected, &input),
            Asked::TimedOut(_) => after_end(Status::TimedOut, &input),
            Asked::Cancelled(_) => after_end(Status::Cancelled, &input),
        },
        State::Owed(owed) => match owed {
            Owed::Open { .. } => unanswered(owed, input, context),
            Owed::Deferred { until } if matches!(input, Input::Resume) => {
                step(Owed::Open { until: *until }, [Action::AskHost])
            }
            Owed::Deferred { .. } => unanswered(owed, input, context),
            Owed::Approved(answer, feedback) => yes_said(answer, *feedback, &input),
            Owed::Rejected(answer) => no_said(answer, &input),
            Owed::Closed { status, .. } => closed(*status, &input),
        },
    }
}

/// We asked and wait.
fn pending(clocks: Clocks, input: Input, context: Context) -> Result<Step, Rejection> {
    let now = context.now;
    let end = |cause| Settlement { at: now, cause, by: None, note: None, retry_after: None };
    match input {
        Input::Response { answer, by } => Ok(decided(answer, by, context)),
        Input::Progress => step(Asked::Pending(clocks.restart_idle(now)), []),
        Input::Exited => match context.approval {
            Approval::Leaves => step(
                Asked::Approved(end(Cause::PeerLeft), Feedback::Exited),
                [Action::PeerAnswered, Action::TellSettled, Action::PeerLeft],
            ),
            Approval::OpensGate => Err(Rejection::WrongKind),
        },
        Input::Cancel => {
            step(Asked::Cancelled(end(Cause::Member)), [Action::TellSettled, Action::SendCancel])
        }
        Input::Due(DeadlineKind::Idle | DeadlineKind::Cap) => step(
            Asked::TimedOut(end(Cause::Clock)),
            [Action::TellSettled, Action::SendSettled, Action::JudgePeer],
        ),
        Input::Due(DeadlineKind::Reminder) => {
            step(Asked::Pending(clocks.remind(now)), [Action::SendReminder])
        }
        Input::Due(
            DeadlineKind::ExitGrace
            | DeadlineKind::ObligationEnd
            | DeadlineKind::Receipt
            | DeadlineKind::Judgement,
        ) => Err(Rejection::NotDue),
        Input::Gone(cause @ (Cause::Leaving | Cause::Closed)) => {
            step(Asked::Cancelled(end(cause)), [Action::TellSettled, Action::SendCancel])
        }
        Input::Gone(cause) => step(Asked::Cancelled(end(cause)), [Action::TellSettled]),
        Input::SendFailed => step(Asked::Cancelled(end(Cause::SendFailed)), [Action::TellSettled]),
        Input::Finish { .. } => Err(Rejection::NotApproved { status: Status::Pending }),
        Input::AskedAgain
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume => Err(Rejection::WrongSide),
    }
}

/// The answer is in, and in time.
fn decided(answer: Answer, by: Decider, context: Context) -> Step {
    let Answer { approve, note, retry_after } = answer;
    let settlement =
        Settlement { at: context.now, cause: Cause::Member, by: Some(by), note, retry_after };
    let (next, then) = match (approve, context.approval) {
        (false, _) => (Asked::Rejected(settlement), None),
        (true, Approval::Leaves) => {
            let by = context.now.after(context.exit_grace);
            (Asked::Approved(settlement, Feedback::ExitDue { by }), Some(Action::PeerLeaving))
        }
        (true, Approval::OpensGate) => {
            (Asked::Approved(settlement, Feedback::ReportDue), Some(Action::OpenGate))
        }
    };
    let mut actions = vec![Action::PeerAnswered];
    actions.extend(then);
    actions.push(Action::TellSettled);
    Step { next: State::Asked(next), actions }
}

/// We asked and got a yes.
fn approved(
    settlement: &Settlement,
    feedback: Feedback,
    input: &Input,
    context: Context,
) -> Result<Step, Rejection> {
    let status = Status::Approved;
    let now_in = |feedback| Asked::Approved(settlement.clone(), feedback);
    match input {
        Input::Exited => match feedback {
            Feedback::ExitDue { .. } | Feedback::ExitOverdue => {
                step(now_in(Feedback::Exited), [Action::PeerLeft])
            }
            Feedback::Exited => Err(Rejection::Duplicate { status }),
            Feedback::ReportDue | Feedback::Reported { .. } => Err(Rejection::WrongKind),
            Feedback::Abandoned => Err(Rejection::Late { status }),
        },
        Input::Finish { ok } => match feedback {
            Feedback::ReportDue => step(
                now_in(Feedback::Reported { ok: *ok }),
                [Action::CloseGate, Action::SendReport],
            ),
            Feedback::Reported { .. } => Err(Rejection::Duplicate { status }),
            Feedback::Abandoned => Err(Rejection::NotApproved { status }),
            Feedback::ExitDue { .. } | Feedback::ExitOverdue | Feedback::Exited => {
                Err(Rejection::WrongKind)
            }
        },
        Input::Due(DeadlineKind::ExitGrace) => match feedback {
            Feedback::ExitDue { by } if context.now >= by => {
                step(now_in(Feedback::ExitOverdue), [Action::AlarmNotExited])
            }
            Feedback::ExitDue { .. }
            | Feedback::ExitOverdue
            | Feedback::Exited
            | Feedback::ReportDue
            | Feedback::Reported { .. }
            | Feedback::Abandoned => Err(Rejection::NotDue),
        },
        Input::Gone(cause) => approved_and_gone(now_in, feedback, *cause),
        Input::Response { .. }
        | Input::Progress
        | Input::AskedAgain
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Due(_)
        | Input::SendFailed => after_end(status, input),
    }
}

/// We asked, got a yes, and one of the two sides is gone: what is still due will not come.
fn approved_and_gone(
    now_in: impl Fn(Feedback) -> Asked,
    feedback: Feedback,
    cause: Cause,
) -> Result<Step, Rejection> {
    let ours = matches!(cause, Cause::Leaving | Cause::Closed);
    match feedback {
        Feedback::ExitDue { .. } | Feedback::ExitOverdue if !ours => {
            step(now_in(Feedback::Abandoned), [])
        }
        Feedback::ReportDue if ours => step(now_in(Feedback::Abandoned), [Action::CloseGate]),
        Feedback::ExitDue { .. }
        | Feedback::ExitOverdue
        | Feedback::Exited
        | Feedback::ReportDue
        | Feedback::Reported { .. }
        | Feedback::Abandoned => Err(Rejection::NotDue),
    }
}

/// We asked, and it is over.
fn after_end(status: Status, input: &Input) -> Result<Step, Rejection> {
    Err(match input {
        Input::Response { answer, .. } => after_decision(status, answer.approve),
        Input::Progress | Input::Exited => Rejection::Late { status },
        Input::Cancel | Input::SendFailed => Rejection::NotPending { status },
        Input::Finish { .. } if status == Status::Approved => Rejection::WrongKind,
        Input::Finish { .. } => Rejection::NotApproved { status },
        Input::Due(_) | Input::Gone(_) => Rejection::NotDue,
        Input::AskedAgain
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume => Rejection::WrongSide,
    })
}

/// A decision meets one that is stored.
fn after_decision(status: Status, approve: bool) -> Rejection {
    match (status, approve) {
        (Status::Approved, true) | (Status::Rejected, false) => Rejection::Duplicate { status },
        (Status::Approved, false) | (Status::Rejected, true) => Rejection::Conflicting { status },
        (Status::Pending | Status::TimedOut | Status::Cancelled, _) => Rejection::Late { status },
    }
}

/// We were asked and have not answered.
fn unanswered(owed: &Owed, input: Input, context: Context) -> Result<Step, Rejection> {
    let (Owed::Open { until } | Owed::Deferred { until }) = *owed else {
        return Err(Rejection::WrongSide);
    };
    let end = |status, cause| Owed::Closed { status, cause };
    match input {
        Input::Decide(answer) => Ok(answered(answer, context)),
        Input::AskedAgain => step(owed.clone(), [Action::Acknowledge]),
        Input::Defer => step(Owed::Deferred { until }, []),
        Input::Resume => Err(Rejection::NotDue),
        Input::Told { status, cause } => step(end(status, cause), [Action::TellClosed]),
        Input::Due(DeadlineKind::ObligationEnd) if context.now >= until => {
            step(end(Status::TimedOut, Cause::Clock), [Action::TellClosed])
        }
        Input::Due(_) => Err(Rejection::NotDue),
        Input::Gone(cause) => step(end(Status::Cancelled, cause), [Action::TellClosed]),
        Input::Report { .. } => Err(Rejection::NotApproved { status: Status::Pending }),
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Cancel
        | Input::Finish { .. }
        | Input::SendFailed => Err(Rejection::WrongSide),
    }
}

/// Our host answers.
fn answered(answer: Answer, context: Context) -> Step {
    let (next, then) = match (answer.approve, context.approval) {
        (false, _) => (Owed::Rejected(answer), None),
        (true, Approval::Leaves) => {
            let by = context.now.after(context.exit_grace);
            (Owed::Approved(answer, Feedback::ExitDue { by }), Some(Action::SelfLeaving))
        }
        (true, Approval::OpensGate) => (Owed::Approved(answer, Feedback::ReportDue), None),
    };
    let mut actions = vec![Action::SendAnswer];
    actions.extend(then);
    Step { next: State::Owed(next), actions }
}

/// We were asked and said yes.
fn yes_said(answer: &Answer, feedback: Feedback, input: &Input) -> Result<Step, Rejection> {
    let status = Status::Approved;
    let now_in = |feedback| Owed::Approved(answer.clone(), feedback);
    match input {
        Input::AskedAgain => step(now_in(feedback), [Action::SendAnswer]),
        Input::Told { status: Status::Approved, .. } => Err(Rejection::Duplicate { status }),
        Input::Told { status, cause } => {
            step(Owed::Closed { status: *status, cause: *cause }, [Action::TellNoEffect])
        }
        Input::Report { ok } => match feedback {
            Feedback::ReportDue => step(
                now_in(Feedback::Reported { ok: *ok }),
                [Action::Acknowledge, Action::TellReport],
            ),
            Feedback::Reported { .. } => Err(Rejection::Duplicate { status }),
            Feedback::Abandoned => Err(Rejection::Late { status }),
            Feedback::ExitDue { .. } | Feedback::ExitOverdue | Feedback::Exited => {
                Err(Rejection::WrongKind)
            }
        },
        Input::Exited => match feedback {
            Feedback::ExitDue { .. } | Feedback::ExitOverdue => step(now_in(Feedback::Exited), []),
            Feedback::Exited
            | Feedback::ReportDue
            | Feedback::Reported { .. }
            | Feedback::Abandoned => Err(Rejection::WrongSide),
        },
        Input::Gone(_) => match feedback {
            Feedback::ReportDue => step(now_in(Feedback::Abandoned), []),
            Feedback::ExitDue { .. }
            | Feedback::ExitOverdue
            | Feedback::Exited
            | Feedback::Reported { .. }
            | Feedback::Abandoned => Err(Rejection::NotDue),
        },
        Input::Response { .. }
        | Input::Progress
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Finish { .. }
        | Input::Due(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

/// We were asked and said no.
fn no_said(answer: &Answer, input: &Input) -> Result<Step, Rejection> {
    let status = Status::Rejected;
    match input {
        Input::AskedAgain => step(Owed::Rejected(answer.clone()), [Action::SendAnswer]),
        Input::Told { status: Status::Rejected, .. } => Err(Rejection::Duplicate { status }),
        Input::Told { status, cause } => step(Owed::Closed { status: *status, cause: *cause }, []),
        Input::Report { .. } => Err(Rejection::NotApproved { status }),
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Finish { .. }
        | Input::Due(_)
        | Input::Gone(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

/// We were asked, and the requester ended it.
fn closed(status: Status, input: &Input) -> Result<Step, Rejection> {
    match input {
        Input::AskedAgain => Err(Rejection::Late { status }),
        Input::Told { status: told, .. } if *told == status => Err(Rejection::Duplicate { status }),
        Input::Told { .. } => Err(Rejection::Conflicting { status }),
        Input::Decide(_) => Err(Rejection::NotPending { status }),
        Input::Report { .. } => Err(Rejection::NotApproved { status }),
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Finish { .. }
        | Input::Due(_)
        | Input::Gone(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

fn answered_already(status: Status, input: &Input) -> Result<Step, Rejection> {
    Err(match input {
        Input::Decide(answer) => after_decision(status, answer.approve),
        Input::AskedAgain | Input::Told { .. } => Rejection::Late { status },
        Input::Report { .. } => Rejection::WrongKind,
        Input::Defer | Input::Resume | Input::Due(_) | Input::Gone(_) => Rejection::NotDue,
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Cancel
        | Input::Finish { .. }
        | Input::SendFailed => Rejection::WrongSide,
    })
}

fn step<S: Into<State>, const N: usize>(next: S, actions: [Action; N]) -> Result<Step, Rejection> {
    Ok(Step { next: next.into(), actions: actions.to_vec() })
}

impl From<Asked> for State {
    fn from(asked: Asked) -> Self {
        Self::Asked(asked)
    }
}

impl From<Owed> for State {
    fn from(owed: Owed) -> Self {
        Self::Owed(owed)
    }
}
