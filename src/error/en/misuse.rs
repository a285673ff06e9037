//! English: what a host must not do.

use super::decode;
use super::invalid::scope;
use crate::error::render::quoted;
use crate::error::{EscalationError, Misuse};
use crate::time::Millis;

pub(super) fn message(error: &Misuse) -> String {
    let most = Millis::MAX_FROM_OUTSIDE;
    match error {
        Misuse::BadClock => {
            format!("`now` is no time, expected milliseconds from 0 to {most}")
        }
        Misuse::BadSpan { field } => {
            format!("`{field}` is no span of time, expected milliseconds from 0 to {most}")
        }
        Misuse::Closed => "the engine is closed".into(),
        Misuse::NoRandomness => "this machine gives no random numbers, and no seed was set".into(),
        Misuse::BadOption { why } => format!("an option is not usable: {}", decode::message(why)),
        Misuse::EffectsPending => {
            "not everything that the inputs caused was handed over yet".into()
        }
        Misuse::UnknownPermit => {
            "there is nothing to give back for this permit: unknown, given back, reported, or for \
             a plan of many uses"
                .into()
        }
        Misuse::UnknownSection => "no critical section with this id is open".into(),
        Misuse::TooManySections { limit } => {
            format!("{limit} critical sections are open, which is the most accepted")
        }
        Misuse::BadAction { found, why } => {
            format!("{} is no action: {}", quoted(found), scope(*why))
        }
        Misuse::NameTaken { name } => {
            format!("the name `{name}` is taken, by a member or an alias, in this or another case")
        }
        Misuse::SecondLead => "the team has a lead already, and exactly one is accepted".into(),
        Misuse::TooManyMembers { limit } => {
            format!("the team has {limit} members, which is the most accepted")
        }
        Misuse::BadEscalation { why: EscalationError::NotLeaving } => {
            "only a request to leave is asked again by itself".into()
        }
        Misuse::BadEscalation { why: EscalationError::Attempts { attempts, most } } => {
            format!("{attempts} attempts were set, from 1 to {most} are accepted")
        }
        Misuse::LifeNotLater { name } => {
            format!("the announced life of `{name}` is not later than the one that is known")
        }
    }
}

pub(super) fn hint(error: &Misuse) -> String {
    match error {
        Misuse::BadClock => "pass the milliseconds since the Unix epoch by the host's clock",
        Misuse::BadSpan { .. } => "pass a finite number that is not negative, or leave it out",
        Misuse::Closed => "make a new engine, with a new incarnation",
        Misuse::NoRandomness => {
            "run where a secure source of random numbers exists; set a seed only in tests"
        }
        Misuse::BadOption { .. } => "correct the option as the types of the package describe it",
        Misuse::EffectsPending => {
            "drain all effects and deliver them, tell so with `released`, then take the snapshot"
        }
        Misuse::UnknownPermit => "give a permit back only once, and only if its work did not start",
        Misuse::UnknownSection => "leave each section once, with the id that entering it returned",
        Misuse::TooManySections { .. } => "leave sections when their work ends, also when it fails",
        Misuse::BadAction { .. } => {
            "write the action as `verb:resource`, as in `delete:src/old.rs`"
        }
        Misuse::NameTaken { .. } => {
            "choose another name; if it is the same member in a new life, announce that life"
        }
        Misuse::SecondLead => "add the member as `worker` or `approver`",
        Misuse::TooManyMembers { .. } => "raise `limits.members`, or divide the work among teams",
        Misuse::BadEscalation { .. } => {
            "set it for shutdowns only, with as many attempts as `limits.lineage` leaves"
        }
        Misuse::LifeNotLater { .. } => {
            "announce lives in the order in which they began; this one is over, or this engine's"
        }
    }
    .to_owned()
}
