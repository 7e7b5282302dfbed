//! How much of what a backend claims it was asked, where its manifest states a sample.

use super::number::grouped;
use crate::event::TrialRecord;
use std::fmt;

/// The trials that were asked, and those that the sample leaves out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sampled {
    asked: usize,
    left_out: usize,
    /// The sample, such as 1/16; empty if it leaves nothing out.
    sample: String,
}

impl Sampled {
    /// Counts a backend's trials; `None` if no sample leaves any of them out.
    pub(crate) fn of(trials: &[TrialRecord]) -> Option<Self> {
        let mut sampled = Self::default();
        trials.iter().for_each(|trial| sampled.take(trial));
        sampled.some()
    }

    /// Counts one trial.
    pub(crate) fn take(&mut self, trial: &TrialRecord) {
        if let Some(sample) = &trial.outside_sample {
            self.left_out += 1;
            self.sample.clone_from(sample);
        } else if trial.verdict.is_asked() {
            self.asked += 1;
        }
    }

    /// The counts, if a sample leaves any trial out.
    pub(crate) fn some(self) -> Option<Self> {
        (self.left_out > 0).then_some(self)
    }

    /// The trials that the sample leaves out.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }
}

impl fmt::Display for Sampled {
    /// `asked 1,200 of 17,594, a sample of 1/16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.asked + self.left_out;
        let (asked, all) = (grouped(self.asked), grouped(all));
        write!(f, "asked {asked} of {all}, a sample of {}", self.sample)
    }
}
