//! Strict, typed handshakes for teams of LLM agents.
pub mod authority;
pub mod config;
pub mod ids;
pub mod message;
pub mod time;
pub mod validate;
pub mod wire;
