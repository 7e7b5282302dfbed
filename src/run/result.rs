//! Results: what came of a trial, with all that was asked and answered.

use crate::event::VerdictKind;
use crate::spec::outcome::Outcome;
use crate::suite::plan::Trial;
use crate::verdict::judge::Verdict;
use crate::verdict::known_failures::Classification;
use std::sync::Arc;
use std::time::Duration;

/// How a backend was named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The name that reports show.
    pub name: Arc<str>,
    /// The arguments of `run` that name it again, with a space before each.
    pub arguments: String,
}

/// What came of one trial.
#[derive(Debug, Clone)]
pub struct TrialResult {
    /// The trial.
    pub trial: Trial,
    /// What the backend did; `None` if it was not asked.
    pub outcome: Option<Outcome>,
    /// What that is worth.
    pub verdict: Verdict,
    /// How it stands against the known failures and the like.
    pub standing: Classification,
    /// How long it took since the answer before.
    pub duration: Duration,
    /// What came of it each time, if it was run again.
    pub attempts: Vec<VerdictKind>,
    /// What it was in the baseline, if that was something else.
    pub before: Option<VerdictKind>,
}

impl TrialResult {
    /// One that stands for itself: run once, and next to nothing that was known.
    pub(crate) fn new(trial: Trial, outcome: Outcome, verdict: Verdict) -> Self {
        let (standing, duration, attempts) = (Classification::Unknown, Duration::ZERO, Vec::new());
        Self {
            trial,
            outcome: Some(outcome),
            verdict,
            standing,
            duration,
            attempts,
            before: None,
        }
    }

    /// As what it is counted: the verdict, or what it is next to what was known.
    #[must_use]
    pub fn kind(&self) -> VerdictKind {
        self.standing.kind(&self.verdict)
    }
}
