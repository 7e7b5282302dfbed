//! Failures that a search found.

use crate::event::TrialRecord;
use crate::run::{Label, TrialResult, trial_record};
use crate::suite::case::Expectation;
use crate::suite::trial::Trial;

/// The record of a failure. Only `search` can generate its trial again, so the command to repeat it differs from that of `run`.
pub(super) fn failure_record(label: &Label, result: &TrialResult) -> TrialRecord {
    let mut record = trial_record(label, result);
    if let Some(detail) = &mut record.detail {
        detail.again = format!(
            "reshape-conformance search{} --trial '{}'",
            label.arguments, result.trial
        );
    }
    record
}

/// How a trial failed: the same text for failures that may have the same cause.
pub(super) fn failure_reason(trial: &Trial, record: &TrialRecord) -> String {
    let Some(failure) = record.failure else {
        return record.judged().name().to_owned();
    };
    match trial.expectation().as_ref() {
        Expectation::Rejected(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
            format!("{} ({})", failure.name(), reasons.join(", "))
        }
        Expectation::Reshaped(_) | Expectation::Open { .. } => failure.name().to_owned(),
    }
}
