//! What an error says, in the language that its reader prefers.
//!
//! A message names what was wrong, what was found and what would have been accepted. A hint is
//! the safe next step of whoever wrote the refused thing. Readers may be models that do what a
//! text tells them, so no hint proposes a decision, another identity, or a way past a rule; where
//! nothing is due, it says so.

use std::fmt;

use super::{ProtocolError, en, zh};

/// A language that texts come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese, 简体中文.
    Zh,
}

impl Lang {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Reads a language tag such as `en`, `en-GB`, `zh`, `zh-CN` or `zh_Hans`, in any case; only
    /// its first part counts. `None` for a language we have no texts in.
    #[must_use]
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|lang| primary.eq_ignore_ascii_case(lang.name()))
    }

    /// Its tag.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn a_language_is_known_by_the_first_part_of_its_tag() {
        for tag in ["zh", "zh-CN", "ZH_hans", "zh_CN.UTF-8"] {
            assert_eq!(Lang::parse(tag), Some(Lang::Zh), "{tag}");
        }
        for tag in ["en", "EN-gb", "en_US.UTF-8"] {
            assert_eq!(Lang::parse(tag), Some(Lang::En), "{tag}");
        }
        for tag in ["", "fr", "english", "zhuang", "-zh"] {
            assert_eq!(Lang::parse(tag), None, "{tag}");
        }
    }
}
