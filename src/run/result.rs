//! The result of a trial, as a worker sends it.

use crate::event::{EntryRecord, VerdictKind};
use crate::semantics::outcome::Outcome;
use crate::suite::partition::Sample;
use crate::suite::trial::Trial;
use crate::verdict::judge::Verdict;
use crate::verdict::known_failures::Classification;
use std::time::Duration;

#[derive(Debug, Clone)]
pub(crate) struct TrialResult {
    pub(crate) trial: Trial,
    /// What the backend did; `None` if it was not called.
    pub(crate) outcome: Option<Outcome>,
    /// The outcome judged by the text alone.
    pub(crate) verdict: Verdict,
    /// The verdict compared with known failures, baseline and level.
    pub(crate) classification: Classification,
    /// The entry of the known failures that the classification rests on.
    pub(crate) entry: Option<EntryRecord>,
    /// The time since the worker's previous result; zero if the backend was not called.
    pub(crate) duration: Duration,
    /// The verdict of each attempt, if there were several.
    pub(crate) attempts: Vec<VerdictKind>,
    /// The verdict in the baseline; `None` if it is the same or does not exist.
    pub(crate) before: Option<VerdictKind>,
    /// Why this machine cannot run it; `None` if it was not skipped for that.
    pub(crate) unavailable: Option<String>,
    /// The sample that leaves it out; `None` if it was not skipped for that.
    pub(crate) outside_sample: Option<Sample>,
    /// The place of the call; `None` if the backend was not called.
    pub(crate) position: Option<Position>,
}

/// The place of a call in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The number of the worker, and so of its instance of the backend.
    pub(crate) worker: usize,
    /// The number of the group within the worker.
    pub(crate) group: usize,
    /// The number of the call in its group.
    pub(crate) call: usize,
}

impl TrialResult {
    /// A result that is not classified yet.
    pub(crate) fn new(trial: Trial, outcome: Outcome, verdict: Verdict) -> Self {
        Self {
            outcome: Some(outcome),
            verdict,
            ..Self::skipped(trial, Classification::Unknown)
        }
    }

    /// The result of a trial that does not run.
    pub(crate) fn skipped(trial: Trial, classification: Classification) -> Self {
        Self {
            trial,
            outcome: None,
            verdict: Verdict::Skipped,
            classification,
            entry: None,
            duration: Duration::ZERO,
            attempts: Vec::new(),
            before: None,
            unavailable: None,
            outside_sample: None,
            position: None,
        }
    }

    /// The kind that the trial counts as: that of its verdict, unless the classification changes it.
    pub(crate) fn kind(&self) -> VerdictKind {
        self.classification.kind(&self.verdict)
    }
}
