//! Reasons: why a request has no result. Ours, never matched against a backend's words.

use super::rule::Rule;
use crate::names::named_enum;

/// The rule that is broken, and what is wrong in a few words.
struct Row(Rule, &'static str);

named_enum! {
    /// Why a request must (or, under a reading of an open question, may) be rejected.
    #[allow(missing_docs)]
    pub enum Reason: Row, "reason" {
        TwoMinusOnes = "two-minus-ones" =>
            Row(Rule::OneMinusOne, "the target holds more than one -1"),
        ZeroWithMinusOne = "zero-with-minus-one" =>
            Row(Rule::ZeroWithMinusOne, "the target holds a literal 0 together with a -1"),
        BelowMinusOne = "below-minus-one" =>
            Row(Rule::TargetValues, "the target holds a value below -1"),
        CopyPastRank = "copy-past-rank" =>
            Row(Rule::CopiedZero, "a 0 copies from an index at which the data has no dimension"),
        VolumeMismatch = "volume-mismatch" =>
            Row(Rule::SameCount, "the output would not have as many elements as the data"),
        NotDivisible = "not-divisible" =>
            Row(Rule::InferredMinusOne, "the element count cannot be divided by the other dimensions"),
        IndeterminateDimension = "indeterminate-dimension" =>
            Row(Rule::InferredMinusOne, "the other dimensions multiply to 0, so nothing determines the -1"),
        CountOverflows = "count-overflows" =>
            Row(Rule::SameCount, "dimensions multiply to more than 2^63-1"),
        Capacity = "capacity" =>
            Row(Rule::TargetIsOutputShape, "the dimensions are more or larger than a text promises to hold"),
        EmptyTarget = "empty-target" => Row(Rule::EmptyTarget, "the target is empty"),
        ScalarData = "scalar-data" => Row(Rule::DataInput, "the data is a scalar"),
        ElementType = "element-type" =>
            Row(Rule::ElementTypes, "the operator does not list the data's element type"),
        ElementValue = "element-value" =>
            Row(Rule::SameContent, "an element may be no value of its type"),
        TargetType = "target-type" =>
            Row(Rule::TargetType, "the target has a type that the operator does not take"),
        TargetNotFlat = "target-not-1d" => Row(Rule::TargetIsFlat, "the target is not a flat list"),
        MissingTarget = "missing-target" => Row(Rule::TargetPresent, "the target is missing"),
        MissingAttribute = "missing-attribute" =>
            Row(Rule::ZeroModeAttribute, "a required attribute is missing"),
        AttributeType = "attribute-type" =>
            Row(Rule::ZeroModeType, "an attribute has the wrong type"),
        AttributeValue = "attribute-value" =>
            Row(Rule::ZeroModeType, "an attribute has a value that the text does not explain"),
        UnknownAttribute = "unknown-attribute" =>
            Row(Rule::ZeroModeAttribute, "the operator has no such attribute in this version"),
    }
}

impl Reason {
    /// What is wrong, in a few words.
    #[must_use]
    pub const fn says(self) -> &'static str {
        self.row().1
    }

    /// The rule that is broken.
    #[must_use]
    pub const fn rule(self) -> Rule {
        self.row().0
    }
}
