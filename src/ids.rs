//! Names and ids as types: a member, a request, one life of a member.
//!
//! Parse once, then carry the proof. Also owns [`IdSource`], the one door through which
//! randomness enters the core. Imports `time`.

use std::borrow::Borrow;
use std::fmt;

use serde::Serialize;

use crate::stored::{self, FromStore, Source, from_store};
use crate::time::Timestamp;

/// The longest member name, in ASCII characters (as the mailboxes in the field have it).
pub const MAX_NAME_LENGTH: usize = 64;

/// The longest request id that is accepted from a peer, in characters.
pub const MAX_REQUEST_ID_LENGTH: usize = 256;

/// The name of a team member: 1 to 64 of `A-Z a-z 0-9 _ -`, safe as a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(transparent)]
pub struct MemberName(#[cfg_attr(target_arch = "wasm32", tsify(type = "string"))] Box<str>);

/// Why a text is not a member name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The empty text.
    Empty,
    /// More than [`MAX_NAME_LENGTH`] characters.
    TooLong,
    /// A character outside `A-Z a-z 0-9 _ -`.
    BadCharacter,
}

/// A member's place in an engine's roster; stands for its name inside the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct MemberIndex(pub(crate) usize);

from_store!(newtype MemberIndex);

/// The id that ties a request, its decision and its execution feedback together.
///
/// Ours are `req_` and a random UUID in 32 hex digits (122 random bits). A peer's id is an opaque
/// string of 1 to 256 characters; matching is always the exact string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(transparent)]
pub struct RequestId(#[cfg_attr(target_arch = "wasm32", tsify(type = "string"))] Box<str>);

/// Why a text cannot be a request id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestIdError {
    /// The empty text.
    Empty,
    /// More than [`MAX_REQUEST_ID_LENGTH`] characters.
    TooLong,
}

/// Which life of a member this is: when it began, and 64 random bits.
///
/// Later lives compare greater. Written as `<start in ms>-<16 hex digits>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Incarnation {
    started_at: Timestamp,
    nonce: u64,
}

/// Where ids come from. The host supplies it, so the core stays deterministic.
pub trait IdSource {
    /// 128 random bits for a new request id.
    fn random_u128(&mut self) -> u128;
}

/// Ids that follow from a seed: for simulations, tests and replays that must come out the same
/// every time. Whoever knows the seed knows the ids.
#[derive(Clone, Debug)]
pub struct SeededIds {
    key: [u8; 32],
    drawn: u64,
}

impl SeededIds {
    /// The ids of this seed, from the first one on.
    #[must_use]
    pub fn new(seed: &str) -> Self {
        let mut key = blake3::Hasher::new();
        key.update(b"team-protocols seeded ids v1:").update(seed.as_bytes());
        Self { key: *key.finalize().as_bytes(), drawn: 0 }
    }
}

impl IdSource for SeededIds {
    fn random_u128(&mut self) -> u128 {
        let hash = blake3::keyed_hash(&self.key, &self.drawn.to_le_bytes());
        self.drawn += 1;
        let half = hash.as_bytes().first_chunk::<16>();
        u128::from_le_bytes(half.copied().unwrap_or_default())
    }
}

impl MemberName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`NameError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > MAX_NAME_LENGTH {
            return Err(NameError::TooLong);
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !text.bytes().all(allowed) {
            return Err(NameError::BadCharacter);
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MemberIndex {
    /// The member at this place of a roster, counted from 0.
    #[must_use]
    pub const fn new(place: usize) -> Self {
        Self(place)
    }
}

impl RequestId {
    /// A new id of our own from 128 random bits.
    #[must_use]
    pub fn from_random(bits: u128) -> Self {
        // Version 4, variant 1: the 122 remaining bits stay random.
        let uuid = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let mut text = *b"req_00000000000000000000000000000000";
        write_hex(uuid, &mut text[4..]);
        Self(ascii(&text).into())
    }

    /// Takes a peer's id as it is.
    ///
    /// # Errors
    /// [`RequestIdError`] when it is empty or too long.
    pub fn parse(text: &str) -> Result<Self, RequestIdError> {
        if text.is_empty() {
            return Err(RequestIdError::Empty);
        }
        // A cheap bound first: no text of at most 256 characters has more than 1024 bytes.
        if text.len() > 4 * MAX_REQUEST_ID_LENGTH || text.chars().count() > MAX_REQUEST_ID_LENGTH {
            return Err(RequestIdError::TooLong);
        }
        Ok(Self(text.into()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first characters, for people: `req_` and eight digits of our own ids.
    #[must_use]
    pub fn short(&self) -> &str {
        let end = self.0.char_indices().nth(SHORT_LENGTH).map_or(self.0.len(), |(at, _)| at);
        self.0.get(..end).unwrap_or(&self.0)
    }
}

impl Incarnation {
    /// A life that began at `started_at`, told from others by `nonce`.
    #[must_use]
    pub const fn new(started_at: Timestamp, nonce: u64) -> Self {
        Self { started_at, nonce }
    }

    /// Parses `<start in ms>-<16 hex digits>`; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (start, nonce) = text.split_once('-')?;
        let plain = start.bytes().all(|b| b.is_ascii_digit()) && !start.starts_with('0');
        if !plain && start != "0" {
            return None;
        }
        let started_at = Timestamp::from_ms(start.parse().ok()?);
        let nonce: &[u8; 16] = nonce.as_bytes().try_into().ok()?;
        let nonce = nonce.iter().try_fold(0, |bits, byte| Some(bits << 4 | hex_value(*byte)?))?;
        Some(Self { started_at, nonce })
    }

    /// When this life began.
    #[must_use]
    pub const fn started_at(self) -> Timestamp {
        self.started_at
    }

    /// The random part.
    #[must_use]
    pub const fn nonce(self) -> u64 {
        self.nonce
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(IncarnationText::of(*self).as_str())
    }
}

impl Borrow<str> for RequestId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for Incarnation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(IncarnationText::of(*self).as_str())
    }
}

impl FromStore for Incarnation {
    fn read(from: &mut dyn Source) -> Self {
        stored::text(from, Self::parse, || Self::new(Timestamp::from_ms(0), 0))
    }
}

impl FromStore for MemberName {
    fn read(from: &mut dyn Source) -> Self {
        stored::text(from, |text| Self::parse(text).ok(), || Self("".into()))
    }
}

impl FromStore for RequestId {
    fn read(from: &mut dyn Source) -> Self {
        stored::text(from, |text| Self::parse(text).ok(), || Self("".into()))
    }
}

/// A life as text, made without an allocation: every frame carries one or two.
struct IncarnationText {
    bytes: [u8; INCARNATION_LENGTH],
    from: usize,
}

impl IncarnationText {
    fn of(life: Incarnation) -> Self {
        let mut bytes = [b'-'; INCARNATION_LENGTH];
        write_hex(u128::from(life.nonce), &mut bytes[START_LENGTH + 1..]);
        let mut rest = life.started_at.as_ms();
        let mut from = START_LENGTH;
        for place in bytes[..START_LENGTH].iter_mut().rev() {
            *place = digit(rest % 10);
            rest /= 10;
            from -= 1;
            if rest == 0 {
                break;
            }
        }
        Self { bytes, from }
    }

    fn as_str(&self) -> &str {
        ascii(self.bytes.get(self.from..).unwrap_or_default())
    }
}

/// Fills `into` with the last hex digits of `value`.
pub(crate) fn write_hex(mut value: u128, into: &mut [u8]) {
    for place in into.iter_mut().rev() {
        *place = digit((value & 0xf) as u64);
        value >>= 4;
    }
}

/// The text of bytes that are ASCII.
pub(crate) fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

const fn digit(value: u64) -> u8 {
    match value {
        0..=9 => b'0' + value as u8,
        _ => b'a' - 10 + value as u8,
    }
}

/// Lower case only: one life has one text.
const fn hex_value(digit: u8) -> Option<u64> {
    match digit {
        b'0'..=b'9' => Some((digit - b'0') as u64),
        b'a'..=b'f' => Some((digit - b'a') as u64 + 10),
        _ => None,
    }
}

/// The digits of the largest start.
const START_LENGTH: usize = 20;

/// Start, dash, and 16 digits.
const INCARNATION_LENGTH: usize = START_LENGTH + 17;

/// `req_` and eight hex digits.
const SHORT_LENGTH: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_as_file_names() {
        for bad in ["", "../x", "a/b", "a b", "ä", "*", "a.b", "a\0", &"x".repeat(65)] {
            assert!(MemberName::parse(bad).is_err(), "{bad:?}");
        }
        assert!(MemberName::parse(&"x".repeat(64)).is_ok());
        assert!(MemberName::parse("team-lead").is_ok());
    }

    #[test]
    fn our_ids_are_version_4_uuids_behind_a_prefix() {
        let id = RequestId::from_random(u128::MAX);
        assert_eq!(id.as_str(), "req_ffffffffffff4fffbfffffffffffffff");
        assert_eq!(RequestId::from_random(0).as_str(), "req_00000000000040008000000000000000");
        assert_eq!(id.short(), "req_ffffffff");
    }

    #[test]
    fn a_foreign_id_is_counted_in_characters_not_bytes() {
        assert!(RequestId::parse(&"请".repeat(256)).is_ok());
        assert_eq!(RequestId::parse(&"请".repeat(257)), Err(RequestIdError::TooLong));
        assert_eq!(RequestId::parse(""), Err(RequestIdError::Empty));
        assert_eq!(RequestId::parse("请求").map(|id| id.short().to_owned()), Ok("请求".to_owned()));
    }

    #[test]
    fn an_incarnation_survives_its_own_text_and_nothing_else_parses() {
        let life = Incarnation::new(Timestamp::from_ms(1_700_000_000_000), 0xab);
        assert_eq!(life.to_string(), "1700000000000-00000000000000ab");
        for life in [life, Incarnation::new(Timestamp::from_ms(0), 0), LAST] {
            assert_eq!(Incarnation::parse(&life.to_string()), Some(life));
        }
        for bad in [
            "",
            "1",
            "1-",
            "-1",
            "01-00000000000000ab",
            "1-AB00000000000000",
            "+1-00000000000000ab",
            "1-00000000000000ab0",
        ] {
            assert_eq!(Incarnation::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_ids_every_time_and_another_seed_others() {
        let ids = |seed: &str| {
            let mut source = SeededIds::new(seed);
            [source.random_u128(), source.random_u128()]
        };
        assert_eq!(ids("a"), ids("a"));
        assert_ne!(ids("a"), ids("b"));
        assert_ne!(ids("a")[0], ids("a")[1]);
    }

    const LAST: Incarnation = Incarnation::new(Timestamp::from_ms(u64::MAX), u64::MAX);

    #[test]
    fn a_later_life_compares_greater() {
        let first = Incarnation::new(Timestamp::from_ms(1), u64::MAX);
        let second = Incarnation::new(Timestamp::from_ms(2), 0);
        assert!(first < second);
    }
}
