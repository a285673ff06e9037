//! The table that people read.

use std::collections::BTreeSet;
use std::fmt::Write;

use team_protocols::fsm::{
    Asked, Feedback, Owed, PauseError, Rejection, State, Step, WorkReport, transition,
};

use crate::cases::{contexts, inputs, states};

/// How many things an approval can mean.
const KINDS: usize = 3;

const HEAD: &str = "\
What every input does to a request, in every state of it.

`nothing`, `leaves` and `gate` are what an approval of the kind means; `early` is before anything is due,
`remind` when a reminder is, `late` after every deadline but the cap, `end` after the cap. A line without them holds for all.
What is refused stands at the end of each state, by the refusal.
";

/// Prints every case, those that come out alike in one line.
pub(crate) fn print() -> String {
    let mut table = HEAD.to_owned();
    for (name, state) in states() {
        writeln!(table, "\n{name}").unwrap();
        let mut refused: Vec<(String, Vec<String>)> = Vec::new();
        for (input_name, input) in inputs() {
            for (condition, outcome) in outcomes(&state, &input) {
                let case = format!("{input_name}{condition}");
                match outcome {
                    Ok(done) => writeln!(table, "  {case} -> {done}").unwrap(),
                    Err(why) => match refused.iter_mut().find(|(other, _)| *other == why) {
                        Some((_, cases)) => cases.push(case),
                        None => refused.push((why, vec![case])),
                    },
                }
            }
        }
        for (why, cases) in refused {
            writeln!(table, "  refused, {why}:").unwrap();
            for line in cases.chunks(4) {
                writeln!(table, "    {}", line.join(" | ")).unwrap();
            }
        }
    }
    table
}

/// The same as Markdown for people who write a peer: what each state accepts, and what follows.
pub(crate) fn markdown() -> String {
    let mut text = String::new();
    for (name, state) in states() {
        let mut rows: Vec<(Vec<String>, String)> = Vec::new();
        for (input_name, input) in inputs() {
            for (condition, outcome) in outcomes(&state, &input) {
                let Ok(done) = outcome else { continue };
                let case = format!("{input_name}{condition}");
                match rows.iter_mut().find(|(_, other)| *other == done) {
                    Some((cases, _)) => cases.push(case),
                    None => rows.push((vec![case], done)),
                }
            }
        }
        writeln!(text, "#### {name}\n").unwrap();
        if rows.is_empty() {
            writeln!(text, "Accepts nothing more.\n").unwrap();
            continue;
        }
        let mut lines = vec![HEADS.map(str::to_owned)];
        for (cases, done) in rows {
            let (next, actions) = done.split_once("; ").unwrap_or((&done, ""));
            let actions: Vec<_> = actions.split(", ").filter(|name| !name.is_empty()).collect();
            let actions: Vec<_> = actions.iter().map(|name| format!("`{name}`")).collect();
            lines.push([cases.join("; "), next.to_owned(), actions.join(", ")]);
        }
        aligned(&mut text, &lines);
        text.push('\n');
    }
    text
}

const HEADS: [&str; 3] = ["input", "next state", "what the engine does"];

/// A table as the formatter of the documents writes it.
fn aligned(text: &mut String, lines: &[[String; 3]]) {
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(3);
    let widths = [width(0), width(1), width(2)];
    for (number, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            write!(text, "| {cell:width$} ").unwrap();
        }
        text.push_str("|\n");
        if number == 0 {
            for width in widths {
                write!(text, "| {} ", "-".repeat(width)).unwrap();
            }
            text.push_str("|\n");
        }
    }
}

type Outcome = Result<String, String>;

/// The different outcomes, each with the contexts in which it comes about.
fn outcomes(state: &State, input: &team_protocols::fsm::Input) -> Vec<(String, Outcome)> {
    let mut found: Vec<(Vec<String>, Outcome)> = Vec::new();
    for (name, context) in contexts() {
        let outcome = match transition(state, input.clone(), context) {
            Ok(step) => Ok(describe(state, &step)),
            Err(rejection) => Err(refusal(rejection)),
        };
        match found.iter_mut().find(|(_, other)| *other == outcome) {
            Some((names, _)) => names.push(name),
            None => found.push((vec![name], outcome)),
        }
    }
    let alone = found.len() == 1;
    let condition = |names: Vec<String>| if alone { String::new() } else { condition(&names) };
    found.into_iter().map(|(names, outcome)| (condition(names), outcome)).collect()
}

/// The contexts in short: a kind that holds whatever the clock says, or the reverse, stands alone.
fn condition(names: &[String]) -> String {
    let words: Vec<(&str, &str)> = names.iter().filter_map(|name| name.split_once(' ')).collect();
    let kinds: BTreeSet<&str> = words.iter().map(|(kind, _)| *kind).collect();
    let clocks: Vec<&str> = contexts_of(words[0].0, &words);
    let regular = kinds.iter().all(|kind| contexts_of(kind, &words) == clocks);
    let (all_kinds, all_clocks) = (kinds.len() == KINDS, clocks.len() == contexts().len() / KINDS);
    match (regular, all_kinds, all_clocks) {
        (true, true, _) => format!(" ({})", clocks.join(", ")),
        (true, false, true) => format!(" ({})", words[0].0),
        (true | false, ..) => format!(" ({})", names.join(", ")),
    }
}

fn contexts_of<'a>(kind: &str, words: &[(&'a str, &'a str)]) -> Vec<&'a str> {
    words.iter().filter(|(other, _)| *other == kind).map(|(_, clock)| *clock).collect()
}

fn describe(before: &State, step: &Step) -> String {
    let next = if step.next == *before { "unchanged".to_owned() } else { name(&step.next) };
    let actions: Vec<_> = step.actions.iter().map(|action| format!("{action:?}")).collect();
    if actions.is_empty() { next } else { format!("{next}; {}", actions.join(", ")) }
}

fn name(state: &State) -> String {
    let settled = state.settlement().map(|settlement| {
        let by = if settlement.by.is_some() { " by the decider" } else { "" };
        format!(" [{}{by}]", settlement.cause.name())
    });
    let settled = settled.unwrap_or_default();
    let status = state.status().name();
    match state {
        State::Asked(Asked::Pending(clocks, _)) => {
            let paused = clocks.paused_until().map_or("", |_| ", paused");
            let (reminded, until) = (clocks.reminded(), clocks.expires_at().as_ms());
            format!("asked pending{paused} (reminded {reminded}, until {until})")
        }
        State::Asked(Asked::Approved(_, feedback)) => {
            format!("asked approved{settled}, {}", feedback_name(*feedback))
        }
        State::Asked(_) => format!("asked {status}{settled}"),
        State::Owed(Owed::Open { until }) => format!("owed open (until {})", until.as_ms()),
        State::Owed(Owed::Deferred { until }) => {
            format!("owed deferred (until {})", until.as_ms())
        }
        State::Owed(Owed::Approved(_, feedback)) => {
            format!("owed approved, {}", feedback_name(*feedback))
        }
        State::Owed(Owed::Rejected(_)) => "owed rejected".to_owned(),
        State::Owed(Owed::Closed { cause, .. }) => {
            format!("owed closed as {status} [{}]", cause.name())
        }
    }
}

fn feedback_name(feedback: Feedback) -> String {
    match feedback {
        // Relative to the moment, so that lines of the same meaning are alike.
        Feedback::ExitDue { .. } => "exit due".to_owned(),
        Feedback::ExitOverdue => "exit overdue".to_owned(),
        Feedback::Exited => "exited".to_owned(),
        Feedback::Nothing => "nothing more".to_owned(),
        Feedback::ReportDue { by: None } => "report due".to_owned(),
        Feedback::ReportDue { by: Some(_) } => "report due by then".to_owned(),
        Feedback::ReportSent { report, left, .. } => {
            format!("report {} sent, {left} left", said(report))
        }
        Feedback::Reported { report } => format!("reported {}", said(report)),
        Feedback::Abandoned => "abandoned".to_owned(),
    }
}

const fn yes(ok: bool) -> &'static str {
    if ok { "yes" } else { "no" }
}

fn refusal(rejection: Rejection) -> String {
    match rejection {
        Rejection::Late { status } => format!("late ({})", status.name()),
        Rejection::Duplicate { status } => format!("duplicate ({})", status.name()),
        Rejection::Conflicting { status } => format!("conflicting ({})", status.name()),
        Rejection::NotPending { status } => format!("not pending ({})", status.name()),
        Rejection::NotApproved { status } => format!("not approved ({})", status.name()),
        Rejection::Pause(PauseError::AlreadyPaused) => "already paused".to_owned(),
        Rejection::Pause(PauseError::NotPaused) => "not paused".to_owned(),
        Rejection::Pause(PauseError::UsedUp { .. }) => "pause used up".to_owned(),
        Rejection::WrongSide => "wrong side".to_owned(),
        Rejection::WrongKind => "wrong kind".to_owned(),
        Rejection::NotDue => "not due".to_owned(),
    }
}

fn said(report: WorkReport) -> String {
    let undone = match report.rolled_back {
        None => "",
        Some(true) => ", undone",
        Some(false) => ", not undone",
    };
    format!("{}{undone}", yes(report.ok))
}
