//! How the state and the inputs of an engine come back from where they were kept.
//!
//! They are written by `serde`'s derives; they are read by a trait of our own, for `serde`'s readers
//! are built for input that may be wrong field by field, and each field has its own way out: with them
//! the wasm was 29 kB (gzip) larger. A checksum has vouched for the text, so what does not fit was written by
//! another version, and that is told of the whole: a reader notes it, goes on with a value that stands for
//! none, and in the end everything is thrown away.

use std::borrow::Cow;
use std::collections::VecDeque;

/// A place in what is read, which moves through it.
pub(crate) trait Source {
    /// What is here is not what was written.
    fn fail(&mut self);
    /// Whether here is nothing.
    fn is_null(&self) -> bool;
    /// The number here.
    fn number(&mut self) -> u64;
    /// The yes or no here.
    fn flag(&mut self) -> bool;
    /// The text here.
    fn text(&mut self) -> String;
    /// Whatever is here, as compact JSON.
    fn json(&mut self) -> String;
    /// Goes into a field; one that is not there is nothing.
    fn field(&mut self, name: &str);
    /// Goes into the next item of the list here; `false` at its end.
    fn item(&mut self) -> bool;
    /// Goes into the content of one of several, and tells its name.
    fn variant(&mut self) -> String;
    /// Goes back out.
    fn leave(&mut self);
}

/// Plain data that comes back from where it was kept.
pub(crate) trait FromStore: Sized {
    /// Reads what is here.
    fn read(from: &mut dyn Source) -> Self;
}

/// Reads a field of the object here.
pub(crate) fn field<T: FromStore>(from: &mut dyn Source, name: &str) -> T {
    from.field(name);
    let value = T::read(from);
    from.leave();
    value
}

/// Reads the next item of the list here, which must be there.
pub(crate) fn item<T: FromStore>(from: &mut dyn Source) -> T {
    if from.item() {
        let value = T::read(from);
        from.leave();
        return value;
    }
    from.fail();
    // What is read here is nothing, and stands for nothing.
    from.field("");
    let value = T::read(from);
    from.leave();
    value
}

/// The list here must be at its end.
pub(crate) fn no_more(from: &mut dyn Source) {
    if from.item() {
        from.leave();
        from.fail();
    }
}

/// Reads what is written as a text and has a form of its own; `none` stands for what has not.
pub(crate) fn text<T>(
    from: &mut dyn Source,
    parse: impl FnOnce(&str) -> Option<T>,
    none: impl FnOnce() -> T,
) -> T {
    parse(&from.text()).unwrap_or_else(|| {
        from.fail();
        none()
    })
}

/// How plain data is read. The names of variants are those that the derive writes.
macro_rules! from_store {
    ($(<$life:lifetime>)? struct $of:ty { $($field:ident $(as $name:literal)?),+ $(,)? }) => {
        impl $(<$life>)? $crate::stored::FromStore for $of {
            fn read(from: &mut dyn $crate::stored::Source) -> Self {
                Self { $($field: $crate::stored::field(from, from_store!(@name $field $($name)?))),+ }
            }
        }
    };
    (newtype $of:ty) => {
        impl $crate::stored::FromStore for $of {
            fn read(from: &mut dyn $crate::stored::Source) -> Self {
                Self($crate::stored::FromStore::read(from))
            }
        }
    };
    ($(<$life:lifetime>)? enum $of:ty {
        $first_name:literal => $first:ident $({ $($first_field:ident),+ })? $(($($first_hole:tt),+))?
        $(, $name:literal => $variant:ident $({ $($field:ident),+ })? $(($($hole:tt),+))?)* $(,)?
    }) => {
        impl $(<$life>)? $crate::stored::FromStore for $of {
            fn read(from: &mut dyn $crate::stored::Source) -> Self {
                let name = from.variant();
                let read = match name.as_str() {
                    $($name => from_store!(@variant from $variant $({ $($field),+ })? $(($($hole),+))?),)*
                    other => {
                        if other != $first_name {
                            from.fail();
                        }
                        from_store!(@variant from $first $({ $($first_field),+ })? $(($($first_hole),+))?)
                    }
                };
                from.leave();
                read
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@variant $from:ident $variant:ident) => {{
        if !$from.is_null() {
            $from.fail();
        }
        Self::$variant
    }};
    (@variant $from:ident $variant:ident { $($field:ident),+ }) => {
        Self::$variant { $($field: $crate::stored::field($from, stringify!($field))),+ }
    };
    (@variant $from:ident $variant:ident (_)) => {
        Self::$variant($crate::stored::FromStore::read($from))
    };
    (@variant $from:ident $variant:ident (_, _)) => {{
        let both = Self::$variant($crate::stored::item($from), $crate::stored::item($from));
        $crate::stored::no_more($from);
        both
    }};
}

pub(crate) use from_store;

impl FromStore for u64 {
    fn read(from: &mut dyn Source) -> Self {
        from.number()
    }
}

/// A number that may be too large for its place.
fn small<T: TryFrom<u64> + Default>(from: &mut dyn Source) -> T {
    T::try_from(from.number()).unwrap_or_else(|_| {
        from.fail();
        T::default()
    })
}

impl FromStore for u32 {
    fn read(from: &mut dyn Source) -> Self {
        small(from)
    }
}

impl FromStore for u16 {
    fn read(from: &mut dyn Source) -> Self {
        small(from)
    }
}

impl FromStore for u8 {
    fn read(from: &mut dyn Source) -> Self {
        small(from)
    }
}

impl FromStore for usize {
    fn read(from: &mut dyn Source) -> Self {
        small(from)
    }
}

impl FromStore for bool {
    fn read(from: &mut dyn Source) -> Self {
        from.flag()
    }
}

impl FromStore for String {
    fn read(from: &mut dyn Source) -> Self {
        from.text()
    }
}

impl<T: FromStore> FromStore for Option<T> {
    fn read(from: &mut dyn Source) -> Self {
        if from.is_null() { None } else { Some(T::read(from)) }
    }
}

impl<T: FromStore> FromStore for Box<T> {
    fn read(from: &mut dyn Source) -> Self {
        Self::new(T::read(from))
    }
}

impl<T: FromStore> FromStore for Vec<T> {
    fn read(from: &mut dyn Source) -> Self {
        let mut items = Self::new();
        while from.item() {
            items.push(T::read(from));
            from.leave();
        }
        items
    }
}

impl<T: FromStore> FromStore for VecDeque<T> {
    fn read(from: &mut dyn Source) -> Self {
        Vec::read(from).into()
    }
}

impl<T: FromStore> FromStore for Box<[T]> {
    fn read(from: &mut dyn Source) -> Self {
        Vec::read(from).into_boxed_slice()
    }
}

impl<T: FromStore, const LENGTH: usize> FromStore for [T; LENGTH] {
    fn read(from: &mut dyn Source) -> Self {
        let items = std::array::from_fn(|_| item(from));
        no_more(from);
        items
    }
}

impl<A: FromStore, B: FromStore> FromStore for (A, B) {
    fn read(from: &mut dyn Source) -> Self {
        let both = (item(from), item(from));
        no_more(from);
        both
    }
}

impl<T: ToOwned + ?Sized> FromStore for Cow<'_, T>
where
    T::Owned: FromStore,
{
    fn read(from: &mut dyn Source) -> Self {
        Self::Owned(T::Owned::read(from))
    }
}
