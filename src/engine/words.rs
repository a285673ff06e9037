//! What the engine itself says to people and models, in the language of its configuration.

use super::shape::AnswerShape;
use crate::message::{Kind, Lang};
use crate::time::Millis;

/// Where the reason of a refusal is to be filled in.
pub(super) const fn reason_placeholder(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "<what stands against it>",
        Lang::Zh => "<填写反对的理由>",
    }
}

/// Reminds the other side's model of a request. Names nothing but the legal answers.
pub(super) fn reminder(lang: Lang, kind: &Kind, id: &str, shape: &AnswerShape) -> String {
    let AnswerShape { approve, reject } = shape;
    let kind = kind.name();
    match lang {
        Lang::En => format!(
            "The {kind} request {id} still waits for your answer; prose does not answer it. \
             To approve, send {approve}. To reject, send {reject}."
        ),
        Lang::Zh => format!(
            "{kind} 请求 {id} 仍在等待你的答复；普通文本不算答复。\
             同意请发送 {approve}。拒绝请发送 {reject}。"
        ),
    }
}

/// What blocks a shutdown, and for how long if that is known. `names` are quoted already.
pub(super) fn in_sections(lang: Lang, names: &[String], left: Option<Millis>) -> String {
    let seconds = left.map(|left| left.as_ms().div_ceil(1_000));
    match (lang, seconds) {
        (Lang::En, Some(seconds)) => {
            format!("in critical section {}, free in about {seconds} s", names.join(", "))
        }
        (Lang::En, None) => format!("in critical section {}, end not known", names.join(", ")),
        (Lang::Zh, Some(seconds)) => {
            format!("正处于关键区 {}，约 {seconds} 秒后空闲", names.join("、"))
        }
        (Lang::Zh, None) => format!("正处于关键区 {}，结束时间未知", names.join("、")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_name_the_id_and_both_answers() {
        let shape = AnswerShape { approve: "YES".into(), reject: "NO".into() };
        for lang in Lang::ALL {
            let text = reminder(lang, &Kind::SHUTDOWN, "req_1", &shape);
            for part in ["shutdown", "req_1", "YES", "NO"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }

    #[test]
    fn what_blocks_is_told_with_its_end_if_it_has_one() {
        let names = ["`a`".to_owned(), "`b`".to_owned()];
        let left = Some(Millis::new(7_001));
        let en = "in critical section `a`, `b`, free in about 8 s";
        assert_eq!(in_sections(Lang::En, &names, left), en);
        assert_eq!(in_sections(Lang::Zh, &names, left), "正处于关键区 `a`、`b`，约 8 秒后空闲");
        assert!(in_sections(Lang::En, &names, None).ends_with("end not known"));
        assert!(in_sections(Lang::Zh, &names, None).ends_with("结束时间未知"));
    }
}
