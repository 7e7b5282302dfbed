//! Whether a run has anything in common with its baseline.

use super::participant::Participant;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::suite::plan::Plan;

/// Checks that a baseline has backends and trials of this run.
///
/// # Errors
/// When it has none: every failure would be judged as if there were no baseline.
pub(super) fn check(
    baseline: &Stream,
    plan: &Plan,
    participants: &[Participant],
) -> Result<(), Error> {
    let path = baseline.path.display();
    let names: Vec<&str> = participants.iter().map(|of| &*of.label.name).collect();
    let (shared, others): (Vec<&str>, Vec<&str>) = names
        .iter()
        .partition(|name| baseline.backend(name).is_some());
    if shared.is_empty() {
        return Err(Error::Usage(format!(
            "the baseline {path} is of {}, and this run is of {}: name an earlier run of the same backends",
            baseline.run.backends.join(", "),
            others.join(", ")
        )));
    }
    // A part of a run may happen to hold new trials alone.
    let is_whole = plan.count() == plan.total();
    let is_shared = |trial: String| {
        shared
            .iter()
            .any(|name| baseline.trial(name, &trial).is_some())
    };
    if is_whole && !plan.trials().any(|trial| is_shared(trial.to_string())) {
        return Err(Error::Usage(format!(
            "the baseline {path} has none of the trials of this run: name a run of the same trials"
        )));
    }
    Ok(())
}
