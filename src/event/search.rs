//! The start, the results and the end of a search.

use super::death::UnattributedRecord;
use super::finding::Cause;
use super::trial::TrialRecord;
use super::verdict::Counts;
use crate::names::named_enum;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A search begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SearchStarted {
    /// The version of this format, 1.
    pub format: u32,
    /// The version of the program that searched.
    pub suite_version: String,
    /// The version of the program's suite, which fixes its rules and its generated trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases_version: Option<String>,
    /// The backend, as the command line names it.
    pub backend: Arc<str>,
    /// What it calls itself in the handshake.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// The space of the search, in the same words for every part of it.
    pub space: String,
    /// Which part this is, such as `slice:1/3`, if it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// A sample of the trials that passed in a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Passed {
    /// Their names.
    pub trials: Vec<String>,
}

/// Failures of one cause that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Found {
    /// What they have in common: the apparent behavior of the backend; or, without mutants, how they fail.
    #[serde(flatten)]
    pub cause: Cause,
    /// The smallest trial that still fails for the same reason, once it has been searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<TrialRecord>,
    /// Whether the smallest trial, as first met, passes in a fresh child that gets no other request. Then it depends on
    /// earlier requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes_alone: bool,
}

/// A search has finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SearchFinished {
    /// The verdicts of all trials.
    pub counts: Counts,
    /// The reason for its early end, if it ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// Failures of the backend outside the trials, if there were any.
    #[serde(rename = "mishaps", default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<UnattributedRecord>,
}

impl SearchFinished {
    /// Whether the backend died, and no trial can be blamed.
    pub(crate) fn died(&self) -> bool {
        self.unattributed.as_ref().is_some_and(|of| of.times > 0)
    }
}

named_enum! {
    /// Why a search ended early.
    pub(crate) enum CutShort, "end of a search" {
        /// Its time limit.
        Time = "time",
        /// An interrupt by the user.
        Interrupt = "interrupt",
        /// A backend that failed again and again in the same way.
        GivenUp = "given-up",
    }
}
