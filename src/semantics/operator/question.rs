//! The open questions of the texts, what readers could allow, and what the reference does.

use super::rule::Reason;
use crate::names::{columns, named_enum};

/// How a reader of a text decides a point that the text leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadersChoice {
    Reject,
    /// The reader accepts it in this meaning, also given in words: "read as -1".
    Accept(Meaning, &'static str),
}

/// The meaning in which a reader accepts a point. [`Question::allowed`] lists them where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    First,
    Second,
}

use Meaning::{First, Second};
use ReadersChoice::{Accept, Reject};

columns! {
    Row of Question {
        /// The question, as a sentence.
        pub asks: &'static str,
        /// What a reasonable reader could allow, in words.
        pub allowed: &'static str,
        /// What the reference does, and why.
        pub choice: &'static str,
        /// Where the texts leave it open, and where people discuss it.
        pub debated: &'static str,
        /// Why a reader who does not accept it rejects the request.
        pub reason: Reason,
        /// The choices of readers; the reference's own choice first.
        pub(crate) choices: &'static [ReadersChoice],
    }
}

named_enum! {
    /// A point on which a text is silent or contradicts itself.
    #[allow(missing_docs)]
    pub enum Question: Row, "question" {
        IndeterminateDimension = "indeterminate-dimension" => Row {
            asks: "What is a -1 while the other dimensions multiply to 0, so that any length would keep the count?",
            allowed: "reject, or any shape that has the known dimensions",
            choice: "reject: no single length follows, and numpy.reshape refuses too",
            debated: "ONNX forbids it with allowzero=1 and the oneDNN specification with special_zero=false, because \
                nothing determines the dimension; with copied zeros, and in OpenVINO, the oneDNN guide and the Array \
                API standard, the texts say nothing",
            reason: Reason::IndeterminateDimension,
            choices: &[Reject, Accept(First, "with any length")],
        },
        BelowMinusOne = "below-minus-one" => Row {
            asks: "What is a value below -1?",
            allowed: "reject (one should), or read it as -1",
            choice: "reject: no text gives it a meaning",
            debated: "ONNX says 'similar to numpy', whose reshape takes any negative for the unknown length; the \
                oneDNN texts and OpenVINO list the allowed values, so it is not open there; the Array API standard explains \
                only -1",
            reason: Reason::BelowMinusOne,
            choices: &[Reject, Accept(First, "read as -1")],
        },
        CopyAtRank = "copy-at-rank" => Row {
            asks: "What is a copied 0 at the index that is the rank of the data?",
            allowed: "reject, or any length there that keeps the data's count",
            choice: "reject: the data has no dimension there",
            debated: "OpenVINO forbids an index larger than the rank, which leaves the rank itself open; the other \
                texts copy a dimension that must exist",
            reason: Reason::CopyPastRank,
            choices: &[Reject, Accept(First, "with any length there")],
        },
        CountOverflows = "count-overflows" => Row {
            asks: "Is a shape without elements valid when its other dimensions multiply to more than 2^63-1?",
            allowed: "the exact shape, or reject",
            choice: "the exact shape: its element count is 0, whatever the other dimensions are",
            debated: "no text limits dimensions; most implementations hold sizes in 64 bits",
            reason: Reason::CountOverflows,
            choices: &[Accept(First, "with a count of 0"), Reject],
        },
        Capacity = "capacity" => Row {
            asks: "Is a request valid that has a dimension past 2^31-1, more than 8 dimensions, or nonzero dimensions \
                that multiply to more than 2^31?",
            allowed: "the exact shape, or reject, which is then a limit of the backend",
            choice: "the exact shape: no text gives a limit",
            debated: "no text says how much an implementation must be able to hold, in dimensions, in elements or in bytes",
            reason: Reason::Capacity,
            choices: &[Accept(First, "without a limit"), Reject],
        },
        AllowzeroNeither = "allowzero-not-0-or-1" => Row {
            asks: "What does allowzero mean when it is neither 0 nor 1?",
            allowed: "as 0, as 1, or reject",
            choice: "as 1: the attribute is set",
            debated: "the ONNX text speaks of the attribute being set, and explains only 1 and the default 0",
            reason: Reason::AttributeValue,
            choices: &[Accept(First, "read as 1"), Accept(Second, "read as 0"), Reject],
        },
        TargetNotFlat = "target-not-1d" => Row {
            asks: "What is a target that is not a flat list?",
            allowed: "reject (one should), or read its values in row-major order",
            choice: "reject: a shape is a list",
            debated: "ONNX gives the target's element type but not its rank; OpenVINO says 1-D, and oneDNN's attribute is a list",
            reason: Reason::TargetNotFlat,
            choices: &[Reject, Accept(First, "read in row-major order")],
        },
        TargetTypeSupported = "target-type-supported" => Row {
            asks: "Which integer types can the target have, other than i64 and i32?",
            allowed: "the exact shape, or reject",
            choice: "the exact shape: each of them is an integer type",
            debated: "OpenVINO says 'any supported integer type', but not which types are supported; ONNX and oneDNN \
                name i64 alone",
            reason: Reason::TargetType,
            choices: &[Accept(First, "of a supported type"), Reject],
        },
        ScalarData = "scalar-data" => Row {
            asks: "Can the data be a scalar?",
            allowed: "the exact shape, or reject",
            choice: "the exact shape: a tensor of no dimensions is a tensor",
            debated: "the oneDNN specification calls the data multidimensional; OpenVINO says 'arbitrary shape', and ONNX and the oneDNN guide limit no shape",
            reason: Reason::ScalarData,
            choices: &[Accept(First, "of a tensor without dimensions"), Reject],
        },
        EmptyTarget = "empty-target" => Row {
            asks: "Does an empty target make a scalar of one element?",
            allowed: "a scalar, or reject",
            choice: "a scalar: the empty product is 1",
            debated: "ONNX says that an empty second input converts to a scalar, even for version 1, which has no \
                second input; oneDNN does not mention it",
            reason: Reason::EmptyTarget,
            choices: &[Accept(First, "read as a scalar"), Reject],
        },
        UnknownAttribute = "attribute-unknown-to-version" => Row {
            asks: "What becomes of an attribute that the operator does not have in this version?",
            allowed: "reject (one should), or ignore it; never honor it",
            choice: "reject: the node is not a node of this operator",
            debated: "the texts list the attributes and do not say what others do; ONNX's checker refuses them",
            reason: Reason::UnknownAttribute,
            choices: &[Reject, Accept(First, "without the attribute")],
        },
        ElementTypeOutside = "element-type-outside-list" => Row {
            asks: "What becomes of data whose element type may or may not be numeric?",
            allowed: "reject (one should), or reshape it",
            choice: "reject: the text does not cover it",
            debated: "OpenVINO says 'any numeric type', but not whether bool, complex numbers and types without a name \
                there are numeric; strings are not; the Array API standard lets a library have further types; ONNX and \
                oneDNN list their types, so it is not open there",
            reason: Reason::ElementType,
            choices: &[Reject, Accept(First, "of a numeric type")],
        },
        CopyNecessary = "copy-necessary" => Row {
            asks: "When would copy=False need a copy, so that the request is refused?",
            allowed: "the exact shape in the data's memory, or reject",
            choice: "the exact shape: no element moves",
            debated: "the Array API standard refuses copy=False where a copy would be necessary, which depends on how the \
                library lays out its arrays",
            reason: Reason::CopyNecessary,
            choices: &[Accept(First, "without a copy"), Reject],
        },
        MissingTarget = "missing-target" => Row {
            asks: "What does a node without its target mean?",
            allowed: "reject (one should), or take it for an empty target",
            choice: "reject: there is no shape",
            debated: "ONNX Reshape-1 does not say whether its attribute shape is required",
            reason: Reason::MissingTarget,
            choices: &[Reject, Accept(First, "read as an empty target")],
        },
        BoolByte = "bool-byte" => Row {
            asks: "What becomes of an element of type bool whose byte is neither 0 nor 1?",
            allowed: "any byte in its place, or reject; every other element stays as it is",
            choice: "the byte as it is: nothing in a reshape looks at it",
            debated: "ONNX lists bool and does not say which bytes it allows",
            reason: Reason::ElementValue,
            choices: &[Accept(First, "with the byte as it is"), Reject],
        },
        NulInString = "nul-in-string" => Row {
            asks: "What becomes of a string that holds a NUL?",
            allowed: "any string in its place, or reject; every other element stays as it is",
            choice: "the string as it is: nothing in a reshape looks at it",
            debated: "ONNX lists strings and does not say which bytes they allow; numpy drops NULs at the end, and its \
                issues about that are closed as won't-fix",
            reason: Reason::ElementValue,
            choices: &[Accept(First, "with the string as it is"), Reject],
        },
    }
}
