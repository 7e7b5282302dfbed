//! Enums whose variants each have a name, spelled the same in files, in messages and on the wire.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// Declares an enum with a name for each variant: `ALL`, `name`, `Display`, `FromStr`, `Serialize` and `Deserialize`.
///
/// The string after the enum's name is the noun that error messages use. With a row type (`enum Name: Row`), each variant
/// also has a row of constant data, which `row` returns; `columns!` declares such a type.
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $Enum:ident, $noun:literal {
            $($(#[$variant_meta:meta])* $Variant:ident = $name:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $visibility enum $Enum {
            $($(#[$variant_meta])* #[cfg_attr(test, schemars(rename = $name))] $Variant),+
        }

        impl $Enum {
            /// Every variant, in the order of the declaration.
            $visibility const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The name in files, in messages and on the wire.
            #[must_use]
            $visibility const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = $crate::names::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|variant| variant.name() == text);
                found.ok_or_else(|| $crate::names::UnknownName {
                    noun: $noun,
                    text: text.to_owned(),
                    names: Self::ALL.iter().map(|variant| variant.name()).collect(),
                })
            }
        }

        impl serde::Serialize for $Enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        $crate::names::deserialize_from_str!($Enum);
    };
    (
        $(#[$meta:meta])*
        $visibility:vis enum $Enum:ident: $Row:ty, $noun:literal {
            $($(#[$variant_meta:meta])* $Variant:ident = $name:literal => $row:expr),+ $(,)?
        }
    ) => {
        $crate::names::named_enum! {
            $(#[$meta])*
            $visibility enum $Enum, $noun { $($(#[$variant_meta])* $Variant = $name),+ }
        }

        impl $Enum {
            const ROWS: &'static [$Row] = &[$($row),+];

            const fn row(self) -> &'static $Row {
                &Self::ROWS[self as usize]
            }
        }
    };
}

/// A table of pairs.
macro_rules! table {
    ($($name:expr => $value:expr,)+) => { &[$(($name, $value)),+] };
}

pub(crate) use {named_enum, table};

/// Implements `Deserialize` by `FromStr`.
macro_rules! deserialize_from_str {
    ($Type:ty) => {
        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use deserialize_from_str;

/// Declares the row type of a named enum, with a method of the enum for each column. The function `row` makes a row from
/// its columns in their order.
macro_rules! columns {
    ($Row:ident of $Enum:ident {
        $($(#[$meta:meta])* $visibility:vis $column:ident: $Column:ty),+ $(,)?
    }) => {
        struct $Row { $($column: $Column),+ }

        #[allow(dead_code)]
        const fn row($($column: $Column),+) -> $Row {
            $Row { $($column),+ }
        }

        impl $Enum {
            $($(#[$meta])* #[must_use] $visibility const fn $column(self) -> $Column {
                self.row().$column
            })+
        }
    };
}

pub(crate) use columns;

/// A text that is not the name of any variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    pub(crate) noun: &'static str,
    pub(crate) text: String,
    pub(crate) names: Vec<&'static str>,
}

impl Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { noun, text, names } = self;
        let all = format!("the {noun}s are {}", names.join(", "));
        let hint = suggestion(text, names.iter().copied(), all);
        write!(f, "unknown {noun} '{text}'; {hint}")
    }
}

impl std::error::Error for UnknownName {}

/// Texts in a row, with a separator between each two.
pub(crate) trait Joined: Iterator<Item: Display> + Sized {
    fn joined(self, separator: &str) -> String {
        let texts: Vec<_> = self.map(|text| text.to_string()).collect();
        texts.join(separator)
    }
}

impl<I: Iterator<Item: Display>> Joined for I {}

/// Pairs, grouped by their first parts.
pub(crate) trait Grouped<K, V>: Iterator<Item = (K, V)> + Sized {
    /// The groups in the order of their first pairs.
    fn grouped(self) -> Vec<(K, Vec<V>)>
    where
        K: PartialEq,
    {
        let mut groups: Vec<(K, Vec<V>)> = Vec::new();
        for (key, value) in self {
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, values)) => values.push(value),
                None => groups.push((key, vec![value])),
            }
        }
        groups
    }

    /// The groups in the order of what they share.
    fn sorted(self) -> BTreeMap<K, Vec<V>>
    where
        K: Ord,
    {
        let mut groups: BTreeMap<K, Vec<V>> = BTreeMap::new();
        self.for_each(|(key, value)| groups.entry(key).or_default().push(value));
        groups
    }
}

impl<K, V, I: Iterator<Item = (K, V)>> Grouped<K, V> for I {}

/// Items without repetition.
pub(crate) trait Distinct: Iterator<Item: PartialEq> + Sized {
    /// Each item once, in the order of their first times.
    fn distinct(self) -> Vec<Self::Item> {
        let mut all = Vec::new();
        for item in self {
            if !all.contains(&item) {
                all.push(item);
            }
        }
        all
    }
}

impl<I: Iterator<Item: PartialEq>> Distinct for I {}

/// The longest text, in characters, for which similar names are searched.
const MAX_LENGTH: usize = 100;
/// The least similarity between a text and a part of a name.
const PART: f32 = 0.8;
/// The most names to suggest.
const MAX: usize = 3;

/// The names that a text may have meant, the most similar first.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    if text.chars().count() > MAX_LENGTH {
        return Vec::new();
    }
    let text = text.to_lowercase().replace(['_', ' '], "-");
    let mut near: Vec<_> = names
        .map(|name| {
            let plain = name.to_lowercase().replace('_', "-");
            let ratio = similar::TextDiff::from_chars(&text, &plain).ratio();
            // A part of a name, such as its first word.
            let is_part = text.len() > 2 && plain.contains(&text);
            (if is_part { ratio.max(PART) } else { ratio }, name)
        })
        .filter(|(ratio, _)| *ratio > 0.6)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Next to a name that is nearly the same, others are noise.
    let best = near.first().map_or(0.0, |(ratio, _)| *ratio);
    let near = near.into_iter().filter(|(ratio, _)| best - ratio < 0.15);
    near.take(MAX).map(|(_, name)| name).collect()
}

/// The question that suggests the names nearest to a text; `otherwise` if none is near.
pub(crate) fn suggestion<'n>(
    text: &str,
    names: impl Iterator<Item = &'n str>,
    otherwise: impl Into<String>,
) -> String {
    match nearest(text, names).as_slice() {
        [] => otherwise.into(),
        near => did_you_mean(near),
    }
}

/// The question that suggests these names; there is at least one.
pub(crate) fn did_you_mean(names: &[&str]) -> String {
    format!("did you mean {}?", names.join(" or "))
}
