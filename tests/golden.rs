//! Every state of a request against every input.
//!
//! What comes out is compared with `golden/transitions.txt`, which people read and review; run
//! with `UPDATE_GOLDEN=1` to write it anew. A file that is only regenerated proves nothing, so the
//! rules below are stated a second time, apart from the code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "golden/cases.rs"]
mod cases;
#[path = "golden/table.rs"]
mod table;

use team_protocols::fsm::{
    Action, Asked, Context, Feedback, Input, Owed, Rejection, State, Step, transition,
};
use team_protocols::{Approval, Cause, DeadlineKind, Status};

use crate::cases::{contexts, inputs, states};

/// One application of the function.
struct Case {
    state: State,
    input: Input,
    context: Context<'static>,
    result: Result<Step, Rejection>,
}

impl Case {
    fn does(&self, action: Action) -> usize {
        let actions = self.result.as_ref().map_or(&[] as &[Action], |step| &step.actions);
        actions.iter().filter(|other| **other == action).count()
    }

    fn next(&self) -> Option<&State> {
        self.result.as_ref().ok().map(|step| &step.next)
    }

    fn becomes(&self, status: Status) -> bool {
        let arrives = self.next().is_some_and(|next| next.status() == status);
        arrives && self.state.status() != status
    }

    fn asked(&self) -> bool {
        matches!(self.state, State::Asked(_))
    }

    fn pending(&self) -> bool {
        matches!(self.state, State::Asked(Asked::Pending(..)))
    }

    fn says(&self, yes: bool) -> bool {
        matches!(&self.input, Input::Response { answer, .. } if answer.approve == yes)
    }
}

fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (_, state) in states() {
        for (_, input) in inputs() {
            for (_, context) in contexts() {
                let result = transition(&state, input.clone(), context);
                cases.push(Case { state: state.clone(), input: input.clone(), context, result });
            }
        }
    }
    cases
}

fn for_all(rule: impl Fn(&Case) -> bool) {
    let cases = all();
    assert!(cases.len() > 3_000, "{} cases", cases.len());
    for case in &cases {
        let Case { state, input, context, result } = case;
        assert!(rule(case), "{state:?}\n+ {input:?}\n({context:?})\n= {result:#?}");
    }
}

#[test]
fn transitions_are_as_they_were_reviewed() {
    let table = table::print();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/transitions.txt");
    #[expect(clippy::disallowed_methods, reason = "the switch is meant for people at a shell")]
    let update = std::env::var("UPDATE_GOLDEN").is_ok_and(|value| value == "1");
    if update {
        std::fs::write(path, &table).unwrap();
    }
    let reviewed = std::fs::read_to_string(path).unwrap();
    for (number, (now, then)) in table.lines().zip(reviewed.lines()).enumerate() {
        assert_eq!(now, then, "line {}", number + 1);
    }
    assert_eq!(table.lines().count(), reviewed.lines().count());
}

#[test]
fn the_protocol_shows_the_state_tables_of_the_code() {
    let tables = table::markdown();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (before, rest) = document.split_once(TABLES_BEGIN).expect("the tables have a beginning");
    let (written, after) = rest.split_once(TABLES_END).expect("the tables have an end");
    #[expect(clippy::disallowed_methods, reason = "the switch is meant for people at a shell")]
    let update = std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    if update {
        let anew = format!("{before}{TABLES_BEGIN}\n\n{tables}{TABLES_END}{after}");
        std::fs::write(path, anew).unwrap();
        return;
    }
    for (number, (now, then)) in tables.trim().lines().zip(written.trim().lines()).enumerate() {
        assert_eq!(now, then, "line {} of the tables; UPDATE_DOCS=1 writes them anew", number + 1);
    }
    assert_eq!(tables.trim().lines().count(), written.trim().lines().count());
}

/// Between these two lines stands what is made of the code.
const TABLES_BEGIN: &str = "<!-- state tables: begin -->";
const TABLES_END: &str = "<!-- state tables: end -->";

#[test]
fn the_end_of_our_request_is_final() {
    for_all(|case| {
        let ended = case.asked() && case.state.status().is_terminal();
        !ended
            || case.next().is_none_or(|next| {
                next.status() == case.state.status() && next.settlement() == case.state.settlement()
            })
    });
}

#[test]
fn only_a_yes_or_an_exit_of_who_was_asked_to_leave_approves() {
    for_all(|case| {
        let exit = matches!(case.input, Input::Exited) && case.context.approval == Approval::Leaves;
        !(case.asked() && case.becomes(Status::Approved))
            || case.pending() && (case.says(true) || exit)
    });
}

#[test]
fn a_decision_at_the_deadline_or_later_decides_nothing() {
    for_all(|case| {
        let late = case
            .state
            .due(case.context.now)
            .is_some_and(|due| matches!(due, DeadlineKind::Idle | DeadlineKind::Cap));
        !(late && matches!(case.input, Input::Response { .. } | Input::Progress))
            || case.result.is_err()
    });
}

#[test]
fn only_a_yes_to_a_pending_plan_opens_the_gate() {
    for_all(|case| {
        let in_time = case.state.next_deadline().is_some() && case.result.is_ok();
        let granted = case.pending()
            && in_time
            && case.says(true)
            && case.context.approval == Approval::OpensGate;
        case.does(Action::OpenGate) == usize::from(granted)
    });
}

#[test]
fn a_decision_in_time_is_taken() {
    for_all(|case| {
        let Input::Response { answer, .. } = &case.input else { return true };
        let in_time = case.pending() && case.context.now.as_ms() < 60_000;
        let status = if answer.approve { Status::Approved } else { Status::Rejected };
        !in_time || case.becomes(status)
    });
}

#[test]
fn only_a_no_rejects() {
    for_all(|case| {
        !(case.asked() && case.becomes(Status::Rejected)) || case.pending() && case.says(false)
    });
}

#[test]
fn only_the_clock_times_out_and_it_is_nobody_s_decision() {
    for_all(|case| {
        if !(case.asked() && case.becomes(Status::TimedOut)) {
            return true;
        }
        let settlement = case.next().and_then(State::settlement).unwrap();
        matches!(
            case.input,
            Input::Due(DeadlineKind::Idle | DeadlineKind::Cap | DeadlineKind::PauseEnd)
        ) && settlement.cause == Cause::Clock
            && settlement.by.is_none()
    });
}

#[test]
fn no_clock_ends_a_request_before_its_time() {
    for_all(|case| {
        let early = case.context.now < case.state.next_deadline().unwrap_or(case.context.now);
        !(early && matches!(case.input, Input::Due(_))) || case.result.is_err()
    });
}

#[test]
fn the_host_learns_the_end_of_its_request_exactly_once() {
    for_all(|case| {
        let ends = case.pending() && case.next().is_some_and(|next| next.status().is_terminal());
        case.does(Action::TellSettled) == usize::from(ends)
    });
}

#[test]
fn a_decision_names_who_decided_and_nothing_else_does() {
    for_all(|case| {
        let Some(settlement) = case.next().and_then(State::settlement) else { return true };
        if !case.pending() {
            return true;
        }
        let response = matches!(case.input, Input::Response { .. });
        settlement.by.is_some() == response && settlement.at == case.context.now
    });
}

#[test]
fn the_other_side_is_told_what_its_answer_does_not_imply() {
    for_all(|case| {
        let timed_out = case.asked() && case.becomes(Status::TimedOut);
        // Only a withdrawal is told as one; that the requester or its engine is gone is a cause. So
        // is that the other side is lost, for it may wake.
        let withdrawn = case.pending() && matches!(case.input, Input::Cancel);
        let gone = case.pending()
            && matches!(
                case.input,
                Input::Gone(_) | Input::ApproverGone { cause: Cause::PeerLost, .. }
            );
        let given_up = case.pending() && matches!(case.input, Input::Deadlock);
        case.does(Action::SendSettled) == usize::from(timed_out || gone || given_up)
            && case.does(Action::SendCancel) == usize::from(withdrawn)
    });
}

#[test]
fn a_member_is_judged_over_a_timeout_and_cleared_by_an_answer() {
    for_all(|case| {
        let answered = case.pending()
            && case.result.is_ok()
            && matches!(case.input, Input::Response { .. } | Input::Exited);
        case.does(Action::JudgePeer) == usize::from(case.asked() && case.becomes(Status::TimedOut))
            && case.does(Action::PeerAnswered) == usize::from(answered)
    });
}

#[test]
fn nobody_leaves_without_having_agreed() {
    for_all(|case| {
        let leaves = case.context.approval == Approval::Leaves;
        let agreed = matches!(&case.input, Input::Decide(answer) if answer.approve);
        let unanswered =
            matches!(case.state, State::Owed(Owed::Open { .. } | Owed::Deferred { .. }));
        case.does(Action::SelfLeaving) == usize::from(leaves && agreed && unanswered)
            && case.does(Action::PeerLeaving)
                == usize::from(leaves && case.pending() && case.says(true) && case.result.is_ok())
    });
}

#[test]
fn our_answer_is_our_host_s_and_given_once() {
    for_all(|case| {
        let State::Owed(owed) = &case.state else { return true };
        let decided = case.next().is_some_and(|next| {
            matches!(next, State::Owed(Owed::Approved(..) | Owed::Rejected(_)))
                && case.state.status() == Status::Pending
        });
        let decides = matches!(case.input, Input::Decide(_));
        let sends = case.does(Action::SendAnswer) == 1;
        let repeats = matches!(case.input, Input::AskedAgain { .. })
            && matches!(owed, Owed::Approved(..) | Owed::Rejected(_));
        (!decided || decides) && sends == (decided || repeats)
    });
}

#[test]
fn what_is_closed_stays_closed() {
    for_all(|case| !matches!(case.state, State::Owed(Owed::Closed { .. })) || case.result.is_err());
}

#[test]
fn a_gate_closes_with_the_report_or_with_us() {
    for_all(|case| {
        let works =
            matches!(case.state, State::Asked(Asked::Approved(_, Feedback::ReportDue { .. })));
        let ends = matches!(
            case.input,
            Input::Finish { .. } | Input::Gone(Cause::Leaving | Cause::Closed)
        );
        case.does(Action::CloseGate) == usize::from(works && ends)
    });
}

#[test]
fn sides_are_never_swapped_and_a_rejected_input_leaves_no_trace() {
    for_all(|case| {
        let before = case.state.clone();
        let again = transition(&case.state, case.input.clone(), case.context);
        let same_side =
            case.next().is_none_or(|next| matches!(next, State::Asked(_)) == case.asked());
        before == case.state && again == case.result && same_side
    });
}

#[test]
fn what_was_due_is_done_and_not_due_again() {
    for_all(|case| {
        let done = matches!(case.input, Input::Due(_));
        !done || case.next().is_none_or(|next| next.due(case.context.now).is_none())
    });
}

#[test]
fn everything_that_waits_for_somebody_has_a_deadline() {
    for (name, state) in states() {
        let waits = match &state {
            State::Asked(Asked::Approved(_, feedback)) => {
                matches!(feedback, Feedback::ExitDue { .. } | Feedback::ReportSent { .. })
            }
            State::Asked(_)
            | State::Owed(
                Owed::Open { .. } | Owed::Deferred { .. } | Owed::Rejected(_) | Owed::Closed { .. },
            ) => state.status() == Status::Pending,
            // What the requester owes for our yes; the rest its own clock watches over.
            State::Owed(Owed::Approved(_, feedback)) => {
                matches!(feedback, Feedback::ReportDue { by: Some(_) })
            }
        };
        assert_eq!(state.next_deadline().is_some(), waits, "{name}");
    }
}

#[test]
fn a_report_is_overdue_once_and_only_for_who_approved() {
    for_all(|case| {
        let State::Owed(Owed::Approved(_, Feedback::ReportDue { by: Some(by) })) = case.state
        else {
            return case.does(Action::AlarmReportOverdue) == 0;
        };
        let due =
            case.context.now >= by && matches!(case.input, Input::Due(DeadlineKind::ReportOverdue));
        case.does(Action::AlarmReportOverdue) == usize::from(due)
            && (!due || case.next().is_some_and(|next| next.next_deadline().is_none()))
    });
}

#[test]
fn only_a_pending_request_is_paused_and_only_a_paused_one_resumed() {
    let paused = |state: &State| matches!(state, State::Asked(Asked::Pending(clocks, _)) if clocks.paused_until().is_some());
    for_all(|case| {
        let (was, is) = (paused(&case.state), case.next().is_some_and(paused));
        let stops = matches!(case.input, Input::Pause);
        let goes_on = matches!(case.input, Input::Unpause);
        (!is || was || stops)
            && (!stops || (case.pending() && !was) == case.result.is_ok())
            && (!goes_on || was == case.result.is_ok() && !is)
    });
}

#[test]
fn nothing_but_a_pending_request_is_taken_back() {
    for_all(|case| {
        !matches!(case.input, Input::Cancel | Input::Deadlock | Input::SendFailed)
            || case.result.is_ok() == case.pending()
    });
}
