//! To whom a text is addressed.

use crate::ids::{MemberName, NameError};

/// To whom something is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// `*`: the whole team. Never the target of a structured message.
    Everyone,
    /// One member.
    Member(MemberName),
}

impl Recipient {
    /// Parses `*` or the name of a member.
    ///
    /// # Errors
    /// [`NameError`] says what is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text == EVERYONE {
            Ok(Self::Everyone)
        } else {
            MemberName::parse(text).map(Self::Member)
        }
    }

    /// The recipient as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Everyone => EVERYONE,
            Self::Member(name) => name.as_str(),
        }
    }
}

/// Not a member name, so it cannot be taken for one.
const EVERYONE: &str = "*";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_everyone_and_a_name_is_one() {
        assert_eq!(Recipient::parse("*"), Ok(Recipient::Everyone));
        let alice = Recipient::Member(MemberName::parse("alice").unwrap());
        assert_eq!(Recipient::parse("alice"), Ok(alice));
        for text in ["*", "team-lead"] {
            assert_eq!(
                Recipient::parse(text).map(|to| to.as_str().to_owned()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn what_is_almost_a_star_is_nobody() {
        for text in ["**", " *", "* ", "all members", "@alice"] {
            assert_eq!(Recipient::parse(text), Err(NameError::BadCharacter), "{text}");
        }
        assert_eq!(Recipient::parse(""), Err(NameError::Empty));
    }
}
