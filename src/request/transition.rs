//! The one function that moves a request from state to state.

use super::clocks::Clocks;
use super::input::{Action, Answer, Context, Decider, Input, PauseError, Rejection, Step};
use super::owed::{closed, no_said, unanswered, yes_said};
use super::quorum::Ballot;
use super::state::{Asked, Feedback, Owed, Settlement, State, WorkReport};
use super::vote::{approver_gone, informed, late_vote, voted};
use crate::authority::Approval;
use crate::deadline::DeadlineKind;
use crate::message::{Cause, Status};

/// Moves a request. Pure: the state is only read, and a rejected input costs nothing.
///
/// # Errors
/// [`Rejection`] says why the input does not fit the state.
pub fn transition(state: &State, input: Input, context: Context<'_>) -> Result<Step, Rejection> {
    match state {
        State::Asked(asked) => match asked {
            Asked::Pending(clocks, ballot) => pending(*clocks, ballot, input, context),
            Asked::Approved(..) | Asked::Rejected(_) | Asked::TimedOut(_) | Asked::Cancelled(_)
                if let Some(recorded) = late_vote(asked, &input, context) =>
            {
                recorded
            }
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
            Owed::Approved(answer, feedback) => yes_said(answer, *feedback, &input, context),
            Owed::Rejected(answer) => no_said(answer, &input),
            Owed::Closed { status, .. } => closed(*status, &input),
        },
    }
}

/// We asked and wait.
fn pending(
    clocks: Clocks,
    ballot: &Ballot,
    input: Input,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let now = context.now;
    let end = |cause| Settlement { cause, ballot: ballot.clone(), ..Settlement::at(now) };
    let waits = |clocks| Asked::Pending(clocks, ballot.clone());
    match input {
        // The sweep comes first; should it ever miss one, silence still never approves.
        Input::Response { .. } | Input::Progress if now >= clocks.expires_at() => {
            Err(Rejection::Late { status: Status::TimedOut })
        }
        Input::Response { answer, by } if context.panel.is_one() => {
            Ok(decided(answer, by, context))
        }
        Input::Response { answer, by } => voted(clocks, ballot, answer, by, context),
        Input::ApproverGone { by, cause } => approver_gone(clocks, ballot, by, cause, context),
        Input::Progress => step(waits(clocks.restart_idle(now)), []),
        Input::Exited => match context.approval {
            Approval::Leaves => step(
                Asked::Approved(end(Cause::PeerLeft), Feedback::Exited),
                [Action::PeerAnswered, Action::TellSettled, Action::PeerLeft, Action::StartWork],
            ),
            Approval::Nothing | Approval::OpensGate => Err(Rejection::WrongKind),
        },
        Input::Cancel => {
            step(Asked::Cancelled(end(Cause::Member)), [Action::TellSettled, Action::SendCancel])
        }
        Input::Deadlock => step(
            Asked::Cancelled(end(Cause::DeadlockBroken)),
            [Action::TellSettled, Action::SendSettled],
        ),
        Input::Due(kind) if clocks.due(now) != Some(kind) => Err(Rejection::NotDue),
        Input::Due(DeadlineKind::Idle | DeadlineKind::Cap) => step(
            Asked::TimedOut(end(Cause::Clock)),
            [Action::TellSettled, Action::SendSettled, Action::JudgePeer],
        ),
        Input::Due(DeadlineKind::Reminder) => step(waits(clocks.remind(now)), [asked_anew(clocks)]),
        Input::Due(DeadlineKind::PauseEnd) => pause_over(clocks.resume(now), ballot, context),
        Input::Pause => step(waits(paused(clocks, context)?), [Action::SendLimits]),
        Input::Unpause => step(waits(resumed(clocks, context)?), [Action::SendLimits]),
        Input::Due(
            DeadlineKind::ExitGrace
            | DeadlineKind::Report
            | DeadlineKind::ReportOverdue
            | DeadlineKind::ObligationEnd
            | DeadlineKind::AskAgain
            | DeadlineKind::Receipt
            | DeadlineKind::Judgement,
        ) => Err(Rejection::NotDue),
        Input::Gone(cause) => {
            step(Asked::Cancelled(end(cause)), [Action::TellSettled, Action::SendSettled])
        }
        Input::SendFailed => step(Asked::Cancelled(end(Cause::SendFailed)), [Action::TellSettled]),
        Input::Finish { .. } => Err(Rejection::NotApproved { status: Status::Pending }),
        Input::Acknowledged { .. } | Input::RolledBack { .. } => Err(Rejection::NotDue),
        Input::AskedAgain { .. }
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume => Err(Rejection::WrongSide),
    }
}

/// In a pause nobody is reminded; the frame brings the limits, and fetches an answer that was lost.
fn asked_anew(clocks: Clocks) -> Action {
    clocks.paused_until().map_or(Action::SendReminder, |_| Action::SendLimits)
}

/// A pause ended by itself. The other side knows when that is. A host that overslept it: what would
/// have come since comes now.
fn pause_over(clocks: Clocks, ballot: &Ballot, context: Context<'_>) -> Result<Step, Rejection> {
    match clocks.due(context.now) {
        Some(kind) => pending(clocks, ballot, Input::Due(kind), context),
        None => step(Asked::Pending(clocks, ballot.clone()), []),
    }
}

/// Our host stops the clocks. The other side learns how long it may take.
fn paused(clocks: Clocks, context: Context<'_>) -> Result<Clocks, Rejection> {
    if clocks.paused_until().is_some() {
        return Err(Rejection::Pause(PauseError::AlreadyPaused));
    }
    let limit = context.pause_max;
    clocks.pause(context.now, limit).ok_or(Rejection::Pause(PauseError::UsedUp { limit }))
}

/// Our host lets them go on.
fn resumed(clocks: Clocks, context: Context<'_>) -> Result<Clocks, Rejection> {
    match clocks.paused_until() {
        Some(_) => Ok(clocks.resume(context.now)),
        None => Err(Rejection::Pause(PauseError::NotPaused)),
    }
}

/// The answer is in, and in time.
pub(super) fn decided(answer: Answer, by: Decider, context: Context<'_>) -> Step {
    let Answer { approve, note, retry_after, payload, confirmed: _ } = answer;
    let (at, cause, by) = (context.now, Cause::Member, Some(by));
    let ballot = Ballot::default();
    let answer_approves = approve;
    let settlement = Settlement { at, cause, by, note, retry_after, payload, ballot };
    let (next, then) = match (approve, context.approval) {
        (false, _) => (Asked::Rejected(settlement), None),
        (true, Approval::Nothing) => (Asked::Approved(settlement, Feedback::Nothing), None),
        (true, Approval::Leaves) => {
            let by = context.now.after(context.exit_grace);
            (Asked::Approved(settlement, Feedback::ExitDue { by }), Some(Action::PeerLeaving))
        }
        (true, Approval::OpensGate) => {
            (Asked::Approved(settlement, Feedback::ReportDue { by: None }), Some(Action::OpenGate))
        }
    };
    let mut actions = vec![Action::PeerAnswered];
    actions.extend(then);
    actions.push(Action::TellSettled);
    actions.extend(answer_approves.then_some(Action::StartWork));
    Step { next: State::Asked(next), actions }
}

/// We asked and got a yes.
fn approved(
    settlement: &Settlement,
    feedback: Feedback,
    input: &Input,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let status = Status::Approved;
    let now_in = |feedback| Asked::Approved(settlement.clone(), feedback);
    match input {
        Input::Exited => match feedback {
            Feedback::ExitDue { .. } | Feedback::ExitOverdue => {
                step(now_in(Feedback::Exited), [Action::PeerLeft])
            }
            Feedback::Exited => Err(Rejection::Duplicate { status }),
            Feedback::Nothing
            | Feedback::ReportDue { .. }
            | Feedback::ReportSent { .. }
            | Feedback::Reported { .. } => Err(Rejection::WrongKind),
            Feedback::Abandoned => Err(Rejection::Late { status }),
        },
        Input::Finish { ok } => match feedback {
            Feedback::ReportDue { .. } => {
                let sent = now_in(sent(WorkReport::first(*ok), context));
                if *ok {
                    step(sent, [Action::CloseGate, Action::SendReport])
                } else {
                    step(sent, [Action::CloseGate, Action::SendReport, Action::Compensate])
                }
            }
            Feedback::ReportSent { .. } | Feedback::Reported { .. } => {
                Err(Rejection::Duplicate { status })
            }
            Feedback::Abandoned => Err(Rejection::NotApproved { status }),
            Feedback::Nothing
            | Feedback::ExitDue { .. }
            | Feedback::ExitOverdue
            | Feedback::Exited => Err(Rejection::WrongKind),
        },
        Input::Due(DeadlineKind::ExitGrace) => exit_overdue(now_in, feedback, context),
        Input::Acknowledged { by, rolled_back } => {
            acknowledged(settlement, feedback, *by, *rolled_back)
        }
        Input::RolledBack { ok } => rolled_back(settlement, feedback, *ok, context),
        Input::Due(DeadlineKind::Report) => report_again(now_in, feedback, context),
        Input::Gone(cause) => approved_and_gone(now_in, feedback, *cause),
        Input::ApproverGone { by, cause } => match informed(settlement, feedback, *by) {
            Some(waits) => Ok(waits),
            None => approved_and_gone(now_in, feedback, *cause),
        },
        Input::Response { .. }
        | Input::Progress
        | Input::AskedAgain { .. }
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume
        | Input::Cancel
        | Input::Pause
        | Input::Unpause
        | Input::Deadlock
        | Input::Due(_)
        | Input::SendFailed => after_end(status, input),
    }
}

/// A member has our report.
fn acknowledged(
    settlement: &Settlement,
    feedback: Feedback,
    by: Decider,
    rolled_back: Option<bool>,
) -> Result<Step, Rejection> {
    let Feedback::ReportSent { report, .. } = feedback else { return Err(Rejection::NotDue) };
    // The receipt for an earlier report says nothing of the one that is under way.
    if report.rolled_back != rolled_back {
        return Err(Rejection::NotDue);
    }
    match informed(settlement, feedback, by) {
        Some(waits) => Ok(waits),
        None => step(Asked::Approved(settlement.clone(), Feedback::Reported { report }), []),
    }
}

/// A report that goes out now.
fn sent(report: WorkReport, context: Context<'_>) -> Feedback {
    let again_at = context.now.after(context.report_every);
    Feedback::ReportSent { report, again_at, left: context.report_repeats }
}

/// The compensation has ended: everyone who approved is told so.
fn rolled_back(
    settlement: &Settlement,
    feedback: Feedback,
    ok: bool,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let (Feedback::ReportSent { report, .. } | Feedback::Reported { report }) = feedback else {
        return Err(Rejection::NotDue);
    };
    let Some(report) = report.then(ok) else { return Err(Rejection::NotDue) };
    let mut settlement = settlement.clone();
    let counted = settlement.ballot.votes.iter_mut().filter(|vote| vote.counted);
    counted.for_each(|vote| vote.informed = false);
    step(Asked::Approved(settlement, sent(report, context)), [Action::SendReport])
}

/// The grace of a leaving member is over.
fn exit_overdue(
    now_in: impl Fn(Feedback) -> Asked,
    feedback: Feedback,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    match feedback {
        Feedback::ExitDue { by } if context.now >= by => {
            step(now_in(Feedback::ExitOverdue), [Action::AlarmNotExited])
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

/// We reported, and nobody acknowledged it.
fn report_again(
    now_in: impl Fn(Feedback) -> Asked,
    feedback: Feedback,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    let Feedback::ReportSent { report, again_at, left } = feedback else {
        return Err(Rejection::NotDue);
    };
    if context.now < again_at {
        return Err(Rejection::NotDue);
    }
    let Some(left) = left.checked_sub(1) else {
        return step(now_in(Feedback::Reported { report }), [Action::AlarmReportLost]);
    };
    let again_at = context.now.after(context.report_every);
    step(now_in(Feedback::ReportSent { report, again_at, left }), [Action::SendReport])
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
        Feedback::ReportDue { .. } if ours => {
            step(now_in(Feedback::Abandoned), [Action::CloseGate])
        }
        // A member that is leaving still sees to it that its reports arrive.
        Feedback::ReportSent { report, .. } if cause != Cause::Leaving => {
            step(now_in(Feedback::Reported { report }), [])
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

/// We asked, and it is over.
fn after_end(status: Status, input: &Input) -> Result<Step, Rejection> {
    Err(match input {
        Input::Response { answer, .. } => after_decision(status, answer.approve),
        Input::Progress | Input::Exited => Rejection::Late { status },
        Input::Cancel | Input::Pause | Input::Unpause | Input::Deadlock | Input::SendFailed => {
            Rejection::NotPending { status }
        }
        Input::Finish { .. } if status == Status::Approved => Rejection::WrongKind,
        Input::Finish { .. } => Rejection::NotApproved { status },
        Input::Due(_)
        | Input::Gone(_)
        | Input::ApproverGone { .. }
        | Input::RolledBack { .. }
        | Input::Acknowledged { .. } => Rejection::NotDue,
        Input::AskedAgain { .. }
        | Input::Told { .. }
        | Input::Report { .. }
        | Input::Decide(_)
        | Input::Defer
        | Input::Resume => Rejection::WrongSide,
    })
}

/// A decision meets one that is stored.
pub(super) fn after_decision(status: Status, approve: bool) -> Rejection {
    match (status, approve) {
        (Status::Approved, true) | (Status::Rejected, false) => Rejection::Duplicate { status },
        (Status::Approved, false) | (Status::Rejected, true) => Rejection::Conflicting { status },
        (Status::Pending | Status::TimedOut | Status::Cancelled, _) => Rejection::Late { status },
    }
}

pub(super) fn step<S: Into<State>, const N: usize>(
    next: S,
    actions: [Action; N],
) -> Result<Step, Rejection> {
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
