//! Every code there is, explained.

use super::{Lang, ProtocolError, examples, rule};
use crate::effect::Alarm;
use crate::journal::DropReason;

/// What one code means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: &'static str,
    /// The name of the [`Family`](super::Family) of an error, `dropped` for a frame that was
    /// dropped, `alarm` for an alarm.
    pub family: &'static str,
    /// The group of rules: one of [`RULES`](super::RULES).
    pub rule: &'static str,
    /// What it says. For an error this is the message of an example.
    pub what: String,
    /// The safe next step.
    pub next: String,
}

/// Every code: those of errors, of drops, and of alarms, in this order.
///
/// A few codes are both a drop or an error and the alarm that goes with it; these are here twice.
pub fn catalogue(lang: Lang) -> impl Iterator<Item = CodeInfo> {
    let errors = examples::all().into_iter().map(move |error| of_error(&error, lang));
    let drops = DropReason::ALL.into_iter().map(move |reason| CodeInfo {
        code: reason.code(),
        family: DROPPED,
        rule: rule::of_drop(reason),
        what: reason.explain(lang).to_owned(),
        next: reason.hint(lang).to_owned(),
    });
    let alarms = Alarm::ALL.into_iter().map(move |alarm| CodeInfo {
        code: alarm.name(),
        family: ALARM,
        rule: rule::of_alarm(alarm),
        what: alarm.explain(lang).to_owned(),
        next: alarm.hint(lang).to_owned(),
    });
    errors.chain(drops).chain(alarms)
}

/// Explains a code; `None` when there is no such code. Of a code that is there twice the alarm
/// goes without saying: it is raised for the drop or error that is explained.
#[must_use]
pub fn explain_code(code: &str, lang: Lang) -> Option<CodeInfo> {
    catalogue(lang).find(|info| info.code == code)
}

fn of_error(error: &ProtocolError, lang: Lang) -> CodeInfo {
    CodeInfo {
        code: error.code(),
        family: error.family().name(),
        rule: error.rule(),
        what: error.message(lang),
        next: error.hint(lang),
    }
}

/// The family of dropped frames, named as in the audit.
const DROPPED: &str = "dropped";

/// The family of alarms, named as in the audit.
const ALARM: &str = "alarm";
