//! Every state and every input, with names.

use team_protocols::fsm::{
    Answer, Asked, Ballot, Clocks, Context, Feedback, Input, Owed, Panel, Settlement, State,
    WorkReport,
};
use team_protocols::{Approval, Cause, DeadlineKind, MemberIndex, Millis, Status, Timestamp};

/// Before anything is due.
const EARLY: u64 = 1_000;
/// When a reminder is due.
const REMIND: u64 = 20_000;
/// When every state below is overdue, and no cap has come.
const LATE: u64 = 70_000;
/// After every cap.
const END: u64 = 700_000;

/// One member decides.
static ALONE: Panel = Panel::One(MemberIndex::new(1));

pub(crate) fn states() -> Vec<(String, State)> {
    let paused = clocks().pause(Timestamp::from_ms(500), Millis::new(30_000)).unwrap();
    let waits = |clocks| Asked::Pending(clocks, Ballot::default());
    let mut states = vec![
        ("asked pending".to_owned(), waits(clocks()).into()),
        ("asked pending, paused".to_owned(), waits(paused).into()),
    ];
    for (name, feedback) in feedbacks() {
        states.push((format!("asked approved, {name}"), Asked::Approved(end(), feedback).into()));
    }
    for (name, state) in [
        ("asked rejected", Asked::Rejected(end())),
        ("asked timed_out", Asked::TimedOut(end())),
        ("asked cancelled", Asked::Cancelled(end())),
    ] {
        states.push((name.to_owned(), state.into()));
    }
    let until = Timestamp::from_ms(60_000);
    states.push(("owed open".to_owned(), Owed::Open { until }.into()));
    states.push(("owed deferred".to_owned(), Owed::Deferred { until }.into()));
    for (name, feedback) in feedbacks() {
        states.push((
            format!("owed approved, {name}"),
            Owed::Approved(answer(true), feedback).into(),
        ));
    }
    states.push(("owed rejected".to_owned(), Owed::Rejected(answer(false)).into()));
    for status in terminal() {
        let state = Owed::Closed { status, cause: Cause::Member };
        states.push((format!("owed closed as {}", status.name()), state.into()));
    }
    states
}

fn feedbacks() -> Vec<(&'static str, Feedback)> {
    let at = Timestamp::from_ms(60_000);
    vec![
        ("exit due", Feedback::ExitDue { by: at }),
        ("exit overdue", Feedback::ExitOverdue),
        ("exited", Feedback::Exited),
        ("nothing more", Feedback::Nothing),
        ("report due", Feedback::ReportDue { by: None }),
        ("report due by then", Feedback::ReportDue { by: Some(at) }),
        ("report sent", Feedback::ReportSent { report: worked(), again_at: at, left: 2 }),
        (
            "report sent for the last time",
            Feedback::ReportSent { report: worked(), again_at: at, left: 0 },
        ),
        ("reported", Feedback::Reported { report: worked() }),
        ("reported failed", Feedback::Reported { report: WorkReport::first(false) }),
        ("reported undone", Feedback::Reported { report: undone(true) }),
        ("reported not undone", Feedback::Reported { report: undone(false) }),
        ("abandoned", Feedback::Abandoned),
    ]
}

pub(crate) fn inputs() -> Vec<(String, Input)> {
    let mut inputs: Vec<(String, Input)> = Vec::new();
    let mut add = |name: &str, input| inputs.push((name.to_owned(), input));
    for approve in [true, false] {
        let word = if approve { "yes" } else { "no" };
        let by = decider();
        add(&format!("response {word}"), Input::Response { answer: answer(approve), by });
        add(&format!("decide {word}"), Input::Decide(answer(approve)));
        add(&format!("report {word}"), Input::Report { report: WorkReport::first(approve) });
        add(&format!("finish {word}"), Input::Finish { ok: approve });
    }
    add("progress", Input::Progress);
    add("asked again", Input::AskedAgain { until: None });
    let until = Some(Timestamp::from_ms(800_000));
    add("asked again, longer", Input::AskedAgain { until });
    add("exited", Input::Exited);
    add("defer", Input::Defer);
    add("resume", Input::Resume);
    for ok in [true, false] {
        let word = if ok { "" } else { "not " };
        add(&format!("report {word}undone"), Input::Report { report: undone(ok) });
        add(&format!("{word}undone"), Input::RolledBack { ok });
    }
    let by = decider();
    add("acknowledged", Input::Acknowledged { by, rolled_back: None });
    add("acknowledged undone", Input::Acknowledged { by, rolled_back: Some(true) });
    add("cancel", Input::Cancel);
    add("pause", Input::Pause);
    add("unpause", Input::Unpause);
    add("deadlock", Input::Deadlock);
    add("send failed", Input::SendFailed);
    for status in terminal() {
        let cause = if status == Status::TimedOut { Cause::Clock } else { Cause::Member };
        add(&format!("told {}", status.name()), Input::Told { status, cause });
    }
    for kind in DeadlineKind::ALL {
        add(&format!("due {kind:?}"), Input::Due(kind));
    }
    for cause in Cause::ALL {
        add(&format!("gone {}", cause.name()), Input::Gone(cause));
    }
    for cause in [Cause::PeerLeft, Cause::PeerLost, Cause::SendFailed] {
        let by = decider();
        add(&format!("decider gone {}", cause.name()), Input::ApproverGone { by, cause });
    }
    inputs
}

pub(crate) fn contexts() -> Vec<(String, Context<'static>)> {
    let mut contexts = Vec::new();
    for (kind, approval) in [
        ("nothing", Approval::Nothing),
        ("leaves", Approval::Leaves),
        ("gate", Approval::OpensGate),
    ] {
        for (clock, now) in [("early", EARLY), ("remind", REMIND), ("late", LATE), ("end", END)] {
            let context = Context {
                panel: &ALONE,
                now: Timestamp::from_ms(now),
                approval,
                exit_grace: Millis::new(10_000),
                report_every: Millis::new(15_000),
                report_repeats: 3,
                report_due: Millis::new(600_000),
                pause_max: Millis::new(86_400_000),
            };
            contexts.push((format!("{kind} {clock}"), context));
        }
    }
    contexts
}

const fn worked() -> WorkReport {
    WorkReport::first(true)
}

const fn undone(ok: bool) -> WorkReport {
    WorkReport { ok: false, rolled_back: Some(ok) }
}

fn terminal() -> Vec<Status> {
    Status::ALL.into_iter().filter(|status| status.is_terminal()).collect()
}

fn clocks() -> Clocks {
    Clocks::start(Timestamp::from_ms(0), Millis::new(60_000), Millis::new(600_000), 3)
}

fn end() -> Settlement {
    Settlement {
        at: Timestamp::from_ms(500),
        cause: Cause::Member,
        by: Some(decider()),
        note: None,
        retry_after: None,
        payload: None,
        ballot: Ballot::default(),
    }
}

fn answer(approve: bool) -> Answer {
    Answer { approve, note: Some("why".to_owned()), ..Answer::default() }
}

fn decider() -> MemberIndex {
    MemberIndex::new(1)
}
