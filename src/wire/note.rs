//! What was tolerated or understood in a text beyond its letter; the audit records it.

/// Something about a text that was accepted all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A field nobody knows. It is never acted on.
    UnknownField {
        /// Where.
        path: String,
    },
    /// A boolean that was written as text (with the wide policy also as 1 or 0).
    BooleanFromText {
        /// Where.
        path: String,
        /// The value as written.
        found: String,
    },
    /// Another spelling of a known field or type.
    Alias {
        /// The spelling, and where it stood.
        path: String,
        /// What it stands for.
        canonical: &'static str,
    },
    /// An object that was written as JSON inside a text.
    Unwrapped {
        /// Where; the empty path is the whole input.
        path: String,
    },
    /// There was no message; its text stood in `summary`.
    TextFromSummary,
}

impl Note {
    /// The name under which the audit records it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownField { .. } => "unknown_field",
            Self::BooleanFromText { .. } => "coerced",
            Self::Alias { .. } => "alias",
            Self::Unwrapped { .. } => "unwrapped",
            Self::TextFromSummary => "text_from_summary",
        }
    }

    /// The field that the note is about.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::UnknownField { path }
            | Self::BooleanFromText { path, .. }
            | Self::Alias { path, .. }
            | Self::Unwrapped { path } => path,
            Self::TextFromSummary => "summary",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Note;

    #[test]
    fn every_note_says_where() {
        let alias = Note::Alias { path: "message.requestId".into(), canonical: "request_id" };
        assert_eq!(alias.path(), "message.requestId");
        assert_eq!(Note::Unwrapped { path: String::new() }.path(), "");
        assert_eq!(Note::TextFromSummary.path(), "summary");
    }
}
