//! Results retained by a search, at most a fixed number: the smallest failures, and a sample of the passes. They do not
//! depend on the order in which trials end. The merged results of all parts equal those of the whole.

use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::event::{Counts, Found, SearchFinished, SearchStarted, TrialRecord};
use crate::run::{Label, TrialResult, trial_record};
use crate::suite::case::Expectation;
use crate::suite::generated::trial_named;
use crate::suite::trial::Trial;
use crate::verdict::diagnosis::Observations;
use std::collections::{BTreeMap, HashMap};
use xxhash_rust::xxh3::xxh3_64;

/// The results retained by a search.
#[derive(Debug, Default)]
pub(super) struct Retained {
    /// The verdicts of all trials, retained or not.
    pub(super) counts: Counts,
    failures: BTreeMap<FailureKey, (Trial, TrialRecord)>,
    passed: Sample,
}

/// A trial's size, then its name.
type FailureKey = ((usize, u64), String);

impl Retained {
    pub(super) fn add(&mut self, label: &Label, result: &TrialResult) {
        let kind = result.verdict.kind();
        self.counts.count(kind);
        if kind.is_red() {
            let key = (result.trial.size(), result.trial.to_string());
            let largest = self.failures.last_key_value();
            if self.failures.len() < SearchRecords::MAX_FAILURES
                || largest.is_none_or(|(largest, _)| key < *largest)
            {
                self.add_failure(key, result.trial.clone(), failure_record(label, result));
            }
        } else if kind.passes() {
            self.passed.add(&result.trial);
        }
    }

    /// Adds the results that a part of the search retained. Fails when it names a trial that no search generates, or a
    /// failure that did not fail.
    pub(super) fn add_part(&mut self, part: &Stream, search: &SearchRecords) -> Result<(), Error> {
        let path = part.path.display();
        let generated = |name: &String| {
            trial_named(name)
                .ok_or_else(|| Error::Incomplete(format!("{path}: no search generates {name}")))
        };
        for record in &search.failures {
            let trial = generated(&record.trial)?;
            if !record.judged().is_red() {
                let name = &record.trial;
                return Err(Error::Incomplete(format!("{path}: {name} did not fail")));
            }
            self.add_failure((trial.size(), record.trial.clone()), trial, record.clone());
        }
        for name in &search.passed {
            self.passed.add(&generated(name)?);
        }
        if let Some(finished) = &search.finished {
            self.counts.add(&finished.counts);
        }
        Ok(())
    }

    fn add_failure(&mut self, key: FailureKey, trial: Trial, record: TrialRecord) {
        // A trial may be drawn twice and fail in two ways. The choice between them must not depend on their order.
        let how = |record: &TrialRecord| format!("{:?} {:?}", record.failure, record.outcome);
        if let Some((_, earlier)) = self.failures.get(&key)
            && how(earlier) <= how(&record)
        {
            return;
        }
        self.failures.insert(key, (trial, record));
        if self.failures.len() > SearchRecords::MAX_FAILURES {
            self.failures.pop_last();
        }
    }

    /// The records of the search, with the causes of its failures.
    pub(super) fn records(&mut self, started: SearchStarted) -> SearchRecords {
        let failures = self.failures.values().map(|(_, record)| record.clone());
        SearchRecords {
            started,
            failures: failures.collect(),
            passed: self.passed.names().cloned().collect(),
            found: self.found(),
            finished: Some(SearchFinished {
                counts: self.counts.clone(),
                cut_short: None,
                unattributed: None,
            }),
        }
    }

    /// The causes of the failures.
    fn found(&mut self) -> Vec<Found> {
        if self.failures.is_empty() {
            return Vec::new();
        }
        let failed = self.failures.iter();
        let failed = failed.map(|((_, name), failure)| (name.as_str(), failure));
        let failed: HashMap<&str, &(Trial, TrialRecord)> = failed.collect();
        let mut diagnosis = Observations::default();
        for (trial, record) in failed.values() {
            diagnosis.add_record(trial, record);
        }
        // A trial that was drawn twice and failed once counts as failed.
        let passed = self.passed.names();
        let passed = passed.filter(|name| !failed.contains_key(name.as_str()));
        let passed = passed.filter_map(|name| trial_named(name));
        passed.for_each(|trial| diagnosis.add_pass(&trial));
        let causes = diagnosis.causes().into_iter().map(|cause| Found {
            cause,
            smallest: None,
            passes_alone: false,
        });
        causes.collect()
    }
}

/// The record of a failure. Only `search` can generate its trial again, so its command is not that of `run`.
pub(super) fn failure_record(label: &Label, result: &TrialResult) -> TrialRecord {
    let mut record = trial_record(label, result);
    if let Some(detail) = &mut record.detail {
        let (arguments, trial) = (&label.arguments, &result.trial);
        detail.again = format!("reshape-conformance search{arguments} --trial '{trial}'");
    }
    record
}

/// How a trial failed, in the same words for failures that may have the same cause.
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

/// The most trials of a sample.
const MAX_TRIALS: usize = 100_000;
/// The number of further trials that are held before those outside the sample are removed.
const MORE: usize = MAX_TRIALS / 4;

/// The names of the trials with the smallest hashes, each once. The name of a passed trial recreates it.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The names in the sample, and others that came since the last removal.
    names: Vec<(u64, String)>,
    /// No larger hash belongs to the sample; `None` while it is not full.
    largest: Option<u64>,
    /// The name of the last trial.
    last: String,
}

impl Sample {
    pub(super) fn add(&mut self, trial: &Trial) {
        self.last.clear();
        trial.write_name(&mut self.last);
        let hash = xxh3_64(self.last.as_bytes());
        if self.largest.is_none_or(|largest| hash <= largest) {
            self.names.push((hash, self.last.clone()));
            if self.names.len() > MAX_TRIALS + MORE {
                self.sort_out();
            }
        }
    }

    /// The names, by their hash.
    pub(super) fn names(&mut self) -> impl Iterator<Item = &String> {
        self.sort_out();
        self.names.iter().map(|(_, name)| name)
    }

    fn sort_out(&mut self) {
        self.names.sort_unstable();
        self.names.dedup();
        self.names.truncate(MAX_TRIALS);
        if let (MAX_TRIALS, Some((largest, _))) = (self.names.len(), self.names.last()) {
            self.largest = Some(*largest);
        }
    }
}
