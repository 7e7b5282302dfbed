//! The kinds of failure, and how bad a fault is that shows in one.

use crate::names::named_enum;

named_enum! {
    /// How an outcome differs from what the text says.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "kebab-case"))]
    pub(crate) enum FailureKind, "kind of failure" {
        /// The output has another shape.
        WrongShape = "wrong-shape",
        /// The output has the right shape, but other elements.
        WrongContent = "wrong-content",
        /// The output has another element type.
        WrongElementType = "wrong-element-type",
        /// The backend accepted what the text rejects.
        NotRejected = "not-rejected",
        /// The backend rejected what the text accepts.
        Rejected = "rejected",
        /// The shape inferred before the run contradicts the text.
        WrongInference = "wrong-inference",
        /// The run changed the output of the run before of the same model.
        EarlierOutputChanged = "earlier-output-changed",
        /// Another run that the same model made at the same time went wrong.
        WrongRunBeside = "wrong-run-beside",
        /// The backend answered `unsupported` although its manifest claims support.
        Unsupported = "unsupported",
    }
}

named_enum! {
    /// What kind of deviation a cause is: faults first, the worst of them first, then the others.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "kebab-case"))]
    pub(crate) enum Severity, "severity" {
        /// It reads or writes out of bounds, ends its process, hangs, or takes too much memory.
        Memory = "memory",
        /// It gives a wrong result for a valid node.
        WrongResult = "wrong-result",
        /// It rejects what the text accepts.
        RefusesValid = "refuses-valid",
        /// The shape that it infers before the run contradicts the text, or its own run.
        WrongInference = "wrong-inference",
        /// It accepts what the text rejects.
        AcceptsInvalid = "accepts-invalid",
        /// It does not check a type or an attribute that must be there, and gives the result that was meant.
        Lenient = "lenient",
        /// It honors an attribute that the version of the operator does not have.
        Undefined = "undefined",
        /// It answers one request in two ways, where the text leaves open which.
        Inconsistent = "inconsistent",
        /// It refuses or cuts a size past what any text promises, or does not answer in the time or the memory of a trial.
        Limit = "limit",
        /// Another node, a constant or its API is at fault, and not its Reshape.
        BesideReshape = "beside-reshape",
    }
}

impl Severity {
    /// Whether it is a fault: it harms the process, or a valid node.
    pub(crate) fn is_fault(self) -> bool {
        self <= Self::WrongInference
    }

    /// Whether it accepts what the text calls invalid.
    pub(crate) fn is_of_invalid(self) -> bool {
        matches!(self, Self::AcceptsInvalid | Self::Lenient | Self::Undefined)
    }

    /// The severity of a failure; `None` if the adapter is at fault.
    pub(super) fn of_failure(failure: FailureKind) -> Option<Self> {
        match failure {
            FailureKind::WrongShape
            | FailureKind::WrongContent
            | FailureKind::WrongElementType
            | FailureKind::EarlierOutputChanged
            | FailureKind::WrongRunBeside => Some(Self::WrongResult),
            FailureKind::NotRejected => Some(Self::AcceptsInvalid),
            FailureKind::Rejected => Some(Self::RefusesValid),
            FailureKind::WrongInference => Some(Self::WrongInference),
            FailureKind::Unsupported => None,
        }
    }
}
