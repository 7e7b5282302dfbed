//! The `unsupported` of a backend that claims nothing: skipped, unless the run shows that it supports the same elsewhere.

use super::result::TrialResult;
use crate::event::{OutcomeRecord, TrialRecord, VerdictKind};
use crate::semantics::outcome::Outcome;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use crate::verdict::judge::Verdict;
use std::collections::BTreeMap;

/// What the run shows that a backend supports, and the trials that it declined.
#[derive(Default)]
pub(super) struct Unclaimed {
    /// The operators and element types of which a trial gave an output, and whether one passed.
    shown: BTreeMap<(&'static str, ElementType), bool>,
    declined: Vec<TrialResult>,
}

impl Unclaimed {
    /// Notes an answer. Returns the result unless the backend declined the trial: whether that is a failure shows at the end.
    pub(super) fn sort(&mut self, result: TrialResult) -> Option<TrialResult> {
        match &result.outcome {
            Some(Outcome::Unsupported(_)) => {
                self.declined.push(result);
                return None;
            }
            Some(Outcome::Reshaped { .. } | Outcome::Claimed { .. } | Outcome::Inferred(_)) => {
                self.show(&result.trial, result.verdict == Verdict::Passed);
            }
            Some(_) | None => {}
        }
        Some(result)
    }

    /// Notes the record of a resumed run.
    pub(super) fn note(&mut self, trial: &Trial, record: &TrialRecord) {
        use OutcomeRecord::{Inferred, Reshaped};
        if let Some(Reshaped { .. } | Inferred { .. }) = record.outcome.as_ref() {
            self.show(trial, record.verdict == VerdictKind::Passed);
        }
    }

    /// Notes that a trial gave an output, and whether it passed.
    fn show(&mut self, trial: &Trial, passed: bool) {
        let key = (trial.operator.name, trial.element_type);
        *self.shown.entry(key).or_default() |= passed;
    }

    /// The declined trials that are skipped: their operator gave outputs, and no trial of their element type passed.
    pub(super) fn settle(self) -> impl Iterator<Item = TrialResult> {
        let Self { shown, declined } = self;
        declined.into_iter().map(move |mut result| {
            let (name, element_type) = (result.trial.operator.name, result.trial.element_type);
            let has_outputs = shown.keys().any(|(operator, _)| *operator == name);
            if has_outputs && shown.get(&(name, element_type)) != Some(&true) {
                result.verdict = Verdict::Skipped;
            }
            result
        })
    }
}
