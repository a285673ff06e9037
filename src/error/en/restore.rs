//! English: why nobody can go on from what was saved.

use crate::error::render::quoted;
use crate::snapshot::RestoreError;

pub(super) fn message(error: &RestoreError) -> String {
    match error {
        RestoreError::Nothing => {
            "nothing to go on from, expected a snapshot or a journal from its first line on".into()
        }
        RestoreError::Truncated { path } => format!("{} ends too early", quoted(path)),
        RestoreError::Corrupt { path } => {
            format!("{} is damaged, or is something else", quoted(path))
        }
        RestoreError::Newer { path, found, known } => {
            format!("{} has version {found}, the last one known here is {known}", quoted(path))
        }
        RestoreError::Foreign { found, expected } => {
            format!("this was saved by `{found}`, expected `{expected}`")
        }
        RestoreError::Gap { path, expected, found } => {
            format!("{} has number {found}, expected number {expected}", quoted(path))
        }
        RestoreError::Twice { path, n } => {
            format!("{} is a second line with number {n}: two engines went on", quoted(path))
        }
        RestoreError::Diverged { path } => {
            format!("{} does not do again what it did", quoted(path))
        }
    }
}

pub(super) fn hint(error: &RestoreError) -> String {
    match error {
        RestoreError::Nothing => {
            "make a new engine with a new incarnation, and let the lead announce it"
        }
        RestoreError::Truncated { .. } => {
            "look for the rest of it, or use an older snapshot with its whole journal; without one, \
             make a new engine with a new incarnation"
        }
        RestoreError::Corrupt { .. } => {
            "use an older snapshot with its whole journal; without one, make a new engine with a new \
             incarnation"
        }
        RestoreError::Newer { .. } => "restore with the version that wrote it, or a later one",
        RestoreError::Foreign { .. } => "give each member its own place to save to",
        RestoreError::Gap { .. } => "find the missing lines; do not go on without them",
        RestoreError::Twice { .. } => {
            "stop the other engine, and let one process at a time open the journal; then make a new \
             engine with a new incarnation"
        }
        RestoreError::Diverged { .. } => {
            "restore with the version that wrote it, and take a snapshot before the upgrade"
        }
    }
    .to_owned()
}
