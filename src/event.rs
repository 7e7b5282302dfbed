//! Events: what a run tells its reporters. They know nothing of how it runs.

use crate::backend::About;
use crate::diagnosis::Finding;
use crate::error::Fault;
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
    pub name: String,
    /// The arguments of `run` that name it again, with a space before each.
    pub arguments: String,
}

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// The run begins.
    RunStarted {
        /// Cases in the suite.
        cases: usize,
        /// Trials for each backend.
        trials: usize,
        /// How many backends.
        backends: usize,
    },
    /// A backend has started.
    BackendStarted {
        /// Which.
        label: &'a Label,
        /// Who it says it is.
        about: &'a About,
        /// Trials to come.
        trials: usize,
    },
    /// A trial has its verdict.
    Trial {
        /// Whose.
        label: &'a Label,
        /// What came of it.
        result: &'a TrialResult,
    },
    /// What several failures of a backend have in common.
    Finding {
        /// Whose.
        label: &'a Label,
        /// What it seems to do.
        finding: &'a Finding,
    },
    /// A backend is done.
    BackendFinished {
        /// Which.
        label: &'a Label,
        /// Who it says it is.
        about: &'a About,
        /// Its verdicts.
        counts: &'a Counts,
        /// The lines of its known failures that met no trial.
        stale: &'a [Fault],
    },
    /// All backends are done.
    RunFinished {
        /// All verdicts.
        counts: &'a Counts,
    },
}

/// What came of one trial.
#[derive(Debug, Clone)]
pub struct TrialResult {
    /// The backend.
    pub backend: Arc<About>,
    /// The trial.
    pub trial: Trial,
    /// What the backend did; `None` if it was not asked.
    pub outcome: Option<Outcome>,
    /// What that is worth.
    pub verdict: Verdict,
    /// How it stands against the known failures.
    pub standing: Standing,
    /// How long it took since the answer before.
    pub duration: Duration,
}

impl TrialResult {
    /// As what it is counted: the verdict, or what the known failures make of it.
    #[must_use]
    pub fn kind(&self) -> VerdictKind {
        match self.standing {
            Standing::Unknown | Standing::Changed(_) => self.verdict.kind(),
            Standing::Known(_) => VerdictKind::Known,
            Standing::Fixed(_) => VerdictKind::Fixed,
            Standing::Quarantined(_) => VerdictKind::Quarantined,
        }
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
    /// The smallest.
    pub trial: Trial,
    /// What it is worth.
    pub verdict: Verdict,
    /// What the backend did.
    pub outcome: Outcome,
}

/// Something that is told of events.
pub trait Reporter {
    /// Takes one event.
    fn event(&mut self, event: &Event<'_>);
}

/// Verdicts by kind: integers that add up to the number of trials.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts([usize; VerdictKind::ALL.len()]);

impl Counts {
    /// Counts one verdict.
    pub fn count(&mut self, kind: VerdictKind) {
        self.0[kind as usize] += 1;
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(ours, theirs)| *ours += theirs);
    }

    /// How many of a kind.
    #[must_use]
    pub fn of(&self, kind: VerdictKind) -> usize {
        self.0[kind as usize]
    }

    /// How many in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// How many make the run red.
    #[must_use]
    pub fn red(&self) -> usize {
        VerdictKind::ALL.iter().filter(|kind| kind.is_red()).map(|kind| self.of(*kind)).sum()
    }
}

impl std::fmt::Display for Counts {
    /// `12 trials: 10 passed, 2 failed`, leaving out what there is none of (but never `passed`).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = VerdictKind::ALL.iter().filter(|kind| **kind == VerdictKind::Passed || self.of(**kind) > 0);
        let parts: Vec<_> = shown.map(|kind| format!("{} {}", self.of(*kind), kind.name())).collect();
        write!(f, "{} trials: {}", self.total(), parts.join(", "))
    }
}
