//! What a search keeps of its trials, so much and no more whatever their number: the smallest failures, and a sample of what
//! passed. Both are the same whatever the order in which trials end, and those of all parts together are those of the whole.

use crate::error::Error;
use crate::event::Cause;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{self, Counts, Found, SearchFinished, SearchStarted};
use crate::event::{FailureKind, VerdictKind};
use crate::run::record::trial_record;
use crate::run::result::{Label, TrialResult};
use crate::suite::case::Expectation;
use crate::suite::generated::trial_named;
use crate::suite::plan::Trial;
use crate::verdict::diagnosis::Observations;
use std::collections::{BTreeMap, HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Trials that passed and are kept: those of the least hash, which is as good as by chance.
const MOST_PASSED: usize = 100_000;

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct Retained {
    /// The verdicts of all trials, kept or not.
    counts: Counts,
    failures: BTreeMap<Size, (Trial, event::TrialRecord)>,
    passed: BTreeMap<(u64, String), Trial>,
}

/// A trial's size, then its name.
type Size = ((usize, u64), String);

impl Retained {
    /// Takes down a result.
    pub(crate) fn take(&mut self, label: &Label, result: &TrialResult) {
        let kind = result.verdict.kind();
        self.counts.count(kind);
        let key = || (result.trial.size(), result.trial.to_string());
        if kind.is_red() {
            let last = self
                .failures
                .last_key_value()
                .filter(|_| self.failures.len() >= SearchRecords::MOST_FAILURES);
            let key = key();
            if last.is_none_or(|(last, _)| key < *last) {
                self.failed(key, result.trial.clone(), found_record(label, result));
            }
        } else if matches!(kind, VerdictKind::Passed | VerdictKind::Recorded) {
            self.passed(&result.trial);
        }
    }

    /// Takes what a part kept.
    ///
    /// # Errors
    /// When it names a trial that no search makes.
    pub(super) fn take_part(&mut self, part: &Stream) -> Result<(), Error> {
        let Some(search) = &part.search else {
            return Ok(());
        };
        let made = |name: &String| {
            trial_named(name).ok_or_else(|| {
                Error::Incomplete(format!("{}: no search makes {name}", part.path.display()))
            })
        };
        for told in &search.failures {
            let trial = made(&told.trial)?;
            if !told.judged().is_red() {
                return Err(Error::Incomplete(format!(
                    "{}: {} is no failure",
                    part.path.display(),
                    told.trial
                )));
            }
            self.failed((trial.size(), told.trial.clone()), trial, told.clone());
        }
        for name in &search.passed {
            self.passed(&made(name)?);
        }
        if let Some(end) = &search.finished {
            self.counts.add(&end.counts);
        }
        Ok(())
    }

    fn failed(&mut self, key: Size, trial: Trial, told: event::TrialRecord) {
        // Of one that is drawn twice and fails in two ways it is always the same that is kept.
        let how = |told: &event::TrialRecord| format!("{:?} {:?}", told.failure, told.outcome);
        if self
            .failures
            .get(&key)
            .is_some_and(|(_, before)| how(before) <= how(&told))
        {
            return;
        }
        self.failures.insert(key, (trial, told));
        if self.failures.len() > SearchRecords::MOST_FAILURES {
            self.failures.pop_last();
        }
    }

    fn passed(&mut self, trial: &Trial) {
        let name = trial.to_string();
        let key = (xxh3_64(name.as_bytes()), name);
        let full = self.passed.len() >= MOST_PASSED;
        if full
            && self
                .passed
                .last_key_value()
                .is_some_and(|(last, _)| key >= *last)
        {
            return;
        }
        self.passed.insert(key, trial.clone());
        if self.passed.len() > MOST_PASSED {
            self.passed.pop_last();
        }
    }

    /// The verdicts so far.
    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// All of it, with what the failures have in common.
    pub(crate) fn search(&self, started: SearchStarted) -> SearchRecords {
        let failures = self
            .failures
            .values()
            .map(|(_, told)| told.clone())
            .collect();
        let passed = self.passed.keys().map(|(_, name)| name.clone()).collect();
        let finished = Some(SearchFinished {
            counts: self.counts.clone(),
            cut_short: None,
            unattributed: None,
        });
        SearchRecords {
            started,
            failures,
            passed,
            found: self.found(),
            finished,
        }
    }

    /// What the failures have in common, the most frequent first; then, of those that no mutant explains, how they failed.
    fn found(&self) -> Vec<Found> {
        let mut record = Observations::default();
        let failed: HashMap<&str, &(Trial, event::TrialRecord)> = self
            .failures
            .iter()
            .map(|((_, name), failure)| (name.as_str(), failure))
            .collect();
        failed
            .values()
            .for_each(|(trial, told)| record.add_record(trial, told));
        // Drawn more than once, and not always passed: it speaks against the backend, not for it.
        let passed = self
            .passed
            .iter()
            .filter(|((_, name), _)| !failed.contains_key(name.as_str()));
        passed.for_each(|(_, trial)| record.add_pass(trial));
        let mut findings = record.causes();
        let explained: HashSet<&String> = findings
            .iter()
            .flat_map(|finding| &finding.trials)
            .collect();
        let mut rest: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((_, name), (trial, told)) in self
            .failures
            .iter()
            .filter(|((_, name), _)| !explained.contains(name))
        {
            let says = format!(
                "fails otherwise: {}, {} target",
                reason(trial, told),
                trial.binding.source().name()
            );
            rest.entry(says).or_default().push(name.clone());
        }
        let mut rest: Vec<_> = rest.into_iter().collect();
        rest.sort_by_key(|(_, trials)| std::cmp::Reverse(trials.len()));
        let rest = rest.into_iter().map(|(says, trials)| {
            let (mutants, only, or) = (Vec::new(), Vec::new(), Vec::new());
            Cause {
                says,
                mutants,
                only,
                against: 0,
                or,
                trials,
            }
        });
        let rest: Vec<_> = rest.collect();
        findings.extend(rest);
        findings
            .into_iter()
            .map(|cause| Found {
                cause,
                smallest: None,
                passes_alone: false,
            })
            .collect()
    }
}

/// A failure as an event; `run` knows nothing of such a trial, so it is run again in another way.
pub(super) fn found_record(label: &Label, result: &TrialResult) -> event::TrialRecord {
    let mut told = trial_record(label, result);
    if let Some(story) = &mut told.detail {
        story.again = format!(
            "reshape-conformance search{} --trial '{}'",
            label.arguments, result.trial
        );
    }
    told
}

/// How a trial failed, as far as failures of one cause agree.
pub(super) fn reason(trial: &Trial, told: &event::TrialRecord) -> String {
    let how = told
        .failure
        .map_or_else(|| told.judged().name(), FailureKind::name);
    match trial.case.expectation(trial.operator).as_ref() {
        Expectation::Rejected(reasons) if told.failure.is_some() => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
            format!("{how} ({})", reasons.join(", "))
        }
        Expectation::Rejected(_) | Expectation::Reshaped(_) | Expectation::Open { .. } => {
            how.to_owned()
        }
    }
}
