//! The start, the results and the end of a search.

use super::death::UnattributedRecord;
use super::finding::Cause;
use super::trial::TrialRecord;
use super::verdict::Counts;
use crate::names::named_enum;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A search begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SearchStarted {
    /// The version of this format, 1.
    pub format: u32,
    /// The version of the program that searched.
    pub suite_version: String,
    /// The version of the suite that the program has: what its rules and its generated trials are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases_version: Option<String>,
    /// The backend, as the command line names it.
    pub backend: Arc<str>,
    /// What it calls itself in the handshake.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// What is searched, in words that are the same for every part of it.
    pub space: String,
    /// Which part this is, such as `slice:1/3`, if it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// Some trials that a search saw pass.
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
    /// What they have in common: what the backend seems to do; or, without mutants, how they fail.
    #[serde(flatten)]
    pub cause: Cause,
    /// The smallest that still fails for the same reason, once somebody looked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<TrialRecord>,
    /// Whether the smallest trial as it was met passes in a fresh child that is asked nothing else: what was asked before
    /// it matters then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes_alone: bool,
}

/// A search is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SearchFinished {
    /// The verdicts of all trials.
    pub counts: Counts,
    /// What stopped it before its end, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// What went wrong with the backend and is no trial's outcome, if anything did.
    #[serde(rename = "mishaps", default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<UnattributedRecord>,
}

impl SearchFinished {
    /// Whether the backend died where no trial can be blamed.
    pub(crate) fn died(&self) -> bool {
        self.unattributed.as_ref().is_some_and(|of| of.times > 0)
    }
}

named_enum! {
    /// What stops a search before its end.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename_all = "kebab-case"))]
    pub(crate) enum CutShort, "end of a search" {
        /// The time it was given.
        Time = "time",
        /// Somebody who had seen enough.
        Interrupt = "interrupt",
        /// The backend, which failed again and again in the same way.
        GivenUp = "given-up",
    }
}
