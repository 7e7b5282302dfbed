//! Questions: what a text leaves open, with what a reasonable reader could allow and what the reference does.

use super::Reason;
use std::fmt;
use std::str::FromStr;

macro_rules! questions {
    ($($variant:ident $name:literal { asks: $asks:literal, allowed: $allowed:literal, choice: $choice:literal, debated: $debated:literal, reason: $reason:ident }),+ $(,)?) => {
        /// A point on which a text is silent or contradicts itself (design.md section 4).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Question { $($variant),+ }

        impl Question {
            /// Every question.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Its id in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }
            /// What is asked, in a sentence.
            #[must_use]
            pub const fn asks(self) -> &'static str { match self { $(Self::$variant => $asks),+ } }
            /// What a reasonable reader could allow.
            #[must_use]
            pub const fn allowed(self) -> &'static str { match self { $(Self::$variant => $allowed),+ } }
            /// What the reference does, and why.
            #[must_use]
            pub const fn choice(self) -> &'static str { match self { $(Self::$variant => $choice),+ } }
            /// Why a reader rejects who does not take it.
            #[must_use]
            pub const fn reason(self) -> Reason { match self { $(Self::$variant => Reason::$reason),+ } }
            /// Where the texts leave it open, and where it shows.
            #[must_use]
            pub const fn debated(self) -> &'static str { match self { $(Self::$variant => $debated),+ } }
        }
    };
}

questions! {
    IndeterminateDimension "indeterminate-dimension" {
        asks: "What is a -1 while the other dimensions multiply to 0, so that any length would keep the count?",
        allowed: "reject, or any shape that has the known dimensions",
        choice: "reject: nothing singles a length out, and numpy.reshape refuses too",
        debated: "ONNX forbids it with allowzero=1 and the oneDNN specification with special_zero=false, because the dimension is not determined; with copied zeros, and in OpenVINO and the oneDNN guide, the texts say nothing",
        reason: IndeterminateDimension
    },
    BelowMinusOne "below-minus-one" {
        asks: "What is a value below -1?",
        allowed: "reject (one should), or read it as -1",
        choice: "reject: no text gives it a meaning",
        debated: "ONNX says 'similar to numpy', whose reshape takes any negative for the unknown length; the oneDNN guide names no lower bound; the oneDNN specification and OpenVINO give the allowed values",
        reason: BelowMinusOne
    },
    CountOverflows "count-overflows" {
        asks: "Is a shape without elements good when its other dimensions multiply to more than 2^63-1?",
        allowed: "the exact shape, or reject",
        choice: "the exact shape: its element count is 0, whatever the other dimensions are",
        debated: "no text limits dimensions; most implementations hold sizes in 64 bits",
        reason: CountOverflows
    },
    AllowzeroNeither "allowzero-not-0-or-1" {
        asks: "What does allowzero mean when it is neither 0 nor 1?",
        allowed: "as 0, as 1, or reject",
        choice: "as 1: the attribute is set",
        debated: "the ONNX text speaks of the attribute being set, and explains only 1 and the default 0",
        reason: AttributeValue
    },
    TargetNotFlat "target-not-1d" {
        asks: "What is a target that is not a flat list?",
        allowed: "reject (one should), or read its values in row-major order",
        choice: "reject: a shape is a list",
        debated: "ONNX gives the target's element type but not its rank; OpenVINO says 1-D, and oneDNN's attribute is a list",
        reason: TargetNotFlat
    },
    EmptyTarget "empty-target" {
        asks: "Does an empty target make a scalar of one element?",
        allowed: "a scalar, or reject",
        choice: "a scalar: the empty product is 1",
        debated: "ONNX says that an empty shape converts to a scalar; OpenVINO and oneDNN do not mention it",
        reason: EmptyTarget
    },
    PositiveValues "positive-values" {
        asks: "May the shape attribute hold 0 and -1?",
        allowed: "what the notes say about 0 and -1, or reject",
        choice: "the notes: they explain both values",
        debated: "the oneDNN guide's attribute table says positive values, and its own notes explain 0 and -1",
        reason: BelowMinusOne
    },
    UnknownAttribute "attribute-unknown-to-version" {
        asks: "What becomes of an attribute that the operator does not have in this version?",
        allowed: "reject (one should), or ignore it; never honour it",
        choice: "reject: the node is not a node of this operator",
        debated: "the texts list the attributes and do not say what others do; ONNX's checker refuses them",
        reason: UnknownAttribute
    },
    ElementTypeOutside "element-type-outside-list" {
        asks: "What becomes of data whose element type the text does not list?",
        allowed: "reject (one should), or reshape it",
        choice: "reject: the text does not cover it",
        debated: "ONNX constrains T, so there it is no question; OpenVINO says 'any numeric type', and oneDNN lists supported types",
        reason: ElementType
    },
    MissingTarget "missing-target" {
        asks: "What does a node without its target mean?",
        allowed: "reject (one should), or take it for an empty target",
        choice: "reject: there is no shape",
        debated: "ONNX Reshape-1 does not say whether its attribute shape is required",
        reason: MissingTarget
    },
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Question {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .iter()
            .copied()
            .find(|question| question.name() == text)
            .ok_or(())
    }
}

impl serde::Serialize for Question {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
