//! Results: what came of a trial, with all that was asked and answered; what a search found.

use crate::backend::About;
use crate::diagnosis::Finding;
use crate::event::Counts;
use crate::judge::{Verdict, VerdictKind};
use crate::known_failures::Standing;
use crate::outcome::Outcome;
use crate::plan::Trial;
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
    pub standing: Standing,
    /// How long it took since the answer before.
    pub duration: Duration,
    /// What came of it each time, if it was run again.
    pub attempts: Vec<VerdictKind>,
    /// What it was in the baseline, if that was something else.
    pub before: Option<VerdictKind>,
}

impl TrialResult {
    /// As what it is counted: the verdict, or what it is next to what was known.
    #[must_use]
    pub fn kind(&self) -> VerdictKind {
        self.standing.kind(&self.verdict)
    }
}

/// What a search came to.
pub(crate) struct Searched {
    /// Who was searched.
    pub about: Arc<About>,
    /// All verdicts.
    pub counts: Counts,
    /// What was found, one of each kind.
    pub found: Vec<Found>,
}

/// Failures of one kind, and the smallest that could be found of it.
pub(crate) struct Found {
    /// What they have in common, if a mutant says so.
    pub finding: Option<Finding>,
    /// How many there were.
    pub count: usize,
    /// How they failed.
    pub how: String,
    /// The smallest that was met.
    pub met: (usize, u64, String),
    /// What was made of it, smaller if that could be.
    pub trial: Trial,
    /// What it is worth.
    pub verdict: Verdict,
    /// What the backend did.
    pub outcome: Outcome,
}
