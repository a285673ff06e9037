//! What an error says, in the language that its reader prefers.
//!
//! A message names what was wrong, what was found and what would have been accepted. A hint is
//! the safe next step of whoever wrote the refused thing. Readers may be models that do what a
//! text tells them, so no hint proposes a decision, another identity, or a way past a rule; where
//! nothing is due, it says so.

use std::fmt;

use super::{ProtocolError, en, zh};
use crate::message::Lang;

impl ProtocolError {
    /// What was wrong, what was found, and what would have been accepted. Always one line;
    /// values from outside stand escaped in backticks.
    #[must_use]
    pub fn message(&self, lang: Lang) -> String {
        match lang {
            Lang::En => en::message(self),
            Lang::Zh => zh::message(self),
        }
    }

    /// The safe next step.
    #[must_use]
    pub fn hint(&self, lang: Lang) -> String {
        match lang {
            Lang::En => en::hint(self),
            Lang::Zh => zh::hint(self),
        }
    }
}

/// The English message.
impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Lang::En))
    }
}

impl std::error::Error for ProtocolError {}
