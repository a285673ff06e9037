//! From a tree that was read to plain data: what the writer has written comes back.
//!
//! A `serde::Deserializer` over [`Value`] for what our own types are made of: the state and the
//! inputs of an engine, from the host's own store. Frames of peers do not go this way; what is
//! wrong with them must be told field by field.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

use super::{Object, Value, to_compact};

/// What was read is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

impl Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not what was written")
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    // Where it is wrong does not matter: a checksum has vouched for the text, so what does not fit
    // was written by another version of this crate.
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// Makes plain data of a tree.
pub(crate) fn from_value<T: DeserializeOwned>(value: Value<'_>) -> Result<T, Mismatch> {
    T::deserialize(value)
}

impl<'de> Value<'de> {
    fn number(self) -> Result<u64, Mismatch> {
        if let Self::Number(digits) = self {
            digits.parse().map_err(Mismatch::custom)
        } else {
            Err(Mismatch)
        }
    }

    fn text(self) -> Result<Cow<'de, str>, Mismatch> {
        if let Self::Text(text) = self { Ok(text) } else { Err(Mismatch) }
    }

    fn array(self) -> Result<Members<std::vec::IntoIter<Self>>, Mismatch> {
        match self {
            Self::Array(items) => Ok(Members(items.into_iter())),
            Self::Null => Ok(Members(Vec::new().into_iter())),
            Self::True | Self::False | Self::Number(_) | Self::Text(_) | Self::Object(_) => {
                Err(Mismatch)
            }
        }
    }
}

/// The members of a list.
struct Members<I>(I);

/// The fields of an object.
struct Fields<'de, I> {
    rest: I,
    value: Option<Value<'de>>,
}

impl<'de, I: Iterator<Item = Value<'de>>> SeqAccess<'de> for Members<I> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        self.0.next().map(|value| seed.deserialize(value)).transpose()
    }
}

impl<'de, I: Iterator<Item = (Cow<'de, str>, Option<Value<'de>>)>> MapAccess<'de>
    for Fields<'de, I>
{
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(StrDeserializer::new(&name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mismatch> {
        seed.deserialize(self.value.take().unwrap_or(Value::Null))
    }
}

/// The fields of a plain struct, by name, in the order in which it declares them: what derives read
/// in order takes a third of the code that takes them as they come. A field that is not there reads as
/// `null`, which is an absent value and an empty list.
struct Declared<'de> {
    object: Object<'de>,
    names: std::slice::Iter<'static, &'static str>,
}

impl<'de> Declared<'de> {
    fn next(&mut self) -> Option<Value<'de>> {
        let name = self.names.next()?;
        Some(self.object.take(name).unwrap_or(Value::Null))
    }
}

impl<'de> SeqAccess<'de> for Declared<'de> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        self.next().map(|value| seed.deserialize(value)).transpose()
    }
}

/// One of several: a name alone, or an object with one field.
impl<'de> EnumAccess<'de> for Value<'de> {
    type Error = Mismatch;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Mismatch> {
        let (name, value) = match self {
            Self::Text(name) => (name, Self::Null),
            Self::Object(object) => {
                let mut members = object.members.into_iter();
                let (name, value) = members.next().ok_or(Mismatch)?;
                (name, value.unwrap_or(Self::Null))
            }
            Self::Null | Self::True | Self::False | Self::Number(_) | Self::Array(_) => {
                return Err(Mismatch);
            }
        };
        Ok((seed.deserialize(StrDeserializer::<Mismatch>::new(&name))?, value))
    }
}

impl<'de> VariantAccess<'de> for Value<'de> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        if self == Self::Null { Ok(()) } else { Err(Mismatch) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mismatch> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.array()?)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_struct("", fields, visitor)
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::True | Self::False => self.deserialize_bool(visitor),
            Self::Number(_) => self.deserialize_u64(visitor),
            Self::Text(_) => self.deserialize_str(visitor),
            Self::Array(_) => self.deserialize_seq(visitor),
            Self::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::True => visitor.visit_bool(true),
            Self::False => visitor.visit_bool(false),
            Self::Null | Self::Number(_) | Self::Text(_) | Self::Array(_) | Self::Object(_) => {
                Err(Mismatch)
            }
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_str(&self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_string(self.text()?.into_owned())
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_str(visitor)
    }

    /// Bytes are how a payload asks for JSON as it is.
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_byte_buf(to_compact(&self).into_bytes())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        if self == Self::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.array()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        let object = self.into_object().ok_or(Mismatch)?;
        visitor.visit_map(Fields { rest: object.members.into_iter(), value: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        let object = self.into_object().ok_or(Mismatch)?;
        visitor.visit_seq(Declared { object, names: fields.iter() })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 f64 char bytes unit unit_struct tuple_struct ignored_any
    }
}
