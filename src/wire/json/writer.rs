//! The writer: plain data to compact JSON, appended to a text.
//!
//! A `serde::Serializer` for exactly what our types are made of. It cannot fail on them, and the
//! compiler sees that it cannot, so none of the code for errors is left: a quarter of what
//! `serde_json` takes, which must be ready for sinks that fail. `serde_json` is its oracle in the
//! tests.

use std::fmt::{self, Display, Write};

use serde::ser::{
    Error, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct,
    SerializeStructVariant, SerializeTuple, SerializeTupleVariant, Serializer,
};

use super::Value;
use super::reader::plain_length;

/// Appends a value to a text.
pub(crate) fn write(value: &impl Serialize, out: &mut String) {
    // INVARIANT: nothing of ours holds what this writer does not know.
    let _written = value.serialize(Writer { out });
}

/// What was read, without the white space between its tokens.
pub(crate) fn to_compact(value: &Value<'_>) -> String {
    let mut out = String::new();
    compact(value, &mut out);
    out
}

fn compact(value: &Value<'_>, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::True => out.push_str("true"),
        Value::False => out.push_str("false"),
        Value::Number(digits) => out.push_str(digits),
        Value::Text(content) => text(content, out),
        Value::Array(items) => {
            let mut members = Writer { out }.members("[", "]");
            for item in items {
                members.next();
                compact(item, members.out);
            }
            members.close();
        }
        Value::Object(object) => {
            let mut members = Writer { out }.members("{", "}");
            for (name, value) in object.members() {
                members.next();
                text(name, members.out);
                members.out.push(':');
                compact(value, members.out);
            }
            members.close();
        }
    }
}

/// A value as a text.
pub(crate) fn to_string(value: &impl Serialize) -> String {
    let mut out = String::with_capacity(TYPICAL_LENGTH);
    write(value, &mut out);
    out
}

/// Writes one value.
struct Writer<'o> {
    out: &'o mut String,
}

/// Writes what stands between two brackets.
struct Members<'o> {
    out: &'o mut String,
    close: &'static str,
    any: bool,
}

/// A value of a kind that none of our types has.
#[derive(Debug)]
struct Unknown;

type Written = Result<(), Unknown>;

impl<'o> Writer<'o> {
    fn members(self, open: &str, close: &'static str) -> Members<'o> {
        self.out.push_str(open);
        Members { out: self.out, close, any: false }
    }

    /// What stands behind the name of a variant.
    fn variant(self, name: &str, open: &str, close: &'static str) -> Members<'o> {
        let mut named = self.members("{", "");
        named.field(name);
        named.out.push_str(open);
        Members { close, any: false, ..named }
    }
}

impl Members<'_> {
    fn next(&mut self) {
        if self.any {
            self.out.push(',');
        }
        self.any = true;
    }

    fn field(&mut self, name: &str) {
        self.next();
        // Names of fields are ours and need no escapes.
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
    }

    fn close(self) {
        self.out.push_str(self.close);
    }
}

/// Appends a text in quotes.
fn text(mut text: &str, out: &mut String) {
    out.push('"');
    loop {
        // INVARIANT: what ends a plain run is one byte long, so both cuts are between characters.
        let end = plain_length(text.as_bytes());
        out.push_str(text.get(..end).unwrap_or_default());
        let Some(special) = text.as_bytes().get(end) else { break };
        escape(*special, out);
        text = text.get(end + 1..).unwrap_or_default();
    }
    out.push('"');
}

#[cold]
fn escape(special: u8, out: &mut String) {
    match special {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x08 => out.push_str("\\b"),
        b'\t' => out.push_str("\\t"),
        b'\n' => out.push_str("\\n"),
        0x0c => out.push_str("\\f"),
        b'\r' => out.push_str("\\r"),
        control => {
            out.push_str("\\u00");
            let code = u32::from(control);
            out.extend(
                [code >> 4, code & 0xf].map(|half| char::from_digit(half, 16)).iter().flatten(),
            );
        }
    }
}

impl<'o> Serializer for Writer<'o> {
    type Ok = ();
    type Error = Unknown;
    type SerializeSeq = Members<'o>;
    type SerializeTuple = Members<'o>;
    type SerializeTupleStruct = Impossible<(), Unknown>;
    type SerializeTupleVariant = Members<'o>;
    type SerializeMap = Members<'o>;
    type SerializeStruct = Members<'o>;
    type SerializeStructVariant = Members<'o>;

    fn serialize_bool(self, value: bool) -> Written {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.out.push_str(itoa::Buffer::new().format(value));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Written {
        text(value, self.out);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Written {
        // What is told this way (incarnations, digests) needs no escapes; a `String` takes it all.
        let _taken = write!(self.out, "\"{value}\"");
        Ok(())
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'o>, Unknown> {
        Ok(self.members("[", "]"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'o>, Unknown> {
        Ok(self.members("{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'o>, Unknown> {
        Ok(self.members("{", "}"))
    }

    fn serialize_i8(self, _: i8) -> Written {
        Err(Unknown)
    }

    fn serialize_i16(self, _: i16) -> Written {
        Err(Unknown)
    }

    fn serialize_i32(self, _: i32) -> Written {
        Err(Unknown)
    }

    fn serialize_i64(self, _: i64) -> Written {
        Err(Unknown)
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_f32(self, _: f32) -> Written {
        Err(Unknown)
    }

    fn serialize_f64(self, _: f64) -> Written {
        Err(Unknown)
    }

    fn serialize_char(self, _: char) -> Written {
        Err(Unknown)
    }

    fn serialize_bytes(self, json: &[u8]) -> Written {
        // Bytes are how a payload says that it is JSON already.
        self.out.push_str(std::str::from_utf8(json).unwrap_or_default());
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        let mut members = self.members("{", "}");
        members.field(variant);
        value.serialize(Writer { out: members.out })?;
        members.close();
        Ok(())
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'o>, Unknown> {
        Ok(self.members("[", "]"))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Unknown> {
        Err(Unknown)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'o>, Unknown> {
        Ok(self.variant(variant, "[", "]}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'o>, Unknown> {
        Ok(self.variant(variant, "{", "}}"))
    }
}

impl SerializeSeq for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.next();
        value.serialize(Writer { out: self.out })
    }

    fn end(self) -> Written {
        self.close();
        Ok(())
    }
}

impl SerializeTuple for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleVariant for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

impl SerializeStructVariant for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        SerializeStruct::serialize_field(self, name, value)
    }

    fn end(self) -> Written {
        SerializeStruct::end(self)
    }
}

/// What serde makes of a struct with a flattened one in it.
impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.next();
        key.serialize(Writer { out: self.out })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.out.push(':');
        value.serialize(Writer { out: self.out })
    }

    fn end(self) -> Written {
        self.close();
        Ok(())
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = ();
    type Error = Unknown;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.field(name);
        value.serialize(Writer { out: self.out })
    }

    fn end(self) -> Written {
        self.close();
        Ok(())
    }
}

impl Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a kind of value that our messages do not have")
    }
}

impl std::error::Error for Unknown {}

impl Error for Unknown {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// Most frames and events are shorter.
const TYPICAL_LENGTH: usize = 512;
