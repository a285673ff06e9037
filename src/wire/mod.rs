//! Text to message and back.
//!
//! Owns how frames are written: a bounded JSON reader, the canonical format, what a model writes
//! as tool input, and [`DecodeError`]. Decoding happens in stages so that the engine can check
//! who is speaking in between. Imports `ids`, `time`, `message` and `config`.

mod boolean;
mod canonical;
mod error;
mod fields;
pub(crate) mod json;
mod message;
mod nearest;
mod note;
mod plan;
mod probe;
mod tool;

pub use self::canonical::{Decoded, Head, RawBody, decode_envelope, decode_message, encode};
#[cfg(target_arch = "wasm32")]
pub(crate) use self::error::cut;
pub use self::error::{DecodeError, JsonType, Shape, Syntax};
#[cfg(target_arch = "wasm32")]
pub(crate) use self::fields::{Decode, Fields, choice, kind, texts, wrong_type};
pub use self::json::Object;
#[cfg(target_arch = "wasm32")]
pub(crate) use self::json::Value;
pub(crate) use self::nearest::nearest;
pub use self::note::Note;
pub use self::plan::{decode_payload, decode_plan};
pub use self::tool::{ToolCall, ToolMessage, decode_tool_call, looks_like_protocol};
