//! The semantic boolean: what models write when they mean yes or no.
//!
//! A decision is read or refused, never guessed: no default, no truthiness.

use super::error::{DecodeError, Shape};
use super::json::Value;
use super::note::Note;
use crate::config::BooleanPolicy;

/// A boolean, and how it was written if not as one.
pub(crate) type ReadBoolean = (bool, Option<Note>);

/// Reads a required boolean.
pub(crate) fn boolean(
    value: Option<&Value<'_>>,
    path: String,
    policy: BooleanPolicy,
) -> Result<ReadBoolean, DecodeError> {
    let Some(value) = value else {
        return Err(DecodeError::MissingField { path, expected: Shape::Boolean });
    };
    if let Value::True | Value::False = value {
        return Ok((*value == Value::True, None));
    }
    let found = value.excerpt();
    match understood(value, policy) {
        Some(meant) => Ok((meant, Some(Note::BooleanFromText { path, found }))),
        None => Err(DecodeError::InvalidBoolean { path, found, accepted: accepted(policy) }),
    }
}

/// What `policy` accepts, as it would be written.
pub(crate) const fn accepted(policy: BooleanPolicy) -> &'static [&'static str] {
    match policy {
        BooleanPolicy::Strict => &["true", "false"],
        BooleanPolicy::Semantic => &["true", "false", "\"true\"", "\"false\""],
        BooleanPolicy::Wide => &[
            "true",
            "false",
            "\"true\"",
            "\"false\"",
            "\"yes\"",
            "\"no\"",
            "\"y\"",
            "\"n\"",
            "\"on\"",
            "\"off\"",
            "\"1\"",
            "\"0\"",
            "1",
            "0",
            "\"approve\"",
            "\"approved\"",
            "\"reject\"",
            "\"rejected\"",
        ],
    }
}

fn understood(value: &Value<'_>, policy: BooleanPolicy) -> Option<bool> {
    match (value, policy) {
        (Value::Text(text), BooleanPolicy::Semantic) => word(text, &YES, &NO),
        (Value::Text(text), BooleanPolicy::Wide) => {
            word(text, &YES, &NO).or_else(|| word(text, &WIDE_YES, &WIDE_NO))
        }
        (Value::Number(digits), BooleanPolicy::Wide) => word(digits, &["1"], &["0"]),
        _ => None,
    }
}

fn word(text: &str, yes: &[&str], no: &[&str]) -> Option<bool> {
    let text = text.trim_ascii();
    let is = |word: &&str| text.eq_ignore_ascii_case(word);
    if yes.iter().any(is) {
        return Some(true);
    }
    no.iter().any(is).then_some(false)
}

const YES: [&str; 1] = ["true"];
const NO: [&str; 1] = ["false"];
const WIDE_YES: [&str; 6] = ["yes", "y", "on", "1", "approve", "approved"];
const WIDE_NO: [&str; 6] = ["no", "n", "off", "0", "reject", "rejected"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use crate::wire::json;

    const POLICIES: [BooleanPolicy; 3] =
        [BooleanPolicy::Strict, BooleanPolicy::Semantic, BooleanPolicy::Wide];

    fn read(text: &str, policy: BooleanPolicy) -> Result<ReadBoolean, DecodeError> {
        let value = json::parse(text, &Limits::default()).unwrap();
        boolean(Some(&value), "approve".into(), policy)
    }

    /// What each policy makes of a value: `t`, `f` or `-` for refused, in the order of
    /// [`POLICIES`].
    const TABLE: &[(&str, &str)] = &[
        ("true", "ttt"),
        ("false", "fff"),
        // Quoted by tool clients, capitalised by models that think in Python.
        (r#""true""#, "-tt"),
        (r#""false""#, "-ff"),
        (r#""True""#, "-tt"),
        (r#""False""#, "-ff"),
        (r#""TRUE""#, "-tt"),
        (r#""tRuE""#, "-tt"),
        (r#"" TRUE ""#, "-tt"),
        (r#""true\n""#, "-tt"),
        (r#""\t false\r\n""#, "-ff"),
        // The wide set.
        (r#""yes""#, "--t"),
        (r#""no""#, "--f"),
        (r#""YES""#, "--t"),
        (r#"" No ""#, "--f"),
        (r#""y""#, "--t"),
        (r#""n""#, "--f"),
        (r#""on""#, "--t"),
        (r#""off""#, "--f"),
        (r#""1""#, "--t"),
        (r#""0""#, "--f"),
        ("1", "--t"),
        ("0", "--f"),
        (r#""approve""#, "--t"),
        (r#""Approved""#, "--t"),
        (r#""reject""#, "--f"),
        (r#""rejected""#, "--f"),
        // Never.
        ("null", "---"),
        (r#""""#, "---"),
        (r#"" ""#, "---"),
        ("[]", "---"),
        ("[true]", "---"),
        ("{}", "---"),
        (r#"{"approve":true}"#, "---"),
        ("2", "---"),
        ("-1", "---"),
        ("1.0", "---"),
        ("1e0", "---"),
        ("-0", "---"),
        (r#""01""#, "---"),
        (r#""NaN""#, "---"),
        (r#""null""#, "---"),
        (r#""undefined""#, "---"),
        (r#""\"true\"""#, "---"),
        (r#""true.""#, "---"),
        (r#""true false""#, "---"),
        (r#""t""#, "---"),
        (r#""enabled""#, "---"),
        (r#""ok""#, "---"),
        (r#""not approved""#, "---"),
        (r#""是""#, "---"),
        // White space that is not ASCII does not go unnoticed.
        ("\"true\u{a0}\"", "---"),
        ("\"\u{3000}true\"", "---"),
        ("\"true\u{200b}\"", "---"),
        ("\"ｔｒｕｅ\"", "---"),
    ];

    #[test]
    fn every_spelling_from_the_field_is_read_or_refused_as_listed() {
        for (text, outcomes) in TABLE {
            for (policy, outcome) in POLICIES.into_iter().zip(outcomes.chars()) {
                let expected = match outcome {
                    't' => Some(true),
                    'f' => Some(false),
                    _ => None,
                };
                let value = read(text, policy).ok().map(|(value, _)| value);
                assert_eq!(value, expected, "{text} with {policy:?}");
            }
        }
    }

    #[test]
    fn a_plain_boolean_is_not_noted_and_every_other_one_is() {
        for (text, _) in TABLE {
            let Ok((_, note)) = read(text, BooleanPolicy::Wide) else { continue };
            let plain = ["true", "false"].contains(text);
            assert_eq!(note.is_none(), plain, "{text}");
        }
        let noted = Note::BooleanFromText { path: "approve".into(), found: "\" TRUE \"".into() };
        assert_eq!(read(r#"" TRUE ""#, BooleanPolicy::Semantic), Ok((true, Some(noted))));
    }

    #[test]
    fn a_refusal_tells_what_was_found_and_what_would_do() {
        let refusal = |found: &str| DecodeError::InvalidBoolean {
            path: "approve".into(),
            found: found.into(),
            accepted: &["true", "false", "\"true\"", "\"false\""],
        };
        for (text, found) in [(r#""yes""#, "\"yes\""), ("1", "1"), ("null", "null"), ("[1]", "[…]")]
        {
            assert_eq!(read(text, BooleanPolicy::Semantic), Err(refusal(found)));
        }
    }

    #[test]
    fn what_a_policy_claims_to_accept_it_accepts() {
        for policy in POLICIES {
            for text in accepted(policy) {
                assert!(read(text, policy).is_ok(), "{text} with {policy:?}");
            }
        }
        assert_eq!(accepted(BooleanPolicy::Wide).len(), 4 + WIDE_YES.len() + WIDE_NO.len() + 2);
    }

    #[test]
    fn a_missing_decision_is_no_decision() {
        for policy in POLICIES {
            assert_eq!(
                boolean(None, "approve".into(), policy),
                Err(DecodeError::MissingField { path: "approve".into(), expected: Shape::Boolean })
            );
        }
    }
}
