//! Text to message and back.
//!
//! Owns how frames are written: a bounded JSON reader, the canonical format, what a model writes
//! as tool input, and [`DecodeError`]. Decoding happens in stages so that the engine can check
//! who is speaking in between. Imports `ids`, `time`, `message` and `config`.

mod boolean;
mod canonical;
mod error;
mod fields;
mod json;
mod message;
mod nearest;
mod note;
mod plan;

pub use self::canonical::{Decoded, Head, RawBody, decode_envelope, decode_message, encode};
pub use self::error::{DecodeError, JsonType, Shape, Syntax};
pub use self::json::Object;
pub(crate) use self::nearest::nearest;
pub use self::note::Note;
/// tmp
pub fn looks_like_protocol(_: &str) -> bool {
    false
}
