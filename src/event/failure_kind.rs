//! The kinds of failure: how an outcome differs from what the text says.

use serde::{Deserialize, Serialize};

/// How an outcome differs from what the text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailureKind {
    /// The output has another shape.
    WrongShape,
    /// The output has the right shape, but other elements.
    WrongContent,
    /// The output has another element type.
    WrongElementType,
    /// The backend accepted what the text rejects.
    NotRejected,
    /// The backend rejected what the text accepts.
    Rejected,
    /// The shape inferred before the run contradicts the text.
    WrongInference,
    /// The run changed the output of the run before of the same model.
    EarlierOutputChanged,
    /// Another run that the same model made at the same time went wrong.
    WrongRunBeside,
    /// The backend answered `unsupported` although its manifest claims support.
    Unsupported,
}

impl FailureKind {
    /// Every kind, in the order of the documentation.
    pub(crate) const ALL: &'static [Self] = &[
        Self::WrongShape,
        Self::WrongContent,
        Self::WrongElementType,
        Self::NotRejected,
        Self::Rejected,
        Self::WrongInference,
        Self::EarlierOutputChanged,
        Self::WrongRunBeside,
        Self::Unsupported,
    ];

    /// The name in files.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WrongShape => "wrong-shape",
            Self::WrongContent => "wrong-content",
            Self::WrongElementType => "wrong-element-type",
            Self::NotRejected => "not-rejected",
            Self::Rejected => "rejected",
            Self::WrongInference => "wrong-inference",
            Self::EarlierOutputChanged => "earlier-output-changed",
            Self::WrongRunBeside => "wrong-run-beside",
            Self::Unsupported => "unsupported",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
