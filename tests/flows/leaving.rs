//! Leaving.
