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

macro_rules! bindings {
    ($($variant:ident $name:literal $source:ident $dynamic:literal),+ $(,)?) => {
        /// Target source × whether the data dims are declared.
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
        }
    };
}

bindings! {
    AttributeStatic "attribute-static" Attribute false,
    AttributeDynamic "attribute-dynamic" Attribute true,
    ConstantStatic "constant-static" Constant false,
    ConstantDynamic "constant-dynamic" Constant true,
    RuntimeStatic "runtime-static" Runtime false,
    RuntimeDynamic "runtime-dynamic" Runtime true,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Binding {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|binding| binding.name() == text);
        found.ok_or_else(|| {
            let all: Vec<_> = Self::ALL.iter().map(|b| b.name()).collect();
            format!("there is no binding '{text}'; the bindings are {}", all.join(", "))
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
