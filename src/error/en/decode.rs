//! English: why a text could not be read.

use crate::error::render::quoted;
use crate::ids::{MAX_NAME_LENGTH, MAX_REQUEST_ID_LENGTH, NameError, RequestIdError};
use crate::message::{KindNameError, WIRE_VERSION};
use crate::time::Millis;
use crate::wire::{DecodeError, JsonType, Shape, Syntax};

pub(super) fn message(error: &DecodeError) -> String {
    match error {
        DecodeError::TooLarge { bytes, limit } => {
            format!("the text has {bytes} bytes, at most {limit} are accepted")
        }
        DecodeError::NotJson { at, expected } => not_json(*at, *expected),
        DecodeError::LoneSurrogate { at } => {
            format!("the escape at byte {at} is half of a surrogate pair, which is no character")
        }
        DecodeError::TooDeep { limit } => {
            format!("objects and arrays are nested deeper than {limit} levels")
        }
        DecodeError::TooManyItems { limit } => {
            format!("more than {limit} fields and list entries in one text")
        }
        DecodeError::DuplicateField { field } => {
            format!("the field {} is there twice, and only one can be meant", quoted(field))
        }
        DecodeError::NotAnObject { found } => {
            format!("expected an object in braces, found {}", json_type(*found))
        }
        DecodeError::UnsupportedVersion { found } => {
            format!("wire format {} is unknown, `{WIRE_VERSION}` is accepted", quoted(found))
        }
        DecodeError::MissingField { path, expected } => {
            format!("{} is missing, expected {}", quoted(path), shape(*expected))
        }
        DecodeError::WrongType { path, expected, found } => wrong_type(path, *expected, *found),
        DecodeError::UnknownType { path, found, nearest } => unknown_type(path, found, *nearest),
        DecodeError::InvalidName { path, found, why } => invalid_name(path, found, *why),
        DecodeError::InvalidId { path, why } => invalid_id(path, *why),
        DecodeError::InvalidKind { path, found, why } => invalid_kind(path, found, *why),
        DecodeError::InvalidIncarnation { path, found } => invalid_incarnation(path, found),
        DecodeError::InvalidDigest { path, found } => invalid_digest(path, found),
        DecodeError::InvalidNumber { path, found } => invalid_number(path, found),
        DecodeError::InvalidBoolean { path, found, accepted } => {
            format!("{} is {}, accepted are {}", quoted(path), quoted(found), choices(accepted))
        }
        DecodeError::InvalidChoice { path, found, accepted } => {
            format!("{} is {}, expected one of {}", quoted(path), quoted(found), choices(accepted))
        }
        DecodeError::UnknownField { path } => format!("the field {} is unknown here", quoted(path)),
        DecodeError::Ambiguous { path, other } => {
            format!("{} and {} contradict each other", quoted(path), quoted(other))
        }
        DecodeError::NestedTooOften { path } => {
            format!("{} is JSON in a text inside another text", quoted(path))
        }
    }
}

pub(super) fn hint(error: &DecodeError) -> String {
    match error {
        DecodeError::TooLarge { .. } => {
            "shorten the texts, or put long material where the reader can fetch it and say where"
        }
        DecodeError::NotJson { .. } => {
            "send one JSON value: names and texts in double quotes, no comments, no comma before \
             a closing bracket, nothing after the end"
        }
        DecodeError::LoneSurrogate { .. } => {
            r"write the character itself, or both halves of its `\u` escape"
        }
        DecodeError::TooDeep { .. } => "nest less: put deep material into one text field",
        DecodeError::TooManyItems { .. } => "send fewer entries, or spread them over more messages",
        DecodeError::DuplicateField { .. } => "keep the field once, with the value you mean",
        DecodeError::NotAnObject { .. } => "send an object that has the fields of a message",
        DecodeError::UnsupportedVersion { .. } => {
            "let both sides use releases that speak the same wire format"
        }
        DecodeError::MissingField { .. } => {
            "add the field with the value you mean; nothing is filled in for you"
        }
        DecodeError::WrongType { .. } => {
            "write the value as the expected type; nothing is converted"
        }
        DecodeError::UnknownType { .. } => {
            "use a documented `type`; if you only want to say something, send plain text"
        }
        DecodeError::InvalidName { .. } => "use the name of a team member exactly as it is listed",
        DecodeError::InvalidId { .. } => {
            "repeat the id exactly as it came with the request; never make one up"
        }
        DecodeError::InvalidKind { .. } => "use the name of a kind exactly as it is declared",
        DecodeError::InvalidIncarnation { .. } => {
            "leave incarnations to the engine: it writes the envelope"
        }
        DecodeError::InvalidDigest { .. } => {
            "repeat the digest of the plan you decided on, or leave it to the engine"
        }
        DecodeError::InvalidNumber { .. } => {
            "write the number in digits: no quotes, sign, fraction or exponent"
        }
        DecodeError::InvalidBoolean { .. } => {
            "write the JSON boolean you mean; anything unclear counts as neither yes nor no"
        }
        DecodeError::InvalidChoice { .. } => "use one of the listed values, letter by letter",
        DecodeError::UnknownField { .. } => {
            "take the field out; what it says belongs into one of the known fields"
        }
        DecodeError::Ambiguous { .. } => {
            "say it once, with the value you mean, and leave the other field out"
        }
        DecodeError::NestedTooOften { .. } => "write the object itself, not JSON inside a text",
    }
    .to_owned()
}

fn not_json(at: usize, expected: Syntax) -> String {
    let expected = match expected {
        Syntax::Value => "a value",
        Syntax::FieldName => "a field name in double quotes",
        Syntax::Colon => "a colon after the field name",
        Syntax::CommaOrEnd => "a comma or the closing bracket",
        Syntax::Digit => "a digit",
        Syntax::ClosingQuote => "the closing quote of a text",
        Syntax::EscapedControl => "an escape instead of a raw control character",
        Syntax::Escape => r#"one of `\" \\ \/ \b \f \n \r \t` or `\u` and four hex digits"#,
        Syntax::End => "the end of the text",
    };
    format!("not JSON from byte {at} on, expected {expected}")
}

fn wrong_type(path: &str, expected: Shape, found: JsonType) -> String {
    let (expected, found) = (shape(expected), json_type(found));
    format!("{} is {found}, expected {expected}", quoted(path))
}

fn unknown_type(path: &str, found: &str, nearest: Option<&str>) -> String {
    let unknown = format!("{} is {}, which is no known message", quoted(path), quoted(found));
    match nearest {
        Some(nearest) => format!("{unknown}; the nearest known one is {}", quoted(nearest)),
        None => unknown,
    }
}

fn invalid_name(path: &str, found: &str, why: NameError) -> String {
    let why = match why {
        NameError::Empty => "it is empty",
        NameError::TooLong => "it is too long",
        NameError::BadCharacter => "it has other characters",
    };
    format!(
        "{} is {}, expected 1 to {MAX_NAME_LENGTH} of `A-Z a-z 0-9 _ -`: {why}",
        quoted(path),
        quoted(found),
    )
}

fn invalid_id(path: &str, why: RequestIdError) -> String {
    let why = match why {
        RequestIdError::Empty => "empty",
        RequestIdError::TooLong => "too long",
    };
    format!("{} is {why}, expected 1 to {MAX_REQUEST_ID_LENGTH} characters", quoted(path))
}

fn invalid_kind(path: &str, found: &str, why: KindNameError) -> String {
    let why = match why {
        KindNameError::Empty => "it is empty",
        KindNameError::TooLong => "it has more than 64 characters",
        KindNameError::BadCharacter => "expected a small letter, then `a-z 0-9 _`",
    };
    format!("{} is {}, which names no kind: {why}", quoted(path), quoted(found))
}

fn invalid_incarnation(path: &str, found: &str) -> String {
    format!("{} is {}, expected `<start in ms>-<16 hex digits>`", quoted(path), quoted(found))
}

fn invalid_digest(path: &str, found: &str) -> String {
    format!("{} is {}, expected `b3_` and 64 lower-case hex digits", quoted(path), quoted(found))
}

fn invalid_number(path: &str, found: &str) -> String {
    let most = Millis::MAX_FROM_OUTSIDE;
    format!("{} is {}, expected a whole number up to {most}", quoted(path), quoted(found))
}

fn choices(accepted: &[&'static str]) -> String {
    // Never cut: all of them are ours, and a reader needs each.
    let quoted: Vec<_> = accepted.iter().map(|choice| quoted(choice).to_string()).collect();
    quoted.join(", ")
}

const fn json_type(found: JsonType) -> &'static str {
    match found {
        JsonType::Null => "null",
        JsonType::Boolean => "a boolean",
        JsonType::Number => "a number",
        JsonType::Text => "a text",
        JsonType::Array => "a list",
        JsonType::Object => "an object",
    }
}

const fn shape(expected: Shape) -> &'static str {
    match expected {
        Shape::Text => "a text",
        Shape::Integer => "a whole number",
        Shape::Boolean => "a boolean",
        Shape::Object => "an object",
        Shape::TextList => "a list of texts",
        Shape::ObjectList => "a list of objects",
        Shape::TextOrObject => "a text, or an object with a `type`",
    }
}
