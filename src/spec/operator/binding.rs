//! Bindings: how a case reaches a backend. Real backends take different code paths for each.

use std::fmt;
use std::str::FromStr;

/// Where the target shape comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetSource {
    /// An attribute of the node.
    Attribute,
    /// A constant of the model.
    Constant,
    /// An input, known only at the run.
    Runtime,
}

impl TargetSource {
    /// Its name in words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::Constant => "constant",
            Self::Runtime => "runtime",
        }
    }
}

/// Where the elements lie in memory. The texts leave it free, so the logical content must be the same in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layout {
    /// Row-major and without gaps, in buffers of their own: what every backend has.
    RowMajor,
    /// The data's strides are those of its dims in another order.
    Permuted,
    /// The data's strides leave gaps.
    Padded,
    /// The output's layout is left to the library.
    Library,
    /// The output takes the data's own buffer.
    InPlace,
}

impl Layout {
    /// Every layout.
    pub const ALL: &'static [Self] = &[
        Self::RowMajor,
        Self::Permuted,
        Self::Padded,
        Self::Library,
        Self::InPlace,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "row-major",
            Self::Permuted => "permuted",
            Self::Padded => "padded",
            Self::Library => "library",
            Self::InPlace => "in-place",
        }
    }
}

macro_rules! bindings {
    ($($variant:ident $name:literal $source:ident $dynamic:literal $layout:ident),+ $(,)?) => {
        /// Target source × whether the data dims are declared × where the elements lie.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Binding { $($variant),+ }

        impl Binding {
            /// Every binding.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Its name in files, trial names and on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }
            /// Where the target comes from.
            #[must_use]
            pub const fn source(self) -> TargetSource { match self { $(Self::$variant => TargetSource::$source),+ } }
            /// Whether the data dims are left open until the run.
            #[must_use]
            pub const fn dynamic(self) -> bool { match self { $(Self::$variant => $dynamic),+ } }
            /// Where the elements lie in memory.
            #[must_use]
            pub const fn layout(self) -> Layout { match self { $(Self::$variant => Layout::$layout),+ } }
        }
    };
}

bindings! {
    AttributeStatic "attribute-static" Attribute false RowMajor,
    AttributeDynamic "attribute-dynamic" Attribute true RowMajor,
    ConstantStatic "constant-static" Constant false RowMajor,
    ConstantDynamic "constant-dynamic" Constant true RowMajor,
    RuntimeStatic "runtime-static" Runtime false RowMajor,
    RuntimeDynamic "runtime-dynamic" Runtime true RowMajor,
    AttributePermuted "attribute-permuted" Attribute false Permuted,
    AttributePadded "attribute-padded" Attribute false Padded,
    AttributeLibraryLayout "attribute-library-layout" Attribute false Library,
    AttributeInPlace "attribute-in-place" Attribute false InPlace,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Binding {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL
            .iter()
            .copied()
            .find(|binding| binding.name() == text);
        found.ok_or_else(|| {
            let all: Vec<_> = Self::ALL.iter().map(|b| b.name()).collect();
            format!(
                "there is no binding '{text}'; the bindings are {}",
                all.join(", ")
            )
        })
    }
}

impl serde::Serialize for Binding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for Binding {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
