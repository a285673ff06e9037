//! The reader itself: one pass over the bytes.

use std::borrow::Cow;

use super::{Object, Value};
use crate::config::Limits;
use crate::wire::error::{DecodeError, Syntax, cut};

/// A place in a text, and what may still come.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// INVARIANT: on a character boundary whenever a slice of `text` is taken from it, for it
    /// stops only before and after ASCII bytes.
    at: usize,
    depth: usize,
    depth_limit: usize,
    items: usize,
    items_limit: usize,
    /// Why the text is refused, once it is.
    refusal: DecodeError,
}

/// That the text is refused; the reader knows why. A reason inside every result would make each
/// value travel through memory twice as wide.
struct Refused;

type Read<T> = Result<T, Refused>;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, limits: &Limits) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            depth_limit: limits.depth.min(DEPTH_CEILING),
            items: 0,
            items_limit: limits.items,
            refusal: DecodeError::NotJson { at: 0, expected: Syntax::Value },
        }
    }

    pub(super) fn document(mut self) -> Result<Value<'a>, DecodeError> {
        self.whole().map_err(|Refused| self.refusal)
    }

    fn whole(&mut self) -> Read<Value<'a>> {
        self.skip_space();
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.expected(Syntax::End)),
        }
    }

    /// A value. Reader and tree both recurse, never deeper than [`DEPTH_CEILING`].
    fn value(&mut self) -> Read<Value<'a>> {
        match self.peek() {
            Some(b'"') => Ok(Value::Text(self.quoted()?)),
            Some(b'{') => Ok(Value::Object(self.object()?)),
            Some(b'[') => Ok(Value::Array(self.array()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Number(self.number()?)),
            Some(b't') => self.word("true", Value::True),
            Some(b'f') => self.word("false", Value::False),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.expected(Syntax::Value)),
        }
    }

    fn object(&mut self) -> Read<Object<'a>> {
        self.enter()?;
        let mut members: Vec<(Cow<'a, str>, Option<Value<'a>>)> = Vec::new();
        if !self.eat(b'}') {
            members.reserve(TYPICAL_FIELDS);
            loop {
                self.skip_space();
                if self.peek() != Some(b'"') {
                    return Err(self.expected(Syntax::FieldName));
                }
                let name = self.quoted()?;
                if members.iter().any(|(other, _)| *other == name) {
                    return Err(self.refuse(DecodeError::DuplicateField { field: cut(&name) }));
                }
                self.skip_space();
                if !self.eat(b':') {
                    return Err(self.expected(Syntax::Colon));
                }
                self.skip_space();
                let value = self.item()?;
                members.push((name, Some(value)));
                if self.ends(b'}')? {
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(Object { members })
    }

    fn array(&mut self) -> Read<Vec<Value<'a>>> {
        self.enter()?;
        let mut values = Vec::new();
        if !self.eat(b']') {
            loop {
                self.skip_space();
                values.push(self.item()?);
                if self.ends(b']')? {
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(values)
    }

    /// Goes into an object or array.
    fn enter(&mut self) -> Read<()> {
        if self.depth >= self.depth_limit {
            return Err(self.refuse(DecodeError::TooDeep { limit: self.depth_limit }));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// The value of one more member. Counted before it is read, so that nothing over the bound is
    /// ever built.
    fn item(&mut self) -> Read<Value<'a>> {
        if self.items >= self.items_limit {
            return Err(self.refuse(DecodeError::TooManyItems { limit: self.items_limit }));
        }
        self.items += 1;
        self.value()
    }

    /// Whether the object or array ends after this member.
    fn ends(&mut self, close: u8) -> Read<bool> {
        self.skip_space();
        if self.eat(b',') {
            return Ok(false);
        }
        if self.eat(close) {
            return Ok(true);
        }
        Err(self.expected(Syntax::CommaOrEnd))
    }

    fn quoted(&mut self) -> Read<Cow<'a, str>> {
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() != Some(b'"') {
            return self.quoted_with_escapes(start).map(Cow::Owned);
        }
        let plain = self.since(start);
        self.at += 1;
        Ok(Cow::Borrowed(plain))
    }

    fn quoted_with_escapes(&mut self, start: usize) -> Read<String> {
        let mut text = String::from(self.since(start));
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.expected(Syntax::EscapedControl)),
                None => return Err(self.expected(Syntax::ClosingQuote)),
            }
            let run = self.at;
            self.skip_plain();
            text.push_str(self.since(run));
        }
        self.at += 1;
        Ok(text)
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.not_an_escape(start)),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let first = self.four_hex(start)?;
        let code = match first {
            0xd800..=0xdbff => {
                let second_at = self.at;
                if !self.rest().starts_with(b"\\u") {
                    return Err(self.refuse(DecodeError::LoneSurrogate { at: start }));
                }
                self.at += 1;
                let second = self.four_hex(second_at)?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.refuse(DecodeError::LoneSurrogate { at: start }));
                }
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.refuse(DecodeError::LoneSurrogate { at: start }))
    }

    /// The number behind `u`, on which the reader stands.
    fn four_hex(&mut self, start: usize) -> Read<u32> {
        let mut code = 0;
        for _ in 0..4 {
            self.at += 1;
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let digit = digit.ok_or_else(|| self.not_an_escape(start))?;
            code = code << 4 | digit;
        }
        self.at += 1;
        Ok(code)
    }

    fn number(&mut self) -> Read<&'a str> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(self.since(start))
    }

    /// One digit or more.
    fn digits(&mut self) -> Read<()> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        if digits == 0 { Err(self.expected(Syntax::Digit)) } else { Ok(()) }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Read<Value<'a>> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.expected(Syntax::Value));
        }
        self.at += word.len();
        Ok(value)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Moves to the next quote, backslash or control character.
    fn skip_plain(&mut self) {
        self.at += plain_length(self.rest());
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn expected(&mut self, expected: Syntax) -> Refused {
        self.refuse(DecodeError::NotJson { at: self.at, expected })
    }

    fn not_an_escape(&mut self, at: usize) -> Refused {
        self.refuse(DecodeError::NotJson { at, expected: Syntax::Escape })
    }

    #[cold]
    fn refuse(&mut self, why: DecodeError) -> Refused {
        self.refusal = why;
        Refused
    }
}

/// How many bytes come before the next quote, backslash or control character. Eight at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut plain = 0;
    for word in words {
        let stops = stops(u64::from_le_bytes(*word));
        if stops != 0 {
            return plain + stops.trailing_zeros() as usize / 8;
        }
        plain += 8;
    }
    let in_tail = tail.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20));
    plain + in_tail.count()
}

/// Marks, by its highest bit, the first byte of a word that ends a plain run of text. Marks above
/// the first one may be wrong: a borrow runs upwards.
const fn stops(word: u64) -> u64 {
    const fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word
    }
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zeros(word ^ (ONES * b'"' as u64));
    let backslash = zeros(word ^ (ONES * b'\\' as u64));
    (control | quote | backslash) & (ONES * 0x80)
}

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// How deep a text may nest whatever the configuration says: reading and dropping a tree recurse,
/// and a thread's stack is no place for a peer to choose a size.
const DEPTH_CEILING: usize = 128;

/// Room for the fields of an envelope at once.
const TYPICAL_FIELDS: usize = 12;
