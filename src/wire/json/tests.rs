use proptest::prelude::*;
use serde_json::Value as Oracle;

use super::*;
use crate::stored::from_store;
use crate::wire::error::Syntax;

fn limits() -> Limits {
    Limits { items: 100_000, depth: 128, ..Limits::default() }
}

fn read(text: &str) -> Result<Value<'_>, DecodeError> {
    parse(text, &limits())
}

fn refused(text: &str) -> DecodeError {
    read(text).expect_err(text)
}

fn syntax(at: usize, expected: Syntax) -> DecodeError {
    DecodeError::NotJson { at, expected }
}

/// Whether two trees mean the same. Numbers are compared as `serde_json` reads ours.
fn same(ours: &Value<'_>, oracle: &Oracle) -> bool {
    match (ours, oracle) {
        (Value::Null, Oracle::Null) => true,
        (Value::True, Oracle::Bool(true)) | (Value::False, Oracle::Bool(false)) => true,
        (Value::Text(a), Oracle::String(b)) => a == b,
        (Value::Number(a), Oracle::Number(b)) => {
            serde_json::from_str::<serde_json::Number>(a).is_ok_and(|a| a == *b)
        }
        (Value::Array(a), Oracle::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Oracle::Object(b)) => {
            let held = |name: &str, b: &Oracle| a.get(name).is_some_and(|a| same(a, b));
            a.members.len() == b.len() && b.iter().all(|(name, b)| held(name, b))
        }
        _ => false,
    }
}

/// Both accept and mean the same, or both refuse; but for what this reader refuses on top, and
/// numbers, whose range it leaves to their user.
fn agrees(text: &str) -> Result<(), TestCaseError> {
    match (read(text), serde_json::from_str::<Oracle>(text)) {
        (Ok(ours), Ok(oracle)) => prop_assert!(same(&ours, &oracle), "{text:?}"),
        (Err(DecodeError::DuplicateField { .. }), _) | (Err(_), Err(_)) => {}
        (Ok(_), Err(why)) => {
            prop_assert!(why.to_string().contains("out of range"), "{text:?}: {why}")
        }
        (Err(why), Ok(_)) => prop_assert!(false, "{text:?}: {why:?}"),
    }
    Ok(())
}

fn any_json() -> impl Strategy<Value = Oracle> {
    let number = prop_oneof![
        any::<i64>().prop_map(Oracle::from),
        any::<u64>().prop_map(Oracle::from),
        any::<f64>().prop_map(Oracle::from),
    ];
    let text = prop_oneof![any::<String>(), "[a-z\"\\\\\u{0}-\u{1f}é请😀]{0,24}"];
    let leaf = prop_oneof![
        Just(Oracle::Null),
        any::<bool>().prop_map(Oracle::from),
        number,
        text.clone().prop_map(Oracle::from),
    ];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Oracle::from),
            prop::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|members| Oracle::Object(members.into_iter().collect())),
        ]
    })
}

/// Bytes that mean something to JSON, so that a mutation often stays near it.
const TELLING: &[u8] = b"{}[]\",:\\u/bfnrt0123456789.eE+-dD8 \t\r\n\0\x1f\x7f";

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_serde_json_writes_is_read_the_same(oracle in any_json(), pretty: bool) {
        let text = if pretty {
            serde_json::to_string_pretty(&oracle).unwrap()
        } else {
            serde_json::to_string(&oracle).unwrap()
        };
        let ours = read(&text);
        prop_assert!(ours.is_ok_and(|ours| same(&ours, &serde_json::from_str(&text).unwrap())));
    }

    #[test]
    fn a_damaged_text_is_accepted_or_refused_as_serde_json_does(
        oracle in any_json(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, prop::sample::select(TELLING)), 1..4),
    ) {
        let mut bytes = serde_json::to_vec(&oracle).unwrap();
        for (place, edit, byte) in edits {
            let at = place.index(bytes.len() + 1);
            match edit {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => { bytes.remove(at); }
                _ => {}
            }
        }
        agrees(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn noise_is_accepted_or_refused_as_serde_json_does(
        bytes in prop::collection::vec(prop::sample::select(TELLING), 0..24),
    ) {
        agrees(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn the_end_of_a_text_is_found_at_every_alignment(before in "[ -!#-\\[\\]-~é😀]{0,40}", after in any::<String>()) {
        let text = format!("[{},{}]", serde_json::to_string(&before).unwrap(), serde_json::to_string(&after).unwrap());
        let expected = Value::Array(vec![Value::Text(before.as_str().into()), Value::Text(after.as_str().into())]);
        prop_assert_eq!(read(&text), Ok(expected));
    }
}

#[test]
fn a_text_without_escapes_is_borrowed() {
    for (text, borrowed) in [(r#""plain 请""#, true), (r#""a\nb""#, false), (r#""""#, true)] {
        let value = read(text).unwrap();
        assert_eq!(matches!(value, Value::Text(Cow::Borrowed(_))), borrowed, "{text}");
    }
}

#[test]
fn every_escape_means_its_character() {
    let text = r#""\"\\\/\b\f\n\r\t\u0000\u00e9\uD83D\uDE00\u8bf7""#;
    assert_eq!(read(text), Ok(Value::Text("\"\\/\u{8}\u{c}\n\r\t\0é😀请".into())));
}

#[test]
fn half_a_surrogate_pair_is_refused_by_name() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\ud800""#,
        r#""\ud800\u0041""#,
        r#""\ud800\ue000""#,
        r#""\udbff\uffff""#,
        r#""\udc00\ud800""#,
    ] {
        assert_eq!(refused(text), DecodeError::LoneSurrogate { at: 1 }, "{text}");
    }
    assert_eq!(refused(r#"["a", "b\udfff"]"#), DecodeError::LoneSurrogate { at: 8 });
}

#[test]
fn the_place_and_the_want_are_told() {
    let cases = [
        ("", 0, Syntax::Value),
        ("\u{feff}{}", 0, Syntax::Value),
        ("nul", 0, Syntax::Value),
        ("NaN", 0, Syntax::Value),
        ("{} x", 3, Syntax::End),
        ("{,}", 1, Syntax::FieldName),
        ("{a:1}", 1, Syntax::FieldName),
        ("{'a':1}", 1, Syntax::FieldName),
        (r#"{"a" 1}"#, 5, Syntax::Colon),
        (r#"{"a":}"#, 5, Syntax::Value),
        (r#"{"a":1,}"#, 7, Syntax::FieldName),
        (r#"{"a":1"#, 6, Syntax::CommaOrEnd),
        ("[1,]", 3, Syntax::Value),
        ("[1}", 2, Syntax::CommaOrEnd),
        ("[1 2]", 3, Syntax::CommaOrEnd),
        ("-", 1, Syntax::Digit),
        ("1.", 2, Syntax::Digit),
        ("1e+", 3, Syntax::Digit),
        ("01", 1, Syntax::End),
        ("+1", 0, Syntax::Value),
        ("\"ab", 3, Syntax::ClosingQuote),
        ("\"a\nb\"", 2, Syntax::EscapedControl),
        ("\"a\0\"", 2, Syntax::EscapedControl),
        (r#""a\x""#, 2, Syntax::Escape),
        (r#""a\u12g4""#, 2, Syntax::Escape),
        (r#""\ud800\uzzzz""#, 7, Syntax::Escape),
        ("\"a\\", 2, Syntax::Escape),
        ("{} // comment", 3, Syntax::End),
    ];
    for (text, at, expected) in cases {
        assert_eq!(refused(text), syntax(at, expected), "{text:?}");
    }
}

#[test]
fn a_field_that_appears_twice_is_refused_anywhere() {
    let twice = |field: &str| DecodeError::DuplicateField { field: field.into() };
    assert_eq!(refused(r#"{"a":1,"a":1}"#), twice("a"));
    assert_eq!(refused(r#"{"x":[{"b":{"a":1,"c":2,"a":3}}]}"#), twice("a"));
    assert_eq!(refused(r#"{"approve":false,"appr\u006fve":true}"#), twice("approve"));
    assert_eq!(refused(r#"{"":1,"":2}"#), twice(""));
    assert!(read(r#"{"a":{"a":{"A":1,"a ":2}}}"#).is_ok());
}

#[test]
fn nesting_is_bounded_and_a_megabyte_of_brackets_is_cheap() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let shallow = Limits::default();
    assert!(parse(&nested(32), &shallow).is_ok());
    let too_deep = Err(DecodeError::TooDeep { limit: 32 });
    assert_eq!(parse(&nested(33), &shallow), too_deep);
    assert_eq!(parse(&nested(10_000), &shallow), too_deep);
    assert_eq!(parse(&"[".repeat(1 << 20), &shallow), too_deep);
    assert_eq!(parse(&r#"{"a":"#.repeat(1 << 18), &shallow), too_deep);
}

#[test]
fn a_configured_depth_cannot_exhaust_the_stack() {
    let reckless = Limits { depth: usize::MAX, ..Limits::default() };
    assert_eq!(parse(&"[".repeat(1 << 20), &reckless), Err(DecodeError::TooDeep { limit: 128 }));
}

#[test]
fn depth_counts_the_way_down_not_the_objects_passed() {
    let shallow = Limits { depth: 2, ..Limits::default() };
    assert!(parse(r#"[[],{},[1],{"a":2}]"#, &shallow).is_ok());
    assert!(parse("[[[]]]", &shallow).is_err());
}

#[test]
fn members_are_counted_over_the_whole_text() {
    let few = Limits { items: 4, ..Limits::default() };
    assert!(parse(r#"{"a":[1,2],"b":{}}"#, &few).is_ok());
    let too_many = Err(DecodeError::TooManyItems { limit: 4 });
    assert_eq!(parse(r#"{"a":[1,2],"b":{"c":0}}"#, &few), too_many);
    assert_eq!(parse("[1,2,3,4,5", &few), too_many);
}

#[test]
fn a_field_is_found_taken_once_and_the_rest_keeps_its_order() {
    let Ok(Value::Object(mut object)) = read(r#"{"a":1,"b":2,"__proto__":3,"c":4}"#) else {
        panic!("an object");
    };
    assert_eq!(object.get("b"), Some(&Value::Number("2")));
    assert_eq!(object.take("b"), Some(Value::Number("2")));
    assert_eq!(object.take("b"), None);
    assert_eq!(object.names().collect::<Vec<_>>(), ["a", "__proto__", "c"]);
}

#[test]
fn an_excerpt_shows_what_was_written() {
    let long = format!("\"{}\"", "x".repeat(1_000));
    for (text, shown) in [
        ("null", "null"),
        ("true", "true"),
        ("-1.50", "-1.50"),
        (r#""yes""#, "\"yes\""),
        ("[1]", "[…]"),
        ("{}", "{…}"),
    ] {
        assert_eq!(read(text).unwrap().excerpt(), shown);
    }
    assert_eq!(read(&long).unwrap().excerpt().chars().count(), 82);
}

fn any_text() -> impl Strategy<Value = String> {
    // What needs an escape, and what only looks like it, in every place of a word of eight bytes.
    proptest::collection::vec(
        prop_oneof![
            Just("\""),
            Just("\\"),
            Just("/"),
            Just("\0"),
            Just("\u{1f}"),
            Just("\u{7f}"),
            Just("\u{8}"),
            Just("\t"),
            Just("\n"),
            Just("\u{c}"),
            Just("\r"),
            Just("\u{2028}"),
            Just("请"),
            Just("😀"),
            Just("a"),
            Just("plain words"),
        ],
        0..24,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_written_as_serde_json_writes_it(text in any_text()) {
        prop_assert_eq!(to_string(&text), serde_json::to_string(&text).unwrap());
    }
}

#[test]
fn plain_data_is_written_as_serde_json_writes_it() {
    #[derive(serde::Serialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Tagged {
        Plain(Inner),
        WithMore(Outer),
    }
    #[derive(Clone, serde::Serialize)]
    struct Inner {
        yes: bool,
        no: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<u32>,
        largest: u64,
        list: Vec<Option<String>>,
        empty: Vec<u8>,
    }
    #[derive(serde::Serialize)]
    struct Outer {
        before: u16,
        #[serde(flatten)]
        inner: Inner,
    }
    let list = vec![Some("a".to_owned()), None];
    let (largest, empty) = (u64::MAX, Vec::new());
    let inner = Inner { yes: true, no: None, left_out: None, largest, list, empty };
    for value in [Tagged::Plain(inner.clone()), Tagged::WithMore(Outer { before: 0, inner })] {
        assert_eq!(to_string(&value), serde_json::to_string(&value).unwrap());
    }
}

/// Data of every shape that our state and inputs are made of.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Nothing,
    Wrapped(Wrapper),
    Pair(u64, String),
    Fields {
        yes: bool,
        small: u8,
        middle: u32,
        some: Option<Box<Shape>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left_out: Option<u16>,
    },
    List(Vec<Shape>),
    Places(Vec<Option<(u64, bool)>>),
}

from_store!(enum Shape {
    "nothing" => Nothing,
    "wrapped" => Wrapped(_),
    "pair" => Pair(_, _),
    "fields" => Fields { yes, small, middle, some, left_out },
    "list" => List(_),
    "places" => Places(_),
});

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Wrapper(String);

from_store!(newtype Wrapper);

fn any_shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Nothing),
        any_text().prop_map(|text| Shape::Wrapped(Wrapper(text))),
        (any::<u64>(), any_text()).prop_map(|(number, text)| Shape::Pair(number, text)),
        prop::collection::vec(prop::option::of((any::<u64>(), any::<bool>())), 0..4)
            .prop_map(Shape::Places),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let some = prop::option::of(inner.clone().prop_map(Box::new));
        let numbers = (any::<u8>(), any::<u32>(), any::<Option<u16>>());
        prop_oneof![
            (any::<bool>(), some, numbers).prop_map(|(yes, some, (small, middle, left_out))| {
                Shape::Fields { yes, small, middle, some, left_out }
            }),
            prop::collection::vec(inner, 0..4).prop_map(Shape::List),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_comes_back_as_serde_json_reads_it(shape in any_shape()) {
        let text = to_string(&shape);
        prop_assert_eq!(&text, &serde_json::to_string(&shape).unwrap());
        prop_assert_eq!(from_value::<Shape>(read(&text).unwrap()), Ok(shape));
    }

    /// Of a text that was changed: whatever we take for data, serde_json takes for the same data.
    #[test]
    fn nothing_is_read_that_serde_json_would_not_read(
        shape in any_shape(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(TELLING)), 1..3),
    ) {
        let mut bytes = to_string(&shape).into_bytes();
        for (place, byte) in edits {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Some(ours) = read(&text).ok().and_then(|value| from_value::<Shape>(value).ok()) {
            prop_assert_eq!(serde_json::from_str::<Shape>(&text).ok(), Some(ours), "{}", text);
        }
    }
}
