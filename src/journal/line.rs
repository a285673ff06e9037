//! The journal: every input that changed something, one line of JSON each, in order.
//!
//! An engine is a function of what goes into it, so its inputs are all that must be kept: the time,
//! the call, and the randomness that it drew. Whoever puts them in again, in order, gets the same
//! state, on every machine.
//!
//! A line is `{"chain":…,"v":1,"n":…,"at":…,"released":…,"drawn":[…],"input":{…}}`:
//!
//! | field | meaning |
//! |---|---|
//! | `chain` | 16 hex digits: the start of BLAKE3 over the chain of the line before and the rest of this one. A line that was changed, left out, or put in from another journal does not fit |
//! | `v` | the version of the format |
//! | `n` | the lines are numbered from 1 without gaps |
//! | `at` | the engine's time (ms since the Unix epoch), which never goes back |
//! | `released` | up to which line everything had been handed over when this input came; left out where that is the line before |
//! | `drawn` | the random bits that the input drew, 32 hex digits each; left out where there are none |
//! | `input` | the call, by name, with its arguments |

use serde::Serialize;

use crate::config::Limits;
use crate::ids::{ascii, write_hex};
use crate::time::Timestamp;
use crate::wire::json::{self, Object, Value};

/// The version of the format.
pub(crate) const VERSION: u64 = 1;

/// The last line of a journal, as the next one needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Its number; 0 before the first.
    pub(crate) n: u64,
    /// Its chain; 0 before the first.
    pub(crate) chain: u64,
}

/// What one line says.
pub(crate) struct Line<'a> {
    pub(crate) head: Head,
    pub(crate) at: Timestamp,
    pub(crate) released: u64,
    pub(crate) drawn: Vec<u128>,
    pub(crate) input: Value<'a>,
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineError {
    /// It is no line of a journal, or was changed.
    Corrupt,
    /// A later version wrote it.
    Newer(u64),
    /// It does not go on from the line before: another one was there.
    Unchained,
    /// Lines before it are missing.
    Gap(u64),
    /// There was a line of this number.
    Again(u64),
}

/// The fields of a line behind its chain.
#[derive(Serialize)]
struct Rest<'a> {
    v: u64,
    n: u64,
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    released: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drawn: Vec<String>,
    input: Json<'a>,
}

/// What is written as JSON already.
struct Json<'a>(&'a str);

impl Serialize for Json<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Our writer takes bytes for that.
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

/// Writes a line, and tells what the next one goes on from.
pub(crate) fn write(
    before: Head,
    at: Timestamp,
    released: u64,
    drawn: &[u128],
    input: &str,
) -> (Head, String) {
    let n = before.n + 1;
    let rest = Rest {
        v: VERSION,
        n,
        at,
        released: (released != before.n).then_some(released),
        drawn: drawn.iter().map(|bits| hex::<32>(*bits)).collect(),
        input: Json(input),
    };
    let rest = json::to_string(&rest);
    let rest = rest.get(1..).unwrap_or_default();
    let chain = chained(before.chain, rest);
    (Head { n, chain }, format!("{CHAIN}{}\",{rest}", hex::<16>(chain.into())))
}

/// Reads the line that must come after this one.
pub(crate) fn read(before: Head, text: &str) -> Result<Line<'_>, LineError> {
    let chain = text.strip_prefix(CHAIN).ok_or(LineError::Corrupt)?;
    let (chain, rest) = chain.split_once("\",").ok_or(LineError::Corrupt)?;
    let chain = u64::from_str_radix(chain, 16).map_err(|_| LineError::Corrupt)?;
    let value = json::parse(text, &UNBOUNDED).ok().and_then(Value::into_object);
    let mut object = value.ok_or(LineError::Corrupt)?;
    let version = number(&object, "v").ok_or(LineError::Corrupt)?;
    if version > VERSION {
        return Err(LineError::Newer(version));
    }
    let n = number(&object, "n").ok_or(LineError::Corrupt)?;
    if n > before.n + 1 {
        return Err(LineError::Gap(n));
    }
    if n <= before.n {
        return Err(LineError::Again(n));
    }
    if chain != chained(before.chain, rest) {
        return Err(LineError::Unchained);
    }
    let at = Timestamp::from_ms(number(&object, "at").ok_or(LineError::Corrupt)?);
    let released = number(&object, "released").unwrap_or(before.n);
    let drawn = match object.take("drawn") {
        None => Vec::new(),
        Some(drawn) => json::from_value::<Vec<String>>(drawn)
            .ok()
            .and_then(|all| all.iter().map(|hex| u128::from_str_radix(hex, 16).ok()).collect())
            .ok_or(LineError::Corrupt)?,
    };
    let input = object.take("input").ok_or(LineError::Corrupt)?;
    Ok(Line { head: Head { n, chain }, at, released, drawn, input })
}

/// The number and chain of a line, whatever came before it.
pub(crate) fn head_of(text: &str) -> Option<Head> {
    let chain = text.strip_prefix(CHAIN)?.split_once("\",")?.0;
    let chain = u64::from_str_radix(chain, 16).ok()?;
    let object = json::parse(text, &UNBOUNDED).ok()?.into_object()?;
    Some(Head { n: number(&object, "n")?, chain })
}

fn number(object: &Object<'_>, field: &str) -> Option<u64> {
    match object.get(field)? {
        Value::Number(digits) => digits.parse().ok(),
        Value::Null
        | Value::True
        | Value::False
        | Value::Text(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

fn chained(before: u64, rest: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before.to_le_bytes()).update(rest.as_bytes());
    let start = hasher.finalize().as_bytes().first_chunk().copied();
    u64::from_le_bytes(start.unwrap_or_default())
}

pub(crate) fn hex<const DIGITS: usize>(bits: u128) -> String {
    let mut text = [b'0'; DIGITS];
    write_hex(bits, &mut text);
    ascii(&text).to_owned()
}

const CHAIN: &str = "{\"chain\":\"";

/// What was saved comes from the host's own store, and was bounded when it came in.
pub(crate) const UNBOUNDED: Limits =
    Limits { frame_bytes: usize::MAX, depth: 128, items: usize::MAX, ..Limits::DEFAULT };
