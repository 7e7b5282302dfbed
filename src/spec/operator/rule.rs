//! Rules: what the clauses of several operators say in common.

use std::fmt;
use std::str::FromStr;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal),+ $(,)?) => {
        /// What several operators' clauses say in common. A case that cites a rule covers the clauses of that rule
        /// of every operator it runs on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[doc = $doc])+ $variant),+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its id in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What it says, in a sentence.
            #[must_use]
            pub fn says(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),+ }.trim_start()
            }
        }
    };
}

rules! {
    /// Each positive value of the target is the length of the output dimension at its index.
    TargetIsOutputShape "target-is-output-shape",
    /// The output has exactly as many elements as the data.
    SameCount "same-count",
    /// The output holds the data's elements in row-major order, every bit as it was, in the same element type.
    SameContent "same-content",
    /// A -1 stands for the one length that keeps the element count.
    InferredMinusOne "inferred-minus-one",
    /// The target holds at most one -1.
    OneMinusOne "one-minus-one",
    /// A 0 that copies takes the length of the data dimension at its own index, counted from the left.
    CopiedZero "copied-zero",
    /// A 0 that is literal is a dimension of length zero.
    LiteralZero "literal-zero",
    /// A literal 0 and a -1 do not go together in one target.
    ZeroWithMinusOne "zero-with-minus-one",
    /// Which values a target may hold.
    TargetValues "target-values",
    /// What an empty target means.
    EmptyTarget "empty-target",
    /// Which type the target has: the element type of a tensor, or the type of an attribute.
    TargetType "target-type",
    /// The target is a flat list.
    TargetIsFlat "target-is-flat",
    /// Where the target comes from, and that it has to be there.
    TargetPresent "target-present",
    /// An attribute says whether a 0 copies or is literal.
    ZeroModeAttribute "zero-mode-attribute",
    /// What holds when the attribute about zeros is not there.
    ZeroModeDefault "zero-mode-default",
    /// The type and the values of the attribute about zeros.
    ZeroModeType "zero-mode-type",
    /// The target is resolved from left to right.
    LeftToRight "left-to-right",
    /// How far to the right a copied 0 may stand.
    CopyWithinRank "copy-within-rank",
    /// Which element types the data may have.
    ElementTypes "element-types",
    /// The data input: any shape, and it has to be there.
    DataInput "data-input",
    /// From which version of its family on the operator holds, or under which name it goes.
    Version "version",
    /// Likeness to numpy.reshape, in what the text leaves unsaid.
    LikeNumpy "like-numpy",
    /// An attribute of old that changes nothing.
    LegacyAttribute "legacy-attribute",
    /// The memory layout of the output is left free.
    LayoutIsFree "layout-is-free",
    /// View or copy is left free.
    ViewOrCopyIsFree "view-or-copy-is-free",
    /// Advice on when to use the operator.
    UsageAdvice "usage-advice",
    /// An example of the text with its result.
    Example "example",
}

impl Rule {
    /// Whether a case can cite it. Examples have nothing in common but being examples, so each is cited by its clause.
    #[must_use]
    pub fn is_citable(self) -> bool {
        self != Self::Example
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .iter()
            .copied()
            .find(|rule| rule.name() == text)
            .ok_or(())
    }
}
