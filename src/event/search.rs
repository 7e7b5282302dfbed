//! The start, the results and the end of a search.

use super::death::UnattributedRecord;
use super::finding::Cause;
use super::trial::TrialRecord;
use super::verdict::Counts;
use crate::names::named_enum;
use std::sync::Arc;

records! {
    /// A search begins.
    #[derive(Default)]
    pub(crate) struct SearchStarted {
        /// The version of this format, 1.
        pub format: u32,
        /// The version of the program that searched.
        pub suite_version: String,
        /// The version of the program's suite, which fixes its rules and its generated trials.
        pub cases_version: Option<String> = "Option::is_none",
        /// The backend, as the command line names it.
        pub backend: Arc<str>,
        /// What it calls itself in the handshake.
        pub name: String,
        /// The version it says it has.
        pub version: String,
        /// The space of the search, in the same words for every part of it.
        pub space: String,
        /// Which part this is, such as `slice:1/3`, if it is not the whole.
        pub partition: Option<String> = "Option::is_none",
    }

    /// A sample of the trials that passed in a search.
    pub(crate) struct Passed {
        /// Their names.
        pub trials: Vec<String>,
    }

    /// Failures of one cause that a search found.
    pub(crate) struct Found {
        /// What they have in common: the apparent behavior of the backend; or, without mutants, how they fail.
        #[serde(flatten)]
        pub cause: Cause,
        /// The smallest trial that still fails for the same reason, once it has been searched.
        pub smallest: Option<TrialRecord> = "Option::is_none",
        /// Whether the smallest trial, as first met, passes in a fresh child that gets no other request. Then it depends on
        /// earlier requests.
        pub passes_alone: bool = "std::ops::Not::not",
    }

    /// A search has finished.
    pub(crate) struct SearchFinished {
        /// The verdicts of all trials.
        pub counts: Counts,
        /// The reason for its early end, if it ended early.
        pub cut_short: Option<CutShort> = "Option::is_none",
        /// Failures of the backend outside the trials, if there were any.
        #[serde(rename = "mishaps")]
        pub unattributed: Option<UnattributedRecord> = "Option::is_none",
    }
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
