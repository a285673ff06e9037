//! The whole state of an engine as one text, and why one cannot be gone on from.
//!
//! A snapshot is `{"snapshot":1,"bytes":…,"sum":…,"body":{…}}`: version, length and checksum (the
//! first 128 bits of BLAKE3, in hex) of the body, then the body, whose fields stand in a fixed
//! order, so that equal states give equal texts. The checksum finds damage, not malice: whoever may
//! write where a host keeps its snapshots is trusted like the host. What the body holds is the
//! engine's affair. Imports `ids`, `journal` and how `wire` reads JSON.

use crate::ids::MemberName;
use crate::journal::line::{LineError, UNBOUNDED, hex};
use crate::wire::json::{self, Value};

/// The version of the format.
const VERSION: u64 = 1;

/// Why an engine cannot go on from what was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// Neither a snapshot nor a journal that begins at its beginning.
    Nothing,
    /// The text ends before it should.
    Truncated {
        /// Where: `snapshot`.
        path: String,
    },
    /// It is damaged, or was never one.
    Corrupt {
        /// Where: `snapshot`, or `journal[n]` for the n-th line of the text, from 1.
        path: String,
    },
    /// A later version of this crate wrote it.
    Newer {
        /// Where, as with [`Corrupt`](Self::Corrupt).
        path: String,
        /// The version it has.
        found: u64,
        /// The last version that is known here.
        known: u64,
    },
    /// It is another member's.
    Foreign {
        /// Whose it is.
        found: MemberName,
        /// Whose it should be.
        expected: MemberName,
    },
    /// The journal does not begin where the snapshot ends, or lines are missing in it.
    Gap {
        /// Where, as with [`Corrupt`](Self::Corrupt).
        path: String,
        /// The number of the line that should be there.
        expected: u64,
        /// The number of the line that is.
        found: u64,
    },
    /// Two engines have gone on from the same state: there are two lines of one number, or the
    /// journal goes on otherwise than the snapshot.
    Twice {
        /// Where, as with [`Corrupt`](Self::Corrupt).
        path: String,
        /// The number of the line that is there twice.
        n: u64,
    },
    /// An input does not do what it did: another version wrote it whose rules were others.
    Diverged {
        /// Where, as with [`Corrupt`](Self::Corrupt).
        path: String,
    },
}

impl RestoreError {
    /// What is wrong with the n-th line of a journal.
    pub(crate) fn of_line(error: LineError, place: usize, expected: u64) -> Self {
        let path = format!("journal[{place}]");
        match error {
            LineError::Corrupt => Self::Corrupt { path },
            LineError::Newer(found) => {
                Self::Newer { path, found, known: crate::journal::line::VERSION }
            }
            LineError::Elsewhere => Self::Twice { path, n: expected },
            LineError::Gap(found) => Self::Gap { path, expected, found },
            LineError::Again(n) => Self::Twice { path, n },
        }
    }

    /// Where in what was saved.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Nothing | Self::Foreign { .. } => None,
            Self::Truncated { path }
            | Self::Corrupt { path }
            | Self::Newer { path, .. }
            | Self::Gap { path, .. }
            | Self::Twice { path, .. }
            | Self::Diverged { path } => Some(path),
        }
    }
}

/// Puts a body into its envelope.
pub(crate) fn seal(body: &str) -> String {
    let (bytes, sum) = (body.len(), sum(body));
    format!("{{\"snapshot\":{VERSION},\"bytes\":{bytes},\"sum\":\"{sum}\",\"body\":{body}}}")
}

/// Takes the body out of its envelope.
pub(crate) fn unseal(text: &str) -> Result<Value<'_>, RestoreError> {
    let path = || "snapshot".to_owned();
    let corrupt = || RestoreError::Corrupt { path: path() };
    let rest = text.strip_prefix("{\"snapshot\":").ok_or_else(corrupt)?;
    let (version, rest) = rest.split_once(",\"bytes\":").ok_or_else(corrupt)?;
    let found: u64 = version.parse().map_err(|_| corrupt())?;
    if found > VERSION {
        return Err(RestoreError::Newer { path: path(), found, known: VERSION });
    }
    if found != VERSION {
        return Err(corrupt());
    }
    let (bytes, rest) = rest.split_once(",\"sum\":\"").ok_or_else(corrupt)?;
    let bytes: usize = bytes.parse().map_err(|_| corrupt())?;
    let (sum_there, rest) = rest.split_once("\",\"body\":").ok_or_else(corrupt)?;
    if rest.len() <= bytes {
        return Err(RestoreError::Truncated { path: path() });
    }
    let (body, end) = rest.split_at_checked(bytes).ok_or_else(corrupt)?;
    if end.trim_end() != "}" || sum_there != sum(body) {
        return Err(corrupt());
    }
    json::parse(body, &UNBOUNDED).map_err(|_| corrupt())
}

fn sum(body: &str) -> String {
    let half = blake3::hash(body.as_bytes());
    let half = half.as_bytes().first_chunk().copied().unwrap_or_default();
    hex::<32>(u128::from_be_bytes(half))
}
