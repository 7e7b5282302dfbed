//! How much of what a backend claims it was asked, where its manifest states a sample.

use super::number::grouped;
use crate::event::{TrialRecord, VerdictKind};
use std::fmt;

/// The trials that were asked, those that known failures keep from being run, and those that the sample leaves out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sampled {
    asked: usize,
    quarantined: usize,
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
        } else if trial.verdict == VerdictKind::Quarantined {
            self.quarantined += 1;
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
    /// `asked 1,200 of 17,594 (75 more are quarantined), a sample of 1/16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.asked + self.quarantined + self.left_out;
        let (asked, all) = (grouped(self.asked), grouped(all));
        write!(f, "asked {asked} of {all}")?;
        match self.quarantined {
            0 => {}
            1 => f.write_str(" (1 more is quarantined)")?,
            several => write!(f, " ({} more are quarantined)", grouped(several))?,
        }
        write!(f, ", a sample of {}", self.sample)
    }
}
