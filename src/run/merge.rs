//! Merging the streams of a run's parts into the stream of the whole run.
//!
//! Trials are sorted by name, so the result does not depend on the number of machines or their speed. Findings, stale
//! known failures and counts are computed again, because they depend on all trials.

use super::core::core_of;
use super::start::recorded_selection;
use crate::error::Error;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{
    BackendFinished, Cause, Counts, Finding, MemoryRecord, Place, RunFinished, RunStarted,
    TrialRecord, TrialSet, UnattributedRecord,
};
use crate::names::Distinct;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use crate::verdict::diagnosis::Observations;
use std::collections::HashMap;
use std::sync::Arc;

/// Merges the streams of all parts. `load` loads the suite for a selection. Fails when the parts belong to different
/// runs, a trial is missing or in two parts, or the suite is not the one that ran.
pub(crate) fn merge(
    parts: &[Stream],
    load: impl FnOnce(&Selection) -> Result<Suite, Error>,
) -> Result<Stream, Error> {
    let Some(first) = parts.first() else {
        return Err(Error::Usage("nothing to merge".to_owned()));
    };
    for part in parts {
        if let Some(what) = first.run.differs_from(&part.run) {
            return Err(Error::Incomplete(format!(
                "{} and {} are of different {what}; the parts of one run differ only in --partition",
                first.path.display(),
                part.path.display()
            )));
        }
    }
    let mut selection = recorded_selection(&first.run.selection)
        .map_err(|why| Error::Incomplete(format!("{}: {why}", first.path.display())))?;
    let suite = load(&selection)?;
    check_suite(first, &suite)?;
    selection.core = core_of(&suite, first.run.selection.core.is_some())?;
    let plan = Plan::new(&suite, &selection, None);
    let planned = plan.trials_by_name();
    let (mut backends, mut total) = (Vec::new(), Counts::default());
    for name in &first.run.backends {
        let backend = merge_backend(name, parts, &planned)?;
        total.add(&backend.counts());
        backends.push(backend);
    }
    let started = parts.iter().map(|part| part.run.started).min();
    let mut whole = Stream::default();
    whole.run = RunStarted {
        partition: None,
        started: started.unwrap_or_default(),
        ..first.run.clone()
    };
    // Parts of an older version have no vocabulary.
    let described = parts.iter().find(|part| !part.lacks_vocabulary());
    let described = described.unwrap_or(first);
    whole.clauses.clone_from(&described.clauses);
    whole.questions.clone_from(&described.questions);
    whole.cases.clone_from(&first.cases);
    whole.backends = backends;
    whole.finished = Some(RunFinished {
        counts: total,
        milliseconds: None,
    });
    Ok(whole)
}

fn check_suite(first: &Stream, suite: &Suite) -> Result<(), Error> {
    let this = RunStarted {
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        suite_hash: suite.hash(),
        ..RunStarted::default()
    };
    if first.run.suite_hash == this.suite_hash {
        return Ok(());
    }
    Err(Error::Incomplete(format!(
        "{} is of suite {}, but this is {}: merge with the program and the --cases of the run",
        first.path.display(),
        first.run.suite(),
        this.suite()
    )))
}

/// The records of one backend in one part.
struct Part<'a> {
    stream: &'a Stream,
    records: &'a BackendRecords,
}

/// Merges the records of one backend. `planned` are the trials of the whole run.
fn merge_backend(
    name: &str,
    parts: &[Stream],
    planned: &HashMap<String, &Trial>,
) -> Result<BackendRecords, Error> {
    let parts = parts.iter().filter_map(|stream| {
        let records = stream.backend(name)?;
        Some(Part { stream, records })
    });
    let parts: Vec<Part<'_>> = parts.collect();
    let Some(first) = parts.first() else {
        return Err(Error::Incomplete(format!(
            "no part has trials of '{name}'; is one missing?"
        )));
    };
    let trials = merge_trials(name, &parts, planned)?;
    let (mut diagnosis, mut counts) = (Observations::default(), Counts::default());
    for record in &trials {
        counts.count(record.verdict);
        if let Some(trial) = planned.get(&record.trial) {
            diagnosis.add_record(trial, record);
        }
    }
    let mut started = first.records.started.clone();
    let set: TrialSet = trials.iter().map(|record| &record.trial).collect();
    (started.trials, started.trials_hash) = (set.count, Some(set.hash()));
    let backend = Arc::clone(&started.backend);
    let causes = merge_causes(&mut diagnosis, &parts).into_iter();
    let findings = causes.map(|cause| Finding {
        backend: Arc::clone(&backend),
        cause,
    });
    let ends = parts.iter();
    let ends = ends.filter_map(|part| part.records.finished.as_ref());
    let allowed_deaths = ends.clone().flat_map(|end| end.allowed_deaths.clone());
    let unattributed = ends.clone().filter_map(|end| end.unattributed.as_ref());
    let mut merged = BackendRecords::new(started);
    trials.into_iter().for_each(|trial| merged.add(trial));
    merged.findings = findings.collect();
    merged.finished = Some(BackendFinished {
        backend,
        counts,
        stale: unmatched_everywhere(&parts),
        unmatched: Vec::new(),
        memory: MemoryRecord::of_all(ends.filter_map(|end| end.memory.clone())),
        unattributed: UnattributedRecord::of_all(unattributed),
        allowed_deaths: allowed_deaths.distinct(),
    });
    Ok(merged)
}

/// The causes of all parts. Each part already recorded which failures pass alone.
fn merge_causes(diagnosis: &mut Observations, parts: &[Part<'_>]) -> Vec<Cause> {
    let causes = || {
        let findings = parts.iter().flat_map(|part| &part.records.findings);
        findings.map(|finding| &finding.cause)
    };
    for cause in causes() {
        if let Some(alone) = &cause.alone {
            diagnosis.set_aside(&cause.trials.iter().map(String::as_str).collect(), alone);
        }
    }
    let mut merged = diagnosis.causes();
    for cause in merged.iter_mut().filter(|cause| cause.alone.is_some()) {
        let told = causes().filter_map(|of| Some((of, of.trials.first()?, of.alone.clone()?)));
        let mut told = told.filter(|(_, example, _)| cause.trials.contains(example));
        if let Some((of, example, alone)) = told.next() {
            cause.tell(example, alone);
            cause.mutants.clone_from(&of.mutants);
            cause.description.clone_from(&of.description);
        }
    }
    merged
}

/// The trials of all parts, by name, each exactly once.
fn merge_trials(
    name: &str,
    parts: &[Part<'_>],
    planned: &HashMap<String, &Trial>,
) -> Result<Vec<TrialRecord>, Error> {
    let mut seen: HashMap<&str, &Stream> = HashMap::with_capacity(planned.len());
    let mut trials = Vec::with_capacity(planned.len());
    for part in parts {
        check_same_backend(name, &parts[0], part)?;
        for record in &part.records.trials {
            let trial = &record.trial;
            if let Some(other) = seen.insert(trial, part.stream) {
                let (a, b) = (other.path.display(), part.stream.path.display());
                return Err(Error::Incomplete(format!(
                    "{trial} of '{name}' is in {a} and again in {b}"
                )));
            }
            trials.push(record.clone());
        }
    }
    check_complete(name, parts, planned, &seen)?;
    if let Some(unknown) = seen.keys().find(|trial| !planned.contains_key(**trial)) {
        return Err(Error::Incomplete(format!(
            "{unknown} of '{name}' is not a trial of this run"
        )));
    }
    trials.sort_by(|a, b| a.trial.cmp(&b.trial));
    Ok(trials)
}

fn check_same_backend(name: &str, first: &Part<'_>, part: &Part<'_>) -> Result<(), Error> {
    let (one, other) = (&first.records.started, &part.records.started);
    if (&one.name, &one.version) == (&other.name, &other.version) {
        return Ok(());
    }
    Err(Error::Incomplete(format!(
        "'{name}' is {} {} in one part and {} {} in {}",
        one.name,
        one.version,
        other.name,
        other.version,
        part.stream.path.display()
    )))
}

fn check_complete(
    name: &str,
    parts: &[Part<'_>],
    planned: &HashMap<String, &Trial>,
    seen: &HashMap<&str, &Stream>,
) -> Result<(), Error> {
    let missing = planned.keys();
    let missing = missing.filter(|trial| !seen.contains_key(trial.as_str()));
    let Some(example) = missing.clone().min() else {
        return Ok(());
    };
    let unfinished = parts.iter().find(|part| part.records.finished.is_none());
    let unfinished = unfinished.map(|part| part.stream.path.display());
    let why = unfinished.map(|path| format!("{path} ends early: resume it with `run --resume`"));
    let why = why.unwrap_or_else(|| "is a part missing?".to_owned());
    Err(Error::Incomplete(format!(
        "{} trials of '{name}' are in no part, such as {example}; {why}",
        missing.count()
    )))
}

/// The lines of known failures that matched no trial in any part.
fn unmatched_everywhere(parts: &[Part<'_>]) -> Vec<Place> {
    let unmatched = parts.iter().map(|part| -> Vec<Place> {
        let finished = part.records.finished.iter();
        // In a run with a single part they are already stale.
        let places = finished.flat_map(|end| end.stale.iter().chain(&end.unmatched));
        places.cloned().collect()
    });
    let in_both = |mut places: Vec<Place>, here: Vec<Place>| {
        places.retain(|place| here.contains(place));
        places
    };
    unmatched.reduce(in_both).unwrap_or_default()
}
