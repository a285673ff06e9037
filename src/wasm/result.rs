//! What a call leaves behind: a status, a result text, and the effects.

use serde::Serialize;

use super::room::Output;
use crate::engine::{Disposition, Engine};
use crate::error::ProtocolError;
use crate::message::Lang;
use crate::wire::json;

/// The result of a call: a text, or why it was refused.
pub(super) type Called = Result<String, ProtocolError>;

/// An error as JavaScript sees it.
#[derive(Serialize)]
pub(super) struct ErrorData<'a> {
    family: &'static str,
    code: &'static str,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    message: String,
    hint: String,
}

/// Leaves the result of a call that may be refused.
pub(super) fn finish(lang: Lang, result: Called, output: &mut Output) -> u32 {
    match result {
        Ok(text) => said(output, OK, &text),
        Err(error) => said(output, REFUSED, &error_json(&error, lang)),
    }
}

/// Leaves what became of a frame.
pub(super) fn became(lang: Lang, disposition: Disposition, output: &mut Output) -> u32 {
    match disposition {
        Disposition::Accepted(id) => said(output, ACCEPTED, id.as_str()),
        Disposition::Settled(id) => said(output, SETTLED, id.as_str()),
        Disposition::VoteRecorded(id) => said(output, VOTE_RECORDED, id.as_str()),
        Disposition::Noted(noted) => said(output, NOTED, noted.name()),
        Disposition::Dropped(reason) => said(output, DROPPED, reason.code()),
        Disposition::Refused(error) => said(output, FRAME_REFUSED, &error_json(&error, lang)),
    }
}

/// Leaves all effects: the host delivers them when the engine is not borrowed any more.
pub(super) fn drain(engine: &mut Engine, output: &mut Output) {
    while let Some(effect) = engine.poll_effect() {
        output.effect(&effect);
    }
}

fn said(output: &mut Output, status: u32, result: &str) -> u32 {
    output.result(result);
    status
}

fn error_json(error: &ProtocolError, lang: Lang) -> String {
    json::to_string(&error_data(error, lang))
}

pub(super) fn error_data(error: &ProtocolError, lang: Lang) -> ErrorData<'_> {
    ErrorData {
        family: error.family().name(),
        code: error.code(),
        rule: error.rule(),
        path: error.path(),
        message: error.message(lang),
        hint: error.hint(lang),
    }
}

const OK: u32 = 0;
/// The call was refused; the result is the error.
const REFUSED: u32 = 1;

const ACCEPTED: u32 = 2;
const SETTLED: u32 = 3;
const NOTED: u32 = 4;
const DROPPED: u32 = 5;
const FRAME_REFUSED: u32 = 6;
const VOTE_RECORDED: u32 = 7;
