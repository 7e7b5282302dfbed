//! The element types, and how wide each one's bits are.

use std::fmt;
use std::str::FromStr;

/// How an element's bits are read when it is shown or written as a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// A binary float: see [`crate::tensor::float::Format`].
    Float,
    /// Two's complement.
    Signed,
    /// Plain binary.
    Unsigned,
    /// One byte; 0 is false, 1 is true, and every other byte is kept as it is.
    Bool,
    /// Two floats of half the width, real part first.
    Complex,
    /// A string of bytes of its own length.
    String,
}

/// Element types that implementations treat alike, as coverage groups them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Float,
    SmallFloat,
    TinyFloat,
    Integer,
    SubByteInteger,
    Bool,
    String,
    Complex,
}

impl Class {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Float,
        Self::SmallFloat,
        Self::TinyFloat,
        Self::Integer,
        Self::SubByteInteger,
        Self::Bool,
        Self::String,
        Self::Complex,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::SmallFloat => "small-float",
            Self::TinyFloat => "f8-or-f4",
            Self::Integer => "integer",
            Self::SubByteInteger => "sub-byte-integer",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Complex => "complex",
        }
    }
}

macro_rules! element_types {
    ($($variant:ident $name:literal $bits:literal $reading:ident $class:ident),+ $(,)?) => {
        /// The type of a tensor's elements, named as in the project's files and on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum ElementType { $($variant),+ }

        impl ElementType {
            /// Every element type, in the order of design.md section 2.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in files, messages and on the wire: `f32`, `bf16`, `string`, …
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Bits of one element; `None` for strings, whose elements have a length each.
            #[must_use]
            pub const fn bits(self) -> Option<u32> {
                let bits = match self { $(Self::$variant => $bits),+ };
                if bits == 0 { None } else { Some(bits) }
            }

            pub(crate) const fn representation(self) -> Representation {
                match self { $(Self::$variant => Representation::$reading),+ }
            }

            pub(crate) const fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class),+ }
            }
        }
    };
}

element_types! {
    F32 "f32" 32 Float Float,
    F16 "f16" 16 Float SmallFloat,
    Bf16 "bf16" 16 Float SmallFloat,
    F64 "f64" 64 Float Float,
    I8 "i8" 8 Signed Integer,
    I16 "i16" 16 Signed Integer,
    I32 "i32" 32 Signed Integer,
    I64 "i64" 64 Signed Integer,
    U8 "u8" 8 Unsigned Integer,
    U16 "u16" 16 Unsigned Integer,
    U32 "u32" 32 Unsigned Integer,
    U64 "u64" 64 Unsigned Integer,
    Bool "bool" 8 Bool Bool,
    String "string" 0 String String,
    Complex64 "complex64" 64 Complex Complex,
    Complex128 "complex128" 128 Complex Complex,
    F8e4m3fn "f8e4m3fn" 8 Float TinyFloat,
    F8e4m3fnuz "f8e4m3fnuz" 8 Float TinyFloat,
    F8e5m2 "f8e5m2" 8 Float TinyFloat,
    F8e5m2fnuz "f8e5m2fnuz" 8 Float TinyFloat,
    F8e8m0 "f8e8m0" 8 Float TinyFloat,
    F4e2m1 "f4e2m1" 4 Float TinyFloat,
    I4 "i4" 4 Signed SubByteInteger,
    U4 "u4" 4 Unsigned SubByteInteger,
    I2 "i2" 2 Signed SubByteInteger,
    U2 "u2" 2 Unsigned SubByteInteger,
}

impl ElementType {
    /// Bytes that `count` packed elements take; `None` for strings and for more bytes than a u64 counts.
    #[must_use]
    pub fn packed_bytes(self, count: u64) -> Option<u64> {
        let bits = u128::from(count) * u128::from(self.bits()?);
        u64::try_from(bits.div_ceil(8)).ok()
    }

    /// Whether it is one of the integer types (what a target shape can be made of).
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(
            self.representation(),
            Representation::Signed | Representation::Unsigned
        )
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is not the name of an element type.
#[derive(Debug, thiserror::Error)]
#[error("there is no element type '{0}'; the element types are {all}", all = all_names())]
pub struct UnknownElementType(String);

fn all_names() -> String {
    let names: Vec<_> = ElementType::ALL.iter().map(|t| t.name()).collect();
    names.join(", ")
}

impl FromStr for ElementType {
    type Err = UnknownElementType;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|t| t.name() == text);
        found
            .copied()
            .ok_or_else(|| UnknownElementType(text.to_owned()))
    }
}

impl serde::Serialize for ElementType {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for ElementType {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
