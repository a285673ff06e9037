//! The answering side of a request: what each input does to what we were asked.

use super::input::{Action, Answer, Context, Input, Rejection, Step};
use super::state::{Feedback, Owed, State};
use super::transition::{after_decision, step};
use crate::authority::Approval;
use crate::deadline::DeadlineKind;
use crate::message::{Cause, Status};

/// We were asked and have not answered.
pub(super) fn unanswered(
    owed: &Owed,
    input: Input,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let (Owed::Open { until } | Owed::Deferred { until }) = *owed else {
        return Err(Rejection::WrongSide);
    };
    let end = |status, cause| Owed::Closed { status, cause };
    match input {
        Input::Decide(answer) => Ok(answered(answer, context)),
        Input::AskedAgain { until: new } => {
            let until = new.unwrap_or(until);
            let deferred = matches!(owed, Owed::Deferred { .. });
            let next = if deferred { Owed::Deferred { until } } else { Owed::Open { until } };
            step(next, [Action::Acknowledge])
        }
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
        | Input::Acknowledged { .. }
        | Input::ApproverGone { .. }
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Finish { .. }
        | Input::RolledBack { .. }
        | Input::SendFailed => Err(Rejection::WrongSide),
    }
}

/// Our host answers.
fn answered(answer: Answer, context: Context<'_>) -> Step {
    let (next, then) = match (answer.approve, context.approval) {
        (false, _) => (Owed::Rejected(answer), None),
        (true, Approval::Leaves) => {
            let by = context.now.after(context.exit_grace);
            (Owed::Approved(answer, Feedback::ExitDue { by }), Some(Action::SelfLeaving))
        }
        (true, Approval::Nothing) => (Owed::Approved(answer, Feedback::Nothing), None),
        (true, Approval::OpensGate) => (Owed::Approved(answer, report_due(context)), None),
    };
    let mut actions = vec![Action::SendAnswer];
    actions.extend(then);
    Step { next: State::Owed(next), actions }
}

/// We were asked and said yes.
#[expect(clippy::too_many_lines, reason = "one arm per input")]
pub(super) fn yes_said(
    answer: &Answer,
    feedback: Feedback,
    input: &Input,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let status = Status::Approved;
    let now_in = |feedback| Owed::Approved(answer.clone(), feedback);
    match input {
        Input::AskedAgain { .. } => step(now_in(feedback), [Action::SendAnswer]),
        Input::Told { status: Status::Approved, .. } => told_yes(answer, feedback, context),
        Input::Told { status, cause } => {
            step(Owed::Closed { status: *status, cause: *cause }, [Action::TellNoEffect])
        }
        Input::Report { report } => match feedback {
            Feedback::ReportDue { .. } => step(
                now_in(Feedback::Reported { report: *report }),
                [Action::SendReceipt, Action::TellReport],
            ),
            Feedback::Reported { report: known } if known.leads_to(*report) => step(
                now_in(Feedback::Reported { report: *report }),
                [Action::SendReceipt, Action::TellReport],
            ),
            Feedback::ReportSent { .. } | Feedback::Reported { .. } => {
                Err(Rejection::Duplicate { status })
            }
            Feedback::Abandoned => Err(Rejection::Late { status }),
            Feedback::Nothing
            | Feedback::ExitDue { .. }
            | Feedback::ExitOverdue
            | Feedback::Exited => Err(Rejection::WrongKind),
        },
        Input::Exited => match feedback {
            Feedback::ExitDue { .. } | Feedback::ExitOverdue => step(now_in(Feedback::Exited), []),
            Feedback::Nothing
            | Feedback::Exited
            | Feedback::ReportDue { .. }
            | Feedback::ReportSent { .. }
            | Feedback::Reported { .. }
            | Feedback::Abandoned => Err(Rejection::WrongSide),
        },
        Input::Gone(_) => match feedback {
            Feedback::ReportDue { .. } => step(now_in(Feedback::Abandoned), []),
            Feedback::Nothing
            | Feedback::ExitDue { .. }
            | Feedback::ExitOverdue
            | Feedback::Exited
            | Feedback::ReportSent { .. }
            | Feedback::Reported { .. }
            | Feedback::Abandoned => Err(Rejection::NotDue),
        },
        Input::Progress => at_work(now_in, feedback, context),
        Input::Due(DeadlineKind::ReportOverdue) => report_overdue(now_in, feedback, context),
        Input::Response { .. }
        | Input::Acknowledged { .. }
        | Input::ApproverGone { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Finish { .. }
        | Input::RolledBack { .. }
        | Input::Due(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

/// Others were asked too, and the requester has what it asked for: its work begins now.
fn told_yes(answer: &Answer, feedback: Feedback, context: Context<'_>) -> Result<Step, Rejection> {
    let feedback = match feedback {
        Feedback::ReportDue { .. } => report_due(context),
        Feedback::Nothing
        | Feedback::ExitDue { .. }
        | Feedback::ExitOverdue
        | Feedback::Exited
        | Feedback::ReportSent { .. }
        | Feedback::Reported { .. }
        | Feedback::Abandoned => feedback,
    };
    confirmed(answer, |answer| step(Owed::Approved(answer, feedback), [Action::TellClosed]))
}

/// The report of the requester is due, from now.
fn report_due(context: Context<'_>) -> Feedback {
    Feedback::ReportDue { by: Some(context.now.after(context.report_due)) }
}

/// The requester is at the work: its report is due later.
fn at_work(
    now_in: impl Fn(Feedback) -> Owed,
    feedback: Feedback,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    match feedback {
        Feedback::ReportDue { .. } => step(now_in(report_due(context)), []),
        Feedback::ReportSent { .. } | Feedback::Reported { .. } | Feedback::Abandoned => {
            Err(Rejection::Late { status: Status::Approved })
        }
        Feedback::Nothing | Feedback::ExitDue { .. } | Feedback::ExitOverdue | Feedback::Exited => {
            Err(Rejection::WrongKind)
        }
    }
}

/// The report has not come in time. It may still come.
fn report_overdue(
    now_in: impl Fn(Feedback) -> Owed,
    feedback: Feedback,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    match feedback {
        Feedback::ReportDue { by: Some(by) } if context.now >= by => {
            step(now_in(Feedback::ReportDue { by: None }), [Action::AlarmReportOverdue])
        }
        Feedback::Nothing
        | Feedback::ExitDue { .. }
        | Feedback::ExitOverdue
        | Feedback::Exited
        | Feedback::ReportDue { .. }
        | Feedback::ReportSent { .. }
        | Feedback::Reported { .. }
        | Feedback::Abandoned => Err(Rejection::NotDue),
    }
}

/// We were asked and said no.
pub(super) fn no_said(answer: &Answer, input: &Input) -> Result<Step, Rejection> {
    let status = Status::Rejected;
    match input {
        Input::AskedAgain { .. } => step(Owed::Rejected(answer.clone()), [Action::SendAnswer]),
        Input::Told { status: Status::Rejected, .. } => {
            confirmed(answer, |answer| step(Owed::Rejected(answer), [Action::TellClosed]))
        }
        Input::Told { status, cause } => {
            step(Owed::Closed { status: *status, cause: *cause }, [Action::TellClosed])
        }
        Input::Report { .. } => Err(Rejection::NotApproved { status }),
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Acknowledged { .. }
        | Input::ApproverGone { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Finish { .. }
        | Input::RolledBack { .. }
        | Input::Due(_)
        | Input::Gone(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

/// The requester tells the outcome that our answer alone would imply: news only where others were
/// asked too, and only once.
fn confirmed(
    answer: &Answer,
    tell: impl FnOnce(Answer) -> Result<Step, Rejection>,
) -> Result<Step, Rejection> {
    if answer.confirmed {
        let status = if answer.approve { Status::Approved } else { Status::Rejected };
        return Err(Rejection::Duplicate { status });
    }
    tell(Answer { confirmed: true, ..answer.clone() })
}

/// We were asked, and the requester ended it.
pub(super) fn closed(status: Status, input: &Input) -> Result<Step, Rejection> {
    match input {
        Input::Told { status: told, .. } if *told == status => Err(Rejection::Duplicate { status }),
        // This side may have closed it by itself, because it leaves or by its own clock: then the
        // requester's word is no contradiction, it only comes late.
        Input::AskedAgain { .. } | Input::Told { .. } => Err(Rejection::Late { status }),
        Input::Decide(_) => Err(Rejection::NotPending { status }),
        Input::Report { .. } => Err(Rejection::NotApproved { status }),
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Acknowledged { .. }
        | Input::ApproverGone { .. }
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Finish { .. }
        | Input::RolledBack { .. }
        | Input::Due(_)
        | Input::Gone(_)
        | Input::SendFailed => answered_already(status, input),
    }
}

fn answered_already(status: Status, input: &Input) -> Result<Step, Rejection> {
    Err(match input {
        Input::Decide(answer) => after_decision(status, answer.approve),
        Input::AskedAgain { .. } | Input::Told { .. } => Rejection::Late { status },
        Input::Report { .. } => Rejection::WrongKind,
        Input::Defer | Input::Resume | Input::Due(_) | Input::Gone(_) => Rejection::NotDue,
        Input::Response { .. }
        | Input::Progress
        | Input::Exited
        | Input::Acknowledged { .. }
        | Input::ApproverGone { .. }
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Finish { .. }
        | Input::RolledBack { .. }
        | Input::SendFailed => Rejection::WrongSide,
    })
}
