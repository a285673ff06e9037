//! What a request is about: the name of its kind, and what a generic request brings along.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use super::plan::{Digest, FieldHasher, Uses};
use crate::stored::{self, FromStore, Source, from_store};

/// What a request is about, by name. What a kind means stands in the table of kinds; the names
/// below are those of the rows that are always there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(transparent)]
pub struct Kind(
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(
            type = "\"shutdown\" | \"plan_approval\" | \"dependency\" | \"plan_request\" | (string & {})"
        )
    )]
    Cow<'static, str>,
);

/// Why a text is not the name of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindNameError {
    /// The empty text.
    Empty,
    /// More than [`MAX_KIND_LENGTH`] characters.
    TooLong,
    /// Something else than `a-z`, `0-9` and `_`, or a digit or `_` in front.
    BadCharacter,
}

/// The longest name of a kind, in characters.
pub const MAX_KIND_LENGTH: usize = 64;

/// JSON that a kind of the host's own carries: any value, as compact text.
///
/// White space between tokens is dropped; members keep their order, numbers are kept as they were
/// written. That text is what the digest is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Payload(#[cfg_attr(target_arch = "wasm32", tsify(type = "unknown"))] Box<str>);

/// What a generic request asks for, beside its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    /// What the kind defines.
    pub payload: Option<Payload>,
    /// With a kind that opens a gate: the guarded actions that an approval covers.
    pub scope: Vec<String>,
    /// With a kind that opens a gate: how often an approval may be used.
    pub uses: Uses,
}

from_store!(struct Details { payload, scope, uses });

impl Kind {
    /// The lead asks a worker to leave.
    pub const SHUTDOWN: Self = Self(Cow::Borrowed("shutdown"));
    /// A worker asks for a plan to be approved.
    pub const PLAN_APPROVAL: Self = Self(Cow::Borrowed("plan_approval"));
    /// A worker waits for something that another worker makes. Opens no gate.
    pub const DEPENDENCY: Self = Self(Cow::Borrowed("dependency"));

    /// The lead asks a worker for a plan; the worker's gate is shut until one is approved.
    pub const PLAN_REQUEST: Self = Self(Cow::Borrowed("plan_request"));

    /// Parses a name: a small letter, then small letters, digits and `_`, 64 in all.
    ///
    /// # Errors
    /// [`KindNameError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, KindNameError> {
        let Some(first) = text.bytes().next() else { return Err(KindNameError::Empty) };
        if text.len() > MAX_KIND_LENGTH {
            return Err(KindNameError::TooLong);
        }
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if !first.is_ascii_lowercase() || !text.bytes().all(allowed) {
            return Err(KindNameError::BadCharacter);
        }
        let known = [Self::SHUTDOWN, Self::PLAN_APPROVAL, Self::DEPENDENCY, Self::PLAN_REQUEST];
        let known = known.into_iter().find(|kind| kind.name() == text);
        Ok(known.unwrap_or_else(|| Self(Cow::Owned(text.to_owned()))))
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStore for Kind {
    fn read(from: &mut dyn Source) -> Self {
        stored::text(from, |text| Self::parse(text).ok(), || Self::SHUTDOWN)
    }
}

impl Payload {
    /// Takes compact JSON that was read before.
    pub(crate) fn from_compact(json: String) -> Self {
        Self(json.into())
    }

    /// The JSON as text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Our writer of JSON takes bytes for JSON that is written already.
        serializer.serialize_bytes(self.as_json().as_bytes())
    }
}

impl FromStore for Payload {
    fn read(from: &mut dyn Source) -> Self {
        Self::from_compact(from.json())
    }
}

impl Details {
    /// The digest of a request of this kind: what a decision on it is bound to.
    #[must_use]
    pub fn digest(&self, kind: &Kind) -> Digest {
        let Self { payload, scope, uses } = self;
        let mut input = FieldHasher::new("team-protocols request v1");
        input.text(1, kind.name());
        input.text(2, payload.as_ref().map_or("", Payload::as_json));
        input.list(3, scope);
        input.text(4, uses.name());
        input.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kinds_are_words_of_the_wire() {
        for good in ["shutdown", "resource_grant", "a", "k8s_rollout", &"x".repeat(64)] {
            assert_eq!(Kind::parse(good).unwrap().name(), good);
        }
        assert_eq!(Kind::parse("shutdown"), Ok(Kind::SHUTDOWN));
        assert_eq!(Kind::parse(""), Err(KindNameError::Empty));
        assert_eq!(Kind::parse(&"x".repeat(65)), Err(KindNameError::TooLong));
        for bad in ["Shutdown", "9", "_a", "a-b", "a b", "数据"] {
            assert_eq!(Kind::parse(bad), Err(KindNameError::BadCharacter), "{bad}");
        }
    }

    #[test]
    fn everything_in_a_generic_request_counts_for_its_digest() {
        let kind = |text| Kind::parse(text).unwrap();
        let payload = |json: &str| Some(Payload::from_compact(json.to_owned()));
        let base = || Details { payload: payload("{\"a\":1}"), ..Details::default() };
        let digest = base().digest(&kind("a"));
        let others = [
            base().digest(&kind("b")),
            Details { payload: payload("{\"a\":1.0}"), ..base() }.digest(&kind("a")),
            Details { payload: None, ..base() }.digest(&kind("a")),
            Details { scope: vec!["write:a".into()], ..base() }.digest(&kind("a")),
            Details { uses: Uses::Once, ..base() }.digest(&kind("a")),
        ];
        for (at, other) in others.iter().enumerate() {
            assert_ne!(digest, *other, "variation {at}");
        }
    }

    #[test]
    fn the_digest_of_a_known_request_never_changes() {
        let details = Details {
            payload: Some(Payload::from_compact("{\"cpu\":2}".into())),
            scope: vec!["use:gpu/0".into()],
            uses: Uses::Once,
        };
        let digest = details.digest(&Kind::parse("resource_grant").unwrap());
        assert_eq!(digest.to_string(), PINNED);
    }

    /// Taken from the first build; a change here breaks every peer.
    const PINNED: &str = "b3_bdc6a452679db2770e47be9e03293a40de3b74381a92fa0f7d02040ffaa75b12";
}
