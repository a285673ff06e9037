//! A plan, and the digest that binds a decision to exactly that plan.

use std::fmt;

use serde::Serialize;

use crate::stored::{self, FromStore, Source, from_store};

/// What a worker wants to do, as the lead sees it. Unknown fields are refused, for the decision
/// would not cover them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Plan {
    /// One line; not blank.
    pub title: String,
    /// The guarded actions it needs: `verb:resource`, or `verb:folder/**`. An action outside
    /// the scope stays denied after the approval.
    pub scope: Vec<String>,
    /// What will be done, in order.
    pub steps: Vec<String>,
    /// What can go wrong; not blank.
    pub risk: String,
    /// The plan itself, free text.
    pub text: String,
}

from_store!(struct Plan { title, scope, steps, risk, text });

/// How often an approved plan may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Uses {
    /// Any number of actions in its scope, until the execution report.
    #[default]
    UntilReport,
    /// One action; spent when its work starts, given back when the start fails.
    Once,
}

from_store!(enum Uses {
    "until_report" => UntilReport,
    "once" => Once,
});

/// The digest of a plan: BLAKE3 over its fields, `b3_` and 64 hex digits as text.
///
/// Each field goes in as a tag, its length and its bytes, after a tag for the domain; lists also
/// tell their count. So no two different plans share an input, whatever their texts contain.
/// Nothing is normalised: a plan that differs in one code point is another plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Uses {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UntilReport => "until_report",
            Self::Once => "once",
        }
    }
}

impl Plan {
    /// The digest of this plan together with how often it may be used.
    #[must_use]
    pub fn digest(&self, uses: Uses) -> Digest {
        let Self { title, scope, steps, risk, text } = self;
        let mut input = FieldHasher::new("team-protocols plan v1");
        input.text(1, title);
        input.list(2, scope);
        input.list(3, steps);
        input.text(4, risk);
        input.text(5, text);
        input.text(6, uses.name());
        input.finish()
    }
}

/// Feeds typed, length-prefixed fields to the hash.
pub(crate) struct FieldHasher(blake3::Hasher);

impl FieldHasher {
    /// Starts a hash in a domain of its own.
    pub(crate) fn new(domain: &str) -> Self {
        let mut hasher = Self(blake3::Hasher::new());
        hasher.text(0, domain);
        hasher
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, tag: u8, text: &str) {
        self.number(tag, text.len() as u64);
        self.0.update(text.as_bytes());
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, tag: u8, number: u64) {
        let mut head = [tag; 9];
        if let Some(rest) = head.last_chunk_mut() {
            *rest = number.to_le_bytes();
        }
        self.0.update(&head);
    }

    /// Adds a list of texts.
    pub(crate) fn list(&mut self, tag: u8, items: &[String]) {
        self.number(tag, items.len() as u64);
        for item in items {
            self.text(tag, item);
        }
    }

    /// The digest of everything added.
    pub(crate) fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl Digest {
    /// Parses `b3_` and 64 lower-case hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("b3_")?;
        if hex.bytes().any(|b| b.is_ascii_uppercase()) {
            return None;
        }
        blake3::Hash::from_hex(hex).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3_{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStore for Digest {
    fn read(from: &mut dyn Source) -> Self {
        stored::text(from, Self::parse, || Self([0; 32]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            title: "t".into(),
            scope: vec!["write:a".into()],
            steps: vec!["one".into(), "two".into()],
            risk: "r".into(),
            text: "x".into(),
        }
    }

    #[test]
    fn every_field_counts() {
        let base = plan().digest(Uses::UntilReport);
        let others = [
            Plan { title: "T".into(), ..plan() }.digest(Uses::UntilReport),
            Plan { scope: vec!["write:b".into()], ..plan() }.digest(Uses::UntilReport),
            Plan { steps: vec!["onetwo".into()], ..plan() }.digest(Uses::UntilReport),
            Plan { steps: vec!["one".into(), "two".into(), String::new()], ..plan() }
                .digest(Uses::UntilReport),
            Plan { risk: "s".into(), ..plan() }.digest(Uses::UntilReport),
            Plan { text: "x\u{301}".into(), ..plan() }.digest(Uses::UntilReport),
            plan().digest(Uses::Once),
        ];
        for (i, other) in others.iter().enumerate() {
            assert_ne!(base, *other, "variation {i}");
        }
    }

    #[test]
    fn text_moved_from_one_field_to_the_next_is_another_plan() {
        let left = Plan { risk: "ab".into(), text: "c".into(), ..plan() };
        let right = Plan { risk: "a".into(), text: "bc".into(), ..plan() };
        assert_ne!(left.digest(Uses::Once), right.digest(Uses::Once));
        let listed = Plan { scope: vec!["a".into()], steps: vec![], ..plan() };
        let moved = Plan { scope: vec![], steps: vec!["a".into()], ..plan() };
        assert_ne!(listed.digest(Uses::Once), moved.digest(Uses::Once));
    }

    #[test]
    fn a_digest_survives_its_text_and_nothing_else_parses() {
        let digest = plan().digest(Uses::Once);
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        let upper = digest.to_string().to_uppercase().replace("B3_", "b3_");
        for bad in ["", "b3_", "b3_00", upper.as_str(), &digest.to_string()[3..]] {
            assert_eq!(Digest::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_digest_of_a_known_plan_never_changes() {
        assert_eq!(plan().digest(Uses::UntilReport).to_string(), PINNED);
    }

    /// Taken from the first build; a change here breaks every peer.
    const PINNED: &str = "b3_a94ad80dd7b6e92fd1bc6abd1a00bb1207df8a9a2e39cae6e0930568fe5b1446";
}
