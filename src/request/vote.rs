//! The asked side, where several members decide: what each vote does.

use super::clocks::Clocks;
use super::input::{Action, Answer, Context, Decider, Input, Rejection, Step};
use super::quorum::{Ballot, Standing, Vote};
use super::state::{Asked, Feedback, Settlement, State};
use super::transition::{decided, step};
use crate::message::{Cause, Choice, Status};

/// One of several approvers has decided, in time.
pub(super) fn voted(
    clocks: Clocks,
    ballot: &Ballot,
    answer: Answer,
    by: Decider,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    if let Some(vote) = ballot.said_by(by) {
        return Err(again(vote, answer.approve, Status::Pending));
    }
    if !context.panel.asked(ballot.stage).any(|asked| asked == by) {
        return Err(Rejection::WrongSide);
    }
    let choice = if answer.approve { Choice::Approve } else { Choice::Reject };
    let told = [Action::PeerAnswered, Action::TellVote];
    if !context.panel.approvers(ballot.stage).contains(&by) {
        // Its stage has passed without it.
        let ballot = ballot.with_late(by, choice, answer.note);
        return step(Asked::Pending(clocks, ballot), told);
    }
    let ballot = ballot.with(by, choice, answer.note.clone());
    match ballot.standing(context.panel) {
        Standing::Open => step(Asked::Pending(clocks, ballot), told),
        Standing::Passed => {
            let next = Asked::Pending(clocks.restart_idle(context.now), ballot.next_stage());
            step(next, [Action::PeerAnswered, Action::TellVote, Action::OpenStage])
        }
        // The noes alone would leave enough of them; without those who are gone too few are left.
        Standing::Unreachable => {
            let cause = Cause::QuorumUnreachable;
            let ended =
                Asked::Cancelled(Settlement { cause, ballot, ..Settlement::at(context.now) });
            let [answered, told] = told;
            step(ended, [told, answered, Action::TellSettled, Action::SendSettled])
        }
        Standing::Approved | Standing::Rejected => {
            let Step { next, mut actions } = decided(answer, by, context);
            actions.insert(0, Action::TellVote);
            actions.push(Action::SendSettled);
            Ok(Step { next: with_ballot(next, ballot), actions })
        }
    }
}

/// An approver will say nothing more.
pub(super) fn approver_gone(
    clocks: Clocks,
    ballot: &Ballot,
    by: Decider,
    cause: Cause,
    context: Context<'_>,
) -> Result<Step, Rejection> {
    if !context.panel.approvers(ballot.stage).contains(&by) || ballot.of(by).is_some() {
        return Err(Rejection::NotDue);
    }
    let ballot = ballot.with(by, Choice::Gone, None);
    let settlement = Settlement { ballot: ballot.clone(), ..Settlement::at(context.now) };
    match ballot.standing(context.panel) {
        Standing::Open => step(Asked::Pending(clocks, ballot), []),
        // Where one decides alone it is told apart why that one is gone.
        Standing::Unreachable if context.panel.is_one() => {
            let ended = Asked::Cancelled(Settlement { cause, ..settlement });
            // A member that is lost may wake: then it must find that nobody waits for it.
            if cause == Cause::PeerLost {
                step(ended, [Action::TellSettled, Action::SendSettled])
            } else {
                step(ended, [Action::TellSettled])
            }
        }
        // Somebody gone adds neither a yes nor a no.
        Standing::Unreachable | Standing::Passed | Standing::Approved | Standing::Rejected => {
            let cause = Cause::QuorumUnreachable;
            let ended = Asked::Cancelled(Settlement { cause, ..settlement });
            step(ended, [Action::TellSettled, Action::SendSettled])
        }
    }
}

/// A vote on what is over: it is recorded, does not count, and its voter learns the outcome.
/// `None` where it is no vote of a panel.
pub(super) fn late_vote(
    asked: &Asked,
    input: &Input,
    context: Context<'_>,
) -> Option<Result<Step, Rejection>> {
    let Input::Response { answer, by } = input else { return None };
    let (Asked::Approved(settlement, _)
    | Asked::Rejected(settlement)
    | Asked::TimedOut(settlement)
    | Asked::Cancelled(settlement)) = asked
    else {
        return None;
    };
    if context.panel.is_one() {
        return None;
    }
    if let Some(vote) = settlement.ballot.said_by(*by) {
        let status = State::Asked(asked.clone()).status();
        return Some(Err(again(vote, answer.approve, status)));
    }
    let choice = if answer.approve { Choice::Approve } else { Choice::Reject };
    let ballot = settlement.ballot.with_late(*by, choice, answer.note.clone());
    let next = with_ballot(State::Asked(asked.clone()), ballot);
    Some(Ok(Step { next, actions: vec![Action::TellVote, Action::SendOutcome] }))
}

/// An approver knows how the approved work went. `None` while others do not.
pub(super) fn informed(settlement: &Settlement, feedback: Feedback, by: Decider) -> Option<Step> {
    let mut settlement = settlement.clone();
    settlement.ballot.votes.iter_mut().filter(|v| v.by == by).for_each(|v| v.informed = true);
    let owes = |vote: &Vote| vote.choice == Choice::Approve && !vote.informed;
    settlement.ballot.votes.iter().any(owes).then(|| {
        let next = State::Asked(Asked::Approved(settlement.clone(), feedback));
        Step { next, actions: Vec::new() }
    })
}

/// The same approver once more.
fn again(vote: &Vote, approve: bool, status: Status) -> Rejection {
    let same = (vote.choice == Choice::Approve) == approve;
    if same { Rejection::Duplicate { status } } else { Rejection::Conflicting { status } }
}

fn with_ballot(state: State, ballot: Ballot) -> State {
    let put = |s: Settlement, ballot| Settlement { ballot, ..s };
    match state {
        State::Asked(Asked::Approved(s, feedback)) => {
            Asked::Approved(put(s, ballot), feedback).into()
        }
        State::Asked(Asked::Rejected(s)) => Asked::Rejected(put(s, ballot)).into(),
        State::Asked(Asked::TimedOut(s)) => Asked::TimedOut(put(s, ballot)).into(),
        State::Asked(Asked::Cancelled(s)) => Asked::Cancelled(put(s, ballot)).into(),
        State::Asked(Asked::Pending(clocks, _)) => Asked::Pending(clocks, ballot).into(),
        State::Owed(owed) => State::Owed(owed),
    }
}
