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
mod tool;

pub use self::canonical::{Decoded, Head, RawBody, decode_envelope, decode_message, encode};
pub use self::error::{DecodeError, JsonType, Shape, Syntax};
pub use self::json::Object;
pub(crate) use self::nearest::nearest;
pub use self::note::Note;
pub use self::plan::decode_plan;
pub use self::tool::{ToolCall, ToolMessage, decode_tool_call, looks_like_protocol};
