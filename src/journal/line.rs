//! The journal: every input that changed something, one line of JSON each, in order.
//!
//! An engine is a function of what goes into it, so its inputs are all that must be kept: the time,
//! the call, and the randomness that it drew. Whoever puts them in again, in order, gets the same
//! state, on every machine.
//!
//! A line is `{"sum":…,"after":…,"v":1,"n":…,"at":…,"released":…,"drawn":[…],"input":{…}}`:
//!
//! | field | meaning |
//! |---|---|
//! | `sum` | 16 hex digits: the start of BLAKE3 over the rest of the line. A line that was changed does not fit it |
//! | `after` | the sum of the line before; zeros before the first. A line that another engine wrote does not fit it |
//! | `v` | the version of the format |
//! | `n` | the lines are numbered from 1 without gaps |
//! | `at` | the engine's time (ms since the Unix epoch), which never goes back |
//! | `released` | up to which line everything had been handed over when this input came; left out where that is the line before |
//! | `audit` | the number of the next audit entry when this input came; left out where the lines before tell it: what is refused has entries, and no line |
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
    /// Its sum; 0 before the first.
    pub(crate) sum: u64,
}

/// What one line says.
pub(crate) struct Line<'a> {
    pub(crate) head: Head,
    pub(crate) at: Timestamp,
    pub(crate) released: u64,
    pub(crate) audit: Option<u64>,
    pub(crate) drawn: Vec<u128>,
    pub(crate) input: Value<'a>,
}

/// What there is to say of an input.
pub(crate) struct Rest<'a> {
    pub(crate) at: Timestamp,
    pub(crate) released: u64,
    pub(crate) audit: Option<u64>,
    pub(crate) drawn: &'a [u128],
    /// As JSON.
    pub(crate) input: &'a str,
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineError {
    /// It is no line of a journal, or was changed.
    Corrupt,
    /// A later version wrote it.
    Newer(u64),
    /// It goes on from another line than the one before.
    Elsewhere,
    /// Lines before it are missing.
    Gap(u64),
    /// There was a line of this number.
    Again(u64),
}

/// The fields of a line behind its sum.
#[derive(Serialize)]
struct Written<'a> {
    after: String,
    v: u64,
    n: u64,
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    released: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<u64>,
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
pub(crate) fn write(before: Head, rest: &Rest<'_>) -> (Head, String) {
    let n = before.n + 1;
    let rest = Written {
        after: hex::<16>(before.sum.into()),
        v: VERSION,
        n,
        at: rest.at,
        released: (rest.released != before.n).then_some(rest.released),
        audit: rest.audit,
        drawn: rest.drawn.iter().map(|bits| hex::<32>(*bits)).collect(),
        input: Json(rest.input),
    };
    let rest = json::to_string(&rest);
    let rest = rest.get(1..).unwrap_or_default();
    let sum = sum_of(rest);
    (Head { n, sum }, format!("{SUM}{}\",{rest}", hex::<16>(sum.into())))
}

/// Reads the line that must come after this one.
pub(crate) fn read(before: Head, text: &str) -> Result<Line<'_>, LineError> {
    let (sum, mut object) = checked(text).ok_or(LineError::Corrupt)?;
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
    if sum_in(&object, "after").ok_or(LineError::Corrupt)? != before.sum {
        return Err(LineError::Elsewhere);
    }
    let at = Timestamp::from_ms(number(&object, "at").ok_or(LineError::Corrupt)?);
    let released = number(&object, "released").unwrap_or(before.n);
    let audit = number(&object, "audit");
    let drawn = match object.take("drawn") {
        None => Vec::new(),
        Some(drawn) => json::from_value::<Vec<String>>(drawn)
            .ok()
            .and_then(|all| all.iter().map(|hex| u128::from_str_radix(hex, 16).ok()).collect())
            .ok_or(LineError::Corrupt)?,
    };
    let input = object.take("input").ok_or(LineError::Corrupt)?;
    Ok(Line { head: Head { n, sum }, at, released, audit, drawn, input })
}

/// The number and sum of a line, whatever came before it.
pub(crate) fn head_of(text: &str) -> Option<Head> {
    let (sum, object) = checked(text)?;
    Some(Head { n: number(&object, "n")?, sum })
}

/// The whole lines of a journal, and what a host that ended while it wrote has left behind them:
/// the start of a line, or room that a file system had set aside and not filled (no line has a zero
/// byte). A zero byte with a sound line behind it is damage, and stays among the lines.
pub(crate) fn split_torn(journal: &str) -> (&str, &str) {
    let sound = |end: &str| end.lines().any(|line| head_of(line).is_some());
    let filled = match journal.split_once('\0') {
        Some((filled, behind)) if !sound(behind) => filled,
        Some(_) | None => journal,
    };
    let whole = filled.rfind('\n').map_or(0, |end| end + 1);
    journal.split_at_checked(whole).unwrap_or_default()
}

/// The sum of a line, which fits it, and its fields.
fn checked(text: &str) -> Option<(u64, Object<'_>)> {
    let (sum, rest) = text.strip_prefix(SUM)?.split_once("\",")?;
    // Digits that only mean the same were changed, too.
    let sum = u64::from_str_radix(sum, 16).ok().filter(|read| hex::<16>((*read).into()) == sum)?;
    let object = json::parse(text, &UNBOUNDED).ok()?.into_object()?;
    (sum == sum_of(rest)).then_some((sum, object))
}

fn sum_in(object: &Object<'_>, field: &str) -> Option<u64> {
    let Value::Text(hex) = object.get(field)? else { return None };
    u64::from_str_radix(hex, 16).ok()
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

fn sum_of(rest: &str) -> u64 {
    let start = blake3::hash(rest.as_bytes()).as_bytes().first_chunk().copied();
    u64::from_be_bytes(start.unwrap_or_default())
}

pub(crate) fn hex<const DIGITS: usize>(bits: u128) -> String {
    let mut text = [b'0'; DIGITS];
    write_hex(bits, &mut text);
    ascii(&text).to_owned()
}

const SUM: &str = "{\"sum\":\"";

/// What was saved comes from the host's own store, and was bounded when it came in.
pub(crate) const UNBOUNDED: Limits =
    Limits { frame_bytes: usize::MAX, depth: 128, items: usize::MAX, ..Limits::DEFAULT };

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tick(released: u64, drawn: &[u128]) -> Rest<'_> {
        Rest { at: Timestamp::from_ms(5), released, audit: None, drawn, input: "\"tick\"" }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_line_comes_back_as_it_was_and_fits_only_behind_its_own(
            (n, sum, at, back) in (0..u64::MAX / 2, any::<u64>(), any::<u64>(), 0..3u64),
            drawn in prop::collection::vec(any::<u128>(), 0..4),
            text: String,
        ) {
            let before = Head { n, sum };
            let released = n.saturating_sub(back);
            let input = json::to_string(&text);
            let audit = (back == 1).then_some(at);
            let rest = Rest {
                at: Timestamp::from_ms(at), released, audit, drawn: &drawn, input: &input,
            };
            let (head, line) = write(before, &rest);
            prop_assert!(!line.contains('\n'), "one line");
            let Ok(again) = read(before, &line) else { panic!("{line}") };
            prop_assert_eq!((again.head, again.at.as_ms(), again.released), (head, at, released));
            prop_assert_eq!((again.audit, again.drawn), (audit, drawn));
            prop_assert_eq!(again.input, Value::Text(text.into()));
            prop_assert_eq!(head_of(&line), Some(head));
            let elsewhere = Head { n, sum: sum ^ 1 };
            prop_assert_eq!(read(elsewhere, &line).err(), Some(LineError::Elsewhere));
            let later = Head { n: n + 1, sum };
            prop_assert_eq!(read(later, &line).err(), Some(LineError::Again(n + 1)));
            if n > 0 {
                let earlier = Head { n: n - 1, sum };
                prop_assert_eq!(read(earlier, &line).err(), Some(LineError::Gap(n + 1)));
            }
        }

        #[test]
        fn a_line_with_a_changed_byte_is_no_line(place: prop::sample::Index, byte in 0x20..0x7fu8) {
            let (_, line) = write(Head { n: 7, sum: 9 }, &tick(7, &[3]));
            let mut bytes = line.into_bytes();
            let at = place.index(bytes.len());
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(read(Head { n: 7, sum: 9 }, &changed).err(), Some(LineError::Corrupt), "{}", changed);
        }
    }

    #[test]
    fn a_sum_in_other_digits_of_the_same_value_is_a_changed_line() {
        for n in 0..64 {
            let before = Head { n, sum: 9 };
            let (_, line) = write(before, &tick(n, &[]));
            let (sum, rest) = line.split_at(SUM.len() + 16);
            let shouted = format!("{SUM}{}{rest}", sum[SUM.len()..].to_uppercase());
            let signed = line.replacen(&format!("{SUM}0"), &format!("{SUM}+"), 1);
            for changed in [shouted, signed].into_iter().filter(|changed| *changed != line) {
                assert_eq!(read(before, &changed).err(), Some(LineError::Corrupt), "{changed}");
            }
        }
    }
}
