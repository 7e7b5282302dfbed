//! Rules, and the reasons to reject a request, each with the rule that it breaks.

use crate::names::{columns, named_enum};

named_enum! {
    /// What clauses of several operators have in common. A case that cites a rule covers the clauses of that rule of
    /// every operator it runs on.
    #[allow(missing_docs)]
    pub enum Rule: &'static str, "rule" {
        TargetIsOutputShape = "target-is-output-shape" =>
            "Each positive value of the target is the length of the output dimension at its index.",
        SameCount = "same-count" => "The output has exactly as many elements as the data.",
        SameContent = "same-content" =>
            "The output holds the data's elements in row-major order, every bit as it was, in the same element type.",
        InferredMinusOne = "inferred-minus-one" => "A -1 stands for the one length that keeps the element count.",
        OneMinusOne = "one-minus-one" => "The target holds at most one -1.",
        CopiedZero = "copied-zero" =>
            "A 0 that copies takes the length of the data dimension at its own index, counted from the left.",
        LiteralZero = "literal-zero" => "A 0 that is literal is a dimension of length zero.",
        ZeroWithMinusOne = "zero-with-minus-one" => "Whether a literal 0 and a -1 go together in one target.",
        TargetValues = "target-values" => "Which values a target may hold.",
        EmptyTarget = "empty-target" => "What an empty target means.",
        TargetType = "target-type" =>
            "Which type the target has: the element type of a tensor, or the type of an attribute.",
        TargetIsFlat = "target-is-flat" => "The target is a flat list.",
        TargetPresent = "target-present" => "Where the target comes from, and that it is required.",
        ZeroModeAttribute = "zero-mode-attribute" => "An attribute says whether a 0 copies or is literal.",
        ZeroModeDefault = "zero-mode-default" => "What holds without the attribute about zeros.",
        ZeroModeType = "zero-mode-type" => "The type and the values of the attribute about zeros.",
        LeftToRight = "left-to-right" => "The target is resolved from left to right.",
        CopyWithinRank = "copy-within-rank" => "The last index at which a 0 may copy.",
        ElementTypes = "element-types" => "Which element types the data may have.",
        DataInput = "data-input" => "The data input: any shape, and required.",
        Version = "version" => "The name of the operator, or the version of its family from which it holds.",
        LikeNumpy = "like-numpy" => "Resemblance to numpy.reshape, where the text says no more.",
        LegacyAttribute = "legacy-attribute" => "A legacy attribute that changes nothing.",
        LayoutIsFree = "layout-is-free" => "The memory layout of the output is left free.",
        ViewOrCopyIsFree = "view-or-copy-is-free" => "View or copy is left free.",
        CopiedWhenAsked = "copied-when-asked" => "With copy=True, the output shares no memory with the data.",
        SharedWhenAsked = "shared-when-asked" =>
            "With copy=False, the output shares the data's memory, or the request is refused.",
        SharedWherePossible = "shared-where-possible" =>
            "Without copy, the output shares the data's memory where the library can do that.",
        UsageAdvice = "usage-advice" => "Advice on when to use the operator.",
        Example = "example" => "A worked example of the text, with its result.",
    }
}

impl Rule {
    /// The statement that its clauses share, in a sentence.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.row()
    }

    /// Whether a case can cite it. Examples have only that in common, so a case cites the clause of each.
    #[must_use]
    pub fn is_citable(self) -> bool {
        self != Self::Example
    }
}

columns! {
    Row of Reason {
        /// The rule that it breaks.
        pub rule: Rule,
        /// The fault, in a few words.
        pub description: &'static str,
    }
}

named_enum! {
    /// Why a request must be rejected, or may be under a reading of an open question.
    #[allow(missing_docs)]
    pub enum Reason: Row, "reason" {
        TwoMinusOnes = "two-minus-ones" => row(Rule::OneMinusOne, "the target holds more than one -1"),
        ZeroWithMinusOne = "zero-with-minus-one" =>
            row(Rule::ZeroWithMinusOne, "the target holds a literal 0 together with a -1"),
        BelowMinusOne = "below-minus-one" => row(Rule::TargetValues, "the target holds a value below -1"),
        CopyPastRank = "copy-past-rank" =>
            row(Rule::CopiedZero, "a 0 copies from an index at which the data has no dimension"),
        VolumeMismatch = "volume-mismatch" =>
            row(Rule::SameCount, "the output would not have as many elements as the data"),
        NotDivisible = "not-divisible" =>
            row(Rule::InferredMinusOne, "the element count cannot be divided by the other dimensions"),
        IndeterminateDimension = "indeterminate-dimension" =>
            row(Rule::InferredMinusOne, "the other dimensions multiply to 0, so nothing determines the -1"),
        CountOverflows = "count-overflows" => row(Rule::SameCount, "dimensions multiply to more than 2^63-1"),
        Capacity = "capacity" =>
            row(Rule::TargetIsOutputShape, "the dimensions are more or larger than a text promises to hold"),
        EmptyTarget = "empty-target" => row(Rule::EmptyTarget, "the target is empty"),
        ScalarData = "scalar-data" => row(Rule::DataInput, "the data is a scalar"),
        ElementType = "element-type" =>
            row(Rule::ElementTypes, "the operator does not list the data's element type"),
        ElementValue = "element-value" => row(Rule::SameContent, "an element may be no value of its type"),
        TargetType = "target-type" =>
            row(Rule::TargetType, "the target has a type that the operator does not take"),
        TargetNotFlat = "target-not-1d" => row(Rule::TargetIsFlat, "the target is not a flat list"),
        MissingTarget = "missing-target" => row(Rule::TargetPresent, "the target is missing"),
        MissingAttribute = "missing-attribute" => row(Rule::ZeroModeAttribute, "a required attribute is missing"),
        AttributeType = "attribute-type" => row(Rule::ZeroModeType, "an attribute has the wrong type"),
        AttributeValue = "attribute-value" =>
            row(Rule::ZeroModeType, "an attribute has a value that the text does not explain"),
        CopyNecessary = "copy-necessary" =>
            row(Rule::SharedWhenAsked, "without a copy, the library cannot give the shape"),
        UnknownAttribute = "unknown-attribute" =>
            row(Rule::ZeroModeAttribute, "the operator has no such attribute in this version"),
    }
}
