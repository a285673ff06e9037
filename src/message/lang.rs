//! The languages that texts for people and models come in.

use serde::Serialize;

use crate::stored::from_store;

/// A language that texts come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese, 简体中文.
    Zh,
}

from_store!(enum Lang {
    "en" => En,
    "zh" => Zh,
});

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
