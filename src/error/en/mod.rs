//! The texts in English.
//!
//! Lower-case, one line, no full stop at the end, values in backticks.

mod config;
mod decode;
mod invalid;
mod lineage;
mod misuse;
mod not_now;
pub(super) mod outcome;
mod restore;

use super::ProtocolError;

/// What was wrong.
pub(super) fn message(error: &ProtocolError) -> String {
    match error {
        ProtocolError::Decode(error) => decode::message(error),
        ProtocolError::Invalid(error) => invalid::message(error),
        ProtocolError::NotNow(error) => not_now::message(error),
        ProtocolError::Misuse(error) => misuse::message(error),
        ProtocolError::Config(error) => config::message(error),
        ProtocolError::Restore(error) => restore::message(error),
    }
}

/// What to do next.
pub(super) fn hint(error: &ProtocolError) -> String {
    match error {
        ProtocolError::Decode(error) => decode::hint(error),
        ProtocolError::Invalid(error) => invalid::hint(error),
        ProtocolError::NotNow(error) => not_now::hint(error),
        ProtocolError::Misuse(error) => misuse::hint(error),
        ProtocolError::Config(error) => config::hint(error),
        ProtocolError::Restore(error) => restore::hint(error),
    }
}
