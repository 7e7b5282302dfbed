//! Classifying results: comparing the verdict with the known failures, the baseline, and the level.

use super::participant::Participant;
use super::result::TrialResult;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{Place, VerdictKind};
use crate::semantics::operator::Level;
use crate::semantics::outcome::Outcome;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use crate::verdict::known_failures::{Classification, OfVersion};

/// Classifies the results of one backend.
pub(crate) struct Classifier<'a> {
    pub(super) known: Option<OfVersion<'a>>,
    /// The backend's name in the baseline.
    pub(super) backend: &'a str,
    pub(super) baseline: Option<&'a Stream>,
    /// The lowest level that makes the run red.
    pub(super) level: Level,
    /// Which trials are newer than the suite of the gate's file.
    pub(super) selection: &'a Selection,
}

impl Classifier<'_> {
    /// Classifies a result.
    pub(crate) fn classify(&self, result: &mut TrialResult) {
        let name = result.trial.to_string();
        self.compare_with_known_failures(result, &name);
        self.compare_with_baseline(result, &name);
        self.compare_with_level(result);
        let (is_new, kind) = (self.selection.is_new(&name), result.kind());
        // What fails by an internal error at everything has corrected nothing.
        let is_accident =
            matches!(&result.outcome, Some(Outcome::Rejected { internal, .. }) if *internal);
        if is_new && kind.is_red() {
            result.classification = Classification::New;
        } else if kind == VerdictKind::Fixed && (is_new || is_accident) {
            (result.classification, result.entry) = (Classification::Unknown, None);
        }
    }

    /// Notes which entries match a trial that needs no classification.
    pub(crate) fn note_match(&self, trial: &str) {
        if let Some(known) = &self.known {
            known.record_match(trial);
        }
    }

    /// The entries that have matched no trial of the suite with these cases.
    pub(crate) fn unmatched(&self, cases: &[&str]) -> Vec<Place> {
        let known = self.known.iter();
        let stale = known.flat_map(|known| known.stale(cases));
        stale.map(|fault| Place::of(&fault)).collect()
    }

    fn compare_with_known_failures(&self, result: &mut TrialResult, name: &str) {
        // A quarantined trial is classified already, but matches its entry.
        if result.classification != Classification::Unknown {
            self.note_match(name);
        } else if let Some(known) = &self.known {
            let (expectation, verdict) = (result.trial.expectation(), &result.verdict);
            result.classification = known.classify(name, expectation, verdict);
        }
        let entry = result.classification.reason().zip(self.known.as_ref());
        result.entry = entry.and_then(|(reason, of)| of.entry_record(name, reason));
    }

    fn compare_with_baseline(&self, result: &mut TrialResult, name: &str) {
        let before = self.baseline.and_then(|of| of.trial(self.backend, name));
        let Some(before) = before else { return };
        let verdict_before = before.judged();
        let is_same =
            verdict_before == result.verdict.kind() && before.failure == result.verdict.failure();
        if result.kind().is_red() && is_same {
            result.classification = Classification::Unchanged;
        }
        let passed_before = verdict_before.passes();
        let is_left_out = result.outside_sample.is_some();
        if result.kind() == VerdictKind::Skipped && passed_before && !is_left_out {
            result.classification = Classification::Lost;
        }
        result.before = Some(before.verdict).filter(|before| *before != result.kind());
    }

    fn compare_with_level(&self, result: &mut TrialResult) {
        if self.level != Level::Must || result.kind() != VerdictKind::Failed {
            return;
        }
        let clauses = result.trial.case.clauses_of(result.trial.operator);
        let is_must = clauses.iter().any(|of| of.clause.level == Level::Must);
        // An outcome that no reading of an open question allows is worse than a violated recommendation.
        if !is_must && !result.trial.is_open() {
            result.classification = Classification::Advisory;
        }
    }
}

/// Checks that a baseline shares backends and trials with this run. Fails when it shares none. Otherwise every failure
/// would be judged as without a baseline.
pub(super) fn check_baseline(
    baseline: &Stream,
    plan: &Plan,
    participants: &[Participant],
) -> Result<(), Error> {
    let path = baseline.path.display();
    let names: Vec<&str> = participants.iter().map(|of| &*of.label.name).collect();
    let is_shared = |name: &&&str| baseline.backend(name).is_some();
    let (shared, others): (Vec<&str>, Vec<&str>) = names.iter().partition(is_shared);
    if shared.is_empty() {
        return Err(Error::Usage(format!(
            "the baseline {path} is of {}, but this run is of {}: name an earlier run of the same backends",
            baseline.run.backends.join(", "),
            others.join(", ")
        )));
    }
    // A part of a run may contain only new trials.
    let is_whole = plan.count() == plan.total;
    let is_shared = |trial: &Trial| {
        let trial = trial.to_string();
        shared.iter().any(|of| baseline.trial(of, &trial).is_some())
    };
    if is_whole && !plan.trials().any(is_shared) {
        return Err(Error::Usage(format!(
            "the baseline {path} has no trial of this run: name a run of the same trials"
        )));
    }
    Ok(())
}
