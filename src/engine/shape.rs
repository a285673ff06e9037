//! How an answer must look, spelled out for the model that has to write it.

use super::Engine;
use super::ledger::Entry;
use super::words::{self, reason_placeholder};
use crate::ids::MemberName;
use crate::message::{Kind, Lang, Reminder};
use crate::wire::json;

/// The two answers to a request, as the tool input that gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerShape {
    pub(super) approve: String,
    pub(super) reject: String,
}

/// The exact answers to a request of `asker`.
pub(super) fn answer_shape(
    kind: &Kind,
    request_id: &str,
    asker: &MemberName,
    lang: Lang,
) -> AnswerShape {
    let (message, why) = if *kind == Kind::SHUTDOWN {
        ("shutdown_response", "reason")
    } else if *kind == Kind::PLAN_APPROVAL {
        ("plan_approval_response", "feedback")
    } else {
        ("response", "reason")
    };
    // Ids of peers may hold anything; names need no escapes.
    let id = json::to_string(&request_id);
    let answer = |decision: &str| {
        format!(
            r#"{{"to":"{asker}","message":{{"type":"{message}","request_id":{id},{decision}}}}}"#
        )
    };
    AnswerShape {
        approve: answer(r#""approve":true"#),
        reject: answer(&format!(r#""approve":false,"{why}":"{}""#, reason_placeholder(lang))),
    }
}

impl Engine {
    /// Marks a request that is sent again, and spells its answers out.
    pub(super) fn reminder(&self, entry: &Entry, count: u32) -> Reminder {
        let (kind, id, lang) = (entry.content.kind(), entry.id.as_str(), self.config.lang);
        let shape = answer_shape(kind, id, &self.config.member, lang);
        Reminder { count, text: words::reminder(lang, kind, id, &shape) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BooleanPolicy, Limits};
    use crate::wire;

    #[test]
    fn what_is_spelled_out_is_understood_by_our_own_reader() {
        let asker = MemberName::parse("bob").unwrap();
        for kind in [Kind::SHUTDOWN, Kind::PLAN_APPROVAL, Kind::DEPENDENCY] {
            let shapes = Lang::ALL.map(|lang| answer_shape(&kind, "req_1", &asker, lang));
            for text in shapes.into_iter().flat_map(|shape| [shape.approve, shape.reject]) {
                let call = wire::decode_tool_call(&text, &Limits::default(), BooleanPolicy::Strict);
                assert!(call.is_ok_and(|call| call.notes.is_empty()), "{text}");
            }
        }
    }
}
