//! The kinds of failure, and the severity of the fault that one shows.

use crate::names::named_enum;

named_enum! {
    /// How an outcome differs from what the text says.
    // The row is the severity that it shows; `None` if the adapter is at fault.
    pub(crate) enum FailureKind: Option<Severity>, "kind of failure" {
        /// The output has another shape.
        WrongShape = "wrong-shape" => Some(Severity::WrongResult),
        /// The output has the right shape, but other elements.
        WrongContent = "wrong-content" => Some(Severity::WrongResult),
        /// The output has another element type.
        WrongElementType = "wrong-element-type" => Some(Severity::WrongResult),
        /// The output shares memory with the data, or does not, against what `copy` says.
        WrongSharing = "wrong-sharing" => Some(Severity::WrongResult),
        /// The backend accepted what the text rejects.
        NotRejected = "not-rejected" => Some(Severity::AcceptsInvalid),
        /// The backend rejected what the text accepts.
        Rejected = "rejected" => Some(Severity::RefusesValid),
        /// The shape inferred before the run contradicts the text.
        WrongInference = "wrong-inference" => Some(Severity::WrongInference),
        /// The run changed the output of an earlier run of the same model.
        EarlierOutputChanged = "earlier-output-changed" => Some(Severity::WrongResult),
        /// A concurrent run of the same model went wrong.
        WrongRunBeside = "wrong-run-beside" => Some(Severity::WrongResult),
        /// The backend answered `unsupported` although its manifest claims support.
        Unsupported = "unsupported" => None,
    }
}

named_enum! {
    /// How wrong elements differ from the right ones, the most telling difference first.
    // The row is to be read in brackets.
    pub(crate) enum ElementDifference: &'static str, "difference of elements" {
        /// They are the right ones in another order.
        Reordered = "reordered" => "the right ones in another order",
        /// Only NaNs differ.
        NotANumber = "nan" => "only of NaNs",
        /// Only -0 and subnormal numbers differ.
        Tiny = "tiny" => "only of -0 or subnormal numbers",
        /// Those that differ have the right bytes, the last one first.
        BytesReversed = "bytes-reversed" => "with the bytes of each in reverse",
        /// Only some of the last ones differ, at most an eighth of all.
        AtTheEnd = "at-the-end" => "only at the end",
        /// Only some of the first ones differ, at most an eighth of all.
        AtTheStart = "at-the-start" => "only at the start",
        /// Those that differ have the opposite sign.
        Negated = "negated" => "with the opposite sign",
        /// Only negative ones differ.
        Negative = "negative" => "only of negative numbers",
        /// Those that differ are 0.
        Zeroed = "zeroed" => "zeros in their place",
    }
}

impl ElementDifference {
    /// To be read in brackets.
    pub(crate) fn description(self) -> &'static str {
        self.row()
    }
}

named_enum! {
    /// The kind of deviation of a cause: faults first, the worst at the top, then the others.
    pub(crate) enum Severity, "severity" {
        /// It reads or writes what is not its own.
        Memory = "memory",
        /// It ends its process, hangs, or takes too much memory.
        Crash = "crash",
        /// It gives a wrong result for a valid node.
        WrongResult = "wrong-result",
        /// It rejects what the text accepts.
        RefusesValid = "refuses-valid",
        /// The shape that it infers before the run contradicts the text, or its own run.
        WrongInference = "wrong-inference",
        /// It accepts what the text rejects.
        AcceptsInvalid = "accepts-invalid",
        /// It does not check a type, an attribute or, where it only infers, the count, and gives what was meant.
        Lenient = "lenient",
        /// It honors an attribute that the version of the operator does not have.
        Undefined = "undefined",
        /// It answers one request in two ways, where the text leaves the answer open.
        Inconsistent = "inconsistent",
        /// It refuses or cuts a size past the suite's bar, or needs more time than a trial may take, but ends.
        Limit = "limit",
        /// Its Reshape is right, but another node, a constant or its API is wrong.
        BesideReshape = "beside-reshape",
        /// It deviates on purpose, as its authors say in public.
        ByDesign = "by-design",
        /// It deviates from how this suite reads a text, where the text does not name the point.
        Reading = "reading",
    }
}

impl FailureKind {
    /// The severity that it shows; `None` if the adapter is at fault.
    pub(crate) fn severity(self) -> Option<Severity> {
        *self.row()
    }
}

impl Severity {
    /// Whether it is a fault: it harms the process, or a valid node.
    pub(crate) fn is_fault(self) -> bool {
        self <= Self::WrongInference
    }
}
