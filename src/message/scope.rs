//! Guarded actions, and the scope entries that cover them.

use serde::Serialize;

use crate::stored::from_store;

/// A guarded action: `verb:resource`, for example `delete:src/auth/session.rs`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Action(String);

/// One entry of a plan's scope: an action, or every action below a folder (`verb:folder/**`).
///
/// Comparison is by whole segments and case-sensitive: `write:src/**` covers `write:src/a` and
/// `write:src/a/b`, and neither `write:src` nor `write:srcs/a` nor `delete:src/a`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeEntry {
    /// The action, or the folder with its trailing slash.
    text: String,
    /// Whether everything below `text` is meant.
    below: bool,
}

from_store!(struct ScopeEntry { text, below });

/// Why a text is no action or scope entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeError {
    /// No `verb:` in front, or a verb with other characters than `a-z 0-9 _ -`.
    NoVerb,
    /// Nothing after `verb:`.
    NoResource,
    /// A segment `.` or `..`: it would mean another place than it says.
    DotSegment,
    /// An empty segment, as in `a//b` or `a/`.
    EmptySegment,
    /// `*` anywhere but in a trailing `/**`.
    Wildcard,
    /// A control character or a backslash.
    BadCharacter,
}

impl Action {
    /// Parses `verb:resource`.
    ///
    /// # Errors
    /// [`ScopeError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }

    /// The action as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ScopeEntry {
    /// Parses `verb:resource` or `verb:folder/**`.
    ///
    /// # Errors
    /// [`ScopeError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let Some(folder) = text.strip_suffix("/**") else {
            check(text)?;
            return Ok(Self { text: text.to_owned(), below: false });
        };
        check(folder)?;
        Ok(Self { text: format!("{folder}/"), below: true })
    }

    /// Whether the entry covers the action.
    #[must_use]
    pub fn covers(&self, action: &Action) -> bool {
        if self.below { action.0.starts_with(&self.text) } else { action.0 == self.text }
    }
}

fn check(text: &str) -> Result<(), ScopeError> {
    let (verb, resource) = text.split_once(':').ok_or(ScopeError::NoVerb)?;
    let verb_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    if verb.is_empty() || !verb.bytes().all(verb_byte) {
        return Err(ScopeError::NoVerb);
    }
    if resource.is_empty() {
        return Err(ScopeError::NoResource);
    }
    if resource.chars().any(|c| c.is_control() || c == '\\') {
        return Err(ScopeError::BadCharacter);
    }
    if resource.contains('*') {
        return Err(ScopeError::Wildcard);
    }
    // An absolute path begins with one slash.
    let relative = resource.strip_prefix('/').unwrap_or(resource);
    for segment in relative.split('/') {
        match segment {
            "" => return Err(ScopeError::EmptySegment),
            "." | ".." => return Err(ScopeError::DotSegment),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(entry: &str, action: &str) -> bool {
        ScopeEntry::parse(entry).unwrap().covers(&Action::parse(action).unwrap())
    }

    #[test]
    fn an_entry_covers_exactly_itself() {
        assert!(covers("delete:src/a.rs", "delete:src/a.rs"));
        assert!(!covers("delete:src/a.rs", "delete:src/A.rs"));
        assert!(!covers("delete:src/a.rs", "write:src/a.rs"));
        assert!(!covers("delete:src", "delete:src/a.rs"));
    }

    #[test]
    fn a_trailing_wildcard_covers_whole_segments_below() {
        assert!(covers("write:src/**", "write:src/a"));
        assert!(covers("write:src/**", "write:src/a/b"));
        assert!(covers("write:/etc/**", "write:/etc/passwd"));
        assert!(!covers("write:src/**", "write:src"));
        assert!(!covers("write:src/**", "write:srcs/a"));
        assert!(!covers("write:src/**", "delete:src/a"));
    }

    #[test]
    fn what_could_mean_another_place_is_refused() {
        let cases = [
            ("src/a", ScopeError::NoVerb),
            (":a", ScopeError::NoVerb),
            ("Write:a", ScopeError::NoVerb),
            ("write:", ScopeError::NoResource),
            ("write:src/../etc", ScopeError::DotSegment),
            ("write:./a", ScopeError::DotSegment),
            ("write:a//b", ScopeError::EmptySegment),
            ("write:a/", ScopeError::EmptySegment),
            ("write:*", ScopeError::Wildcard),
            ("write:**", ScopeError::Wildcard),
            ("write:/", ScopeError::EmptySegment),
            ("write:a/*/b", ScopeError::Wildcard),
            ("write:a/**/b", ScopeError::Wildcard),
            ("write:a\\..\\b", ScopeError::BadCharacter),
            ("write:a\0", ScopeError::BadCharacter),
        ];
        for (text, error) in cases {
            assert_eq!(ScopeEntry::parse(text), Err(error), "{text:?}");
            assert_eq!(Action::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(Action::parse("write:src/**"), Err(ScopeError::Wildcard));
        assert_eq!(ScopeEntry::parse("write:/**"), Err(ScopeError::NoResource));
    }
}
