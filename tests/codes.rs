//! The codes that programs decide by: none changes its name or disappears by accident, and none
//! is added without an explanation.
//!
//! `docs/codes.md` is the catalogue for people; run with `UPDATE_DOCS=1` to write it anew.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use team_protocols::{CodeInfo, Lang, catalogue, explain_code};

#[test]
fn codes_and_families_are_as_pinned() {
    let mut found: Vec<_> = catalogue(Lang::En).map(|info| (info.code, info.family)).collect();
    found.sort_unstable();
    assert_eq!(found, PINS);
}

#[test]
fn every_code_in_the_source_is_in_the_catalogue() {
    let (_, errors) = ERRORS.split_once("const fn decode_code").unwrap();
    let (_, drops) = DROPS.split_once("pub const fn code(self)").unwrap();
    let (_, alarms) = ALARMS.split_once("impl Alarm").unwrap();
    let (_, alarms) = alarms.split_once("pub const fn name(self)").unwrap();
    let in_source = [
        ("errors", codes(errors)),
        ("dropped", codes(first_function(drops))),
        ("alarm", codes(first_function(alarms))),
    ];
    let mut in_catalogue: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for info in catalogue(Lang::En) {
        let group =
            if ["dropped", "alarm"].contains(&info.family) { info.family } else { "errors" };
        assert!(in_catalogue.entry(group).or_default().insert(info.code), "{} twice", info.code);
    }
    assert_eq!(in_catalogue, BTreeMap::from(in_source));
}

#[test]
fn no_two_arms_have_the_same_code() {
    let (_, errors) = ERRORS.split_once("const fn decode_code").unwrap();
    assert_eq!(errors.matches("=> \"").count(), codes(errors).len());
}

#[test]
fn a_code_is_explained_in_the_language_asked_for() {
    for (code, _) in PINS {
        for lang in Lang::ALL {
            let info = explain_code(code, lang).unwrap();
            assert_eq!(info.code, *code);
        }
    }
    let en = explain_code("reason_required", Lang::En).unwrap();
    let zh = explain_code("reason_required", Lang::Zh).unwrap();
    assert_eq!((en.family, en.rule), (zh.family, zh.rule));
    assert_ne!(en.what, zh.what);
    assert_ne!(en.next, zh.next);
}

#[test]
fn a_code_with_an_alarm_of_the_same_name_is_explained_as_what_raised_it() {
    let twice: Vec<_> = PINS
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| (pair[0].0, [pair[0].1, pair[1].1]))
        .collect();
    assert_eq!(
        twice,
        [
            ("forged", ["alarm", "dropped"]),
            ("id_reused", ["alarm", "not_now"]),
            ("unannounced_life", ["alarm", "dropped"]),
        ]
    );
    for (code, families) in twice {
        let CodeInfo { family, .. } = explain_code(code, Lang::En).unwrap();
        assert_eq!(family, families[1]);
    }
}

#[test]
fn what_is_no_code_is_not_explained() {
    for text in ["", "Orphan", "orphan ", "TIMEOUT_REJECTED", "not_now"] {
        assert_eq!(explain_code(text, Lang::En), None, "{text}");
    }
}

#[test]
fn the_document_of_the_codes_says_what_the_catalogue_says() {
    let document = document();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/codes.md");
    #[expect(clippy::disallowed_methods, reason = "the switch is meant for people at a shell")]
    let update = std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    if update {
        fs::write(path, &document).unwrap();
    }
    let written = fs::read_to_string(path).unwrap();
    for (number, (now, then)) in document.lines().zip(written.lines()).enumerate() {
        assert_eq!(now, then, "line {}; UPDATE_DOCS=1 writes the file anew", number + 1);
    }
    assert_eq!(document.lines().count(), written.lines().count());
}

/// The catalogue in every language, as a document.
fn document() -> String {
    let mut text = "# Codes\n".to_owned();
    for lang in Lang::ALL {
        let (introduction, head) = match lang {
            Lang::En => (ENGLISH, "| family | code | what | next step |"),
            Lang::Zh => (CHINESE, "| 类别 | 代码 | 含义 | 下一步 |"),
        };
        write!(text, "\n{introduction}\n{head}\n| --- | --- | --- | --- |\n").unwrap();
        for CodeInfo { code, family, what, next, .. } in catalogue(lang) {
            let (what, next) = (cell(&what), cell(&next));
            writeln!(text, "| `{family}` | `{code}` | {what} | {next} |").unwrap();
        }
    }
    text
}

/// A text that does not end its cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

const ENGLISH: &str = "\
## English

Every code of an error, a dropped frame and an alarm, with what it means and the safe next step.
Programs decide by the code, which is stable; the texts are for people and models, and may change.

The **family** says whose fault it is: `undecodable` and `invalid` the sender's or the model's,
`not_now` perhaps nobody's, `misuse` and `configuration` the host's, `unrestorable` that of its store. A frame that is `dropped` was
well-formed and changed no request. An `alarm` asks the host to look after something. A few codes are
both a drop or error and the alarm that goes with it.

An error's text names what was found; here it is that of an example. The npm package has some codes
of its own for what never gets as far as the core; they are in
[`src/ts/errors.ts`](../src/ts/errors.ts).
";

const CHINESE: &str = "\
## 简体中文

错误、丢弃的帧和警报的全部代码，附含义和稳妥的下一步。程序依代码判断，代码保持稳定；文字供人和模型阅读，可能调整。

**类别**说明责任在谁：`undecodable` 和 `invalid` 在发送方或模型，`not_now` 可能不怪任何人，`misuse` 和
`configuration` 在宿主，`unrestorable` 在它的存储。`dropped` 的帧格式正确，但没有改变任何请求。`alarm` 请宿主查看某件事。少数代码既是丢弃或错误，
也是随之发出的警报。

错误的文字会写明实际的值，这里用的是示例。npm 包另有几个自己的代码，用于到不了核心的情况，见
[`src/ts/errors.ts`](../src/ts/errors.ts)。
";

/// The codes that the arms of a piece of source return.
fn codes(source: &'static str) -> BTreeSet<&'static str> {
    let arms = source.split("=> \"").skip(1);
    arms.filter_map(|arm| arm.split_once('"')).map(|(code, _)| code).collect()
}

/// Everything up to the end of the first method.
fn first_function(source: &'static str) -> &'static str {
    source.split_once("\n    }\n").map_or(source, |(function, _)| function)
}

const ERRORS: &str = include_str!("../src/error/code.rs");
const DROPS: &str = include_str!("../src/journal.rs");
const ALARMS: &str = include_str!("../src/effect.rs");

/// Every code and its family, in alphabetical order.
const PINS: &[(&str, &str)] = &[
    ("already_answered", "not_now"),
    ("already_paused", "not_now"),
    ("already_pending", "not_now"),
    ("already_rejected", "not_now"),
    ("ambiguous", "undecodable"),
    ("ambiguous_prefix", "not_now"),
    ("answer_conflicts", "not_now"),
    ("appeals_exhausted", "not_now"),
    ("approval_ended", "not_now"),
    ("approver_silent", "alarm"),
    ("bad_action", "misuse"),
    ("bad_clock", "misuse"),
    ("bad_escalation", "misuse"),
    ("bad_option", "misuse"),
    ("bad_span", "misuse"),
    ("blank", "invalid"),
    ("broadcast", "invalid"),
    ("broadcast_frame", "dropped"),
    ("cannot_follow", "not_now"),
    ("closed", "misuse"),
    ("config_alias_is_member", "configuration"),
    ("config_duplicate_member", "configuration"),
    ("config_kind_bad_limits", "configuration"),
    ("config_kind_circle", "configuration"),
    ("config_kind_lead_leaves", "configuration"),
    ("config_kind_nobody", "configuration"),
    ("config_kind_peers_open_gates", "configuration"),
    ("config_kind_taken", "configuration"),
    ("config_no_lead", "configuration"),
    ("config_self_not_listed", "configuration"),
    ("config_several_leads", "configuration"),
    ("config_timeout_over_cap", "configuration"),
    ("config_too_many_members", "configuration"),
    ("config_zero", "configuration"),
    ("conflicting", "dropped"),
    ("conflicting_decision", "alarm"),
    ("deadlock", "alarm"),
    ("digest_mismatch", "dropped"),
    ("digest_required", "invalid"),
    ("duplicate", "dropped"),
    ("duplicate_field", "undecodable"),
    ("effects_pending", "misuse"),
    ("forged", "alarm"),
    ("forged", "dropped"),
    ("from_self", "dropped"),
    ("gate_no_plan", "not_now"),
    ("gate_out_of_scope", "not_now"),
    ("gate_plan_required", "not_now"),
    ("gate_spent", "not_now"),
    ("id_reused", "alarm"),
    ("id_reused", "not_now"),
    ("in_critical_section", "not_now"),
    ("invalid_boolean", "undecodable"),
    ("invalid_choice", "undecodable"),
    ("invalid_digest", "undecodable"),
    ("invalid_id", "undecodable"),
    ("invalid_incarnation", "undecodable"),
    ("invalid_kind", "undecodable"),
    ("invalid_name", "undecodable"),
    ("invalid_number", "undecodable"),
    ("invalid_scope", "invalid"),
    ("invalid_stages", "invalid"),
    ("journal_gap", "unrestorable"),
    ("kind_mismatch", "not_now"),
    ("late", "dropped"),
    ("lead_silent", "alarm"),
    ("left_despite_cancel", "alarm"),
    ("life_not_later", "misuse"),
    ("lineage_exhausted", "not_now"),
    ("lone_surrogate", "undecodable"),
    ("lost_worker_alive", "alarm"),
    ("misaddressed", "dropped"),
    ("missing_field", "undecodable"),
    ("name_taken", "misuse"),
    ("nested_too_often", "undecodable"),
    ("no_randomness", "misuse"),
    ("not_allowed", "invalid"),
    ("not_an_object", "undecodable"),
    ("not_approved", "not_now"),
    ("not_exited", "alarm"),
    ("not_json", "undecodable"),
    ("not_paused", "not_now"),
    ("not_pending", "not_now"),
    ("not_rejected", "dropped"),
    ("nothing_saved", "unrestorable"),
    ("nothing_to_reopen", "not_now"),
    ("nothing_to_report", "not_now"),
    ("nothing_to_rerun", "not_now"),
    ("nothing_to_undo", "not_now"),
    ("orphan", "dropped"),
    ("own_messages", "invalid"),
    ("pause_used_up", "not_now"),
    ("reason_required", "invalid"),
    ("receiver_left", "dropped"),
    ("recipient_leaving", "not_now"),
    ("recipient_left", "not_now"),
    ("recipient_lost", "not_now"),
    ("reclaim", "alarm"),
    ("refused_repeatedly", "alarm"),
    ("replay_diverged", "unrestorable"),
    ("report_lost", "alarm"),
    ("report_overdue", "alarm"),
    ("request_id_missing", "not_now"),
    ("request_loop", "alarm"),
    ("response_not_to_lead", "invalid"),
    ("restored_twice", "unrestorable"),
    ("saved_corrupt", "unrestorable"),
    ("saved_foreign", "unrestorable"),
    ("saved_newer", "unrestorable"),
    ("saved_truncated", "unrestorable"),
    ("scope_mismatch", "invalid"),
    ("second_lead", "misuse"),
    ("self_leaving", "not_now"),
    ("send_failed", "alarm"),
    ("sender_left", "dropped"),
    ("stale_frame", "dropped"),
    ("stale_incarnation", "dropped"),
    ("storm", "alarm"),
    ("text_too_long", "invalid"),
    ("throttled", "dropped"),
    ("timeout_over_cap", "invalid"),
    ("to_oneself", "invalid"),
    ("too_deep", "undecodable"),
    ("too_large", "undecodable"),
    ("too_many_items", "undecodable"),
    ("too_many_members", "misuse"),
    ("too_many_open", "not_now"),
    ("too_many_sections", "misuse"),
    ("unannounced_life", "alarm"),
    ("unannounced_life", "dropped"),
    ("unapproved", "dropped"),
    ("unidentified", "dropped"),
    ("unknown_field", "undecodable"),
    ("unknown_kind", "invalid"),
    ("unknown_permit", "misuse"),
    ("unknown_recipient", "invalid"),
    ("unknown_request", "not_now"),
    ("unknown_section", "misuse"),
    ("unknown_sender", "dropped"),
    ("unknown_type", "undecodable"),
    ("unsupported_version", "undecodable"),
    ("work_not_running", "not_now"),
    ("worker_lost", "alarm"),
    ("would_deadlock", "not_now"),
    ("wrong_kind", "dropped"),
    ("wrong_responder", "dropped"),
    ("wrong_type", "undecodable"),
    ("zero_limit", "invalid"),
];
