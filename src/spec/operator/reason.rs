//! Reasons: why a request has no result. Ours, never matched against a backend's words.

use super::Rule;
use std::fmt;
use std::str::FromStr;

macro_rules! reasons {
    ($($variant:ident $name:literal $rule:ident $says:literal),+ $(,)?) => {
        /// Why a request must (or, under a reading of an open question, may) be rejected.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Reason { $($variant),+ }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Its id in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }
            /// What is wrong, in a few words.
            #[must_use]
            pub const fn says(self) -> &'static str { match self { $(Self::$variant => $says),+ } }
            /// The rule that is broken.
            #[must_use]
            pub const fn rule(self) -> Rule { match self { $(Self::$variant => Rule::$rule),+ } }
        }
    };
}

reasons! {
    TwoMinusOnes "two-minus-ones" OneMinusOne "the target holds more than one -1",
    ZeroWithMinusOne "zero-with-minus-one" ZeroWithMinusOne "the target holds a literal 0 together with a -1",
    BelowMinusOne "below-minus-one" TargetValues "the target holds a value below -1",
    CopyPastRank "copy-past-rank" CopiedZero "a 0 copies from an index at which the data has no dimension",
    VolumeMismatch "volume-mismatch" SameCount "the output would not have as many elements as the data",
    NotDivisible "not-divisible" InferredMinusOne "the element count cannot be divided by the other dimensions",
    IndeterminateDimension "indeterminate-dimension" InferredMinusOne "the other dimensions multiply to 0, so nothing determines the -1",
    CountOverflows "count-overflows" SameCount "dimensions multiply to more than 2^63-1",
    EmptyTarget "empty-target" EmptyTarget "the target is empty",
    ElementType "element-type" ElementTypes "the operator does not list the data's element type",
    TargetType "target-type" TargetType "the target has a type that the operator does not take",
    TargetNotFlat "target-not-1d" TargetIsFlat "the target is not a flat list",
    MissingTarget "missing-target" TargetPresent "the target is missing",
    MissingAttribute "missing-attribute" ZeroModeAttribute "a required attribute is missing",
    AttributeType "attribute-type" ZeroModeType "an attribute has the wrong type",
    AttributeValue "attribute-value" ZeroModeType "an attribute has a value that the text does not explain",
    UnknownAttribute "unknown-attribute" ZeroModeAttribute "the operator has no such attribute in this version",
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Reason {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.name() == text)
            .ok_or(())
    }
}

impl serde::Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
