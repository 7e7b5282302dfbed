//! Merging: the streams of a run's parts as the stream of the whole.
//!
//! Sorted by name, so that the same results make the same stream in whatever order and on however many machines they came.
//! What hangs on the whole (findings, stale known failures, counts) is worked out anew.

use crate::error::Error;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{
    BackendFinished, Counts, Finding, Place, RunFinished, RunStarted, TrialRecord,
    UnattributedRecord,
};
use crate::run::record::selection_of;
use crate::suite::Suite;
use crate::suite::plan;
use crate::verdict::diagnosis::Observations;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The streams of all parts as one.
///
/// # Errors
/// Parts of different runs; a trial in two of them, or in none; a suite that this program does not have.
pub(crate) fn merge(parts: Vec<Stream>, suite: &Suite) -> Result<Stream, Error> {
    let Some(first) = parts.first() else {
        return Err(Error::Usage("nothing to merge".to_owned()));
    };
    let run = RunStarted {
        partition: None,
        started: parts
            .iter()
            .map(|part| part.run.started)
            .min()
            .unwrap_or_default(),
        ..first.run.clone()
    };
    for part in &parts {
        if let Some(what) = first.run.differs_from(&part.run) {
            let (a, b) = (first.path.display(), part.path.display());
            let why = format!(
                "{a} and {b} are of different {what}; the parts of one run differ in --partition alone"
            );
            return Err(Error::Incomplete(why));
        }
    }
    if run.suite_hash != suite.hash() {
        return Err(Error::Incomplete(format!(
            "{} is of suite {} ({}), and this is {} ({}): merge with the program and the --cases that ran it",
            first.path.display(),
            run.suite_version,
            short(&run.suite_hash),
            env!("CARGO_PKG_VERSION"),
            short(&suite.hash())
        )));
    }
    let selection = selection_of(&run.selection)
        .map_err(|why| Error::Incomplete(format!("{}: {why}", first.path.display())))?;
    let planned: HashMap<String, plan::Trial> = plan::groups(suite, &selection)
        .flat_map(|group| group.trials)
        .map(|trial| (trial.to_string(), trial))
        .collect();
    let mut whole = Stream::default();
    // Parts that an older version ran have none.
    let described = parts.iter().find(|part| !part.lacks_vocabulary());
    let described = described.unwrap_or(first);
    whole.clauses.clone_from(&described.clauses);
    whole.questions.clone_from(&described.questions);
    whole.cases.clone_from(&first.cases);
    let mut total = Counts::default();
    for name in &run.backends {
        let of: Vec<(&Stream, &BackendRecords)> = parts
            .iter()
            .flat_map(|part| part.backends.iter().map(move |backend| (part, backend)))
            .filter(|(_, backend)| *backend.started.backend == **name)
            .collect();
        let merged = one(name, &of, &planned)?;
        if let Some(finished) = &merged.finished {
            total.add(&finished.counts);
        }
        whole.backends.push(merged);
    }
    whole.run = run;
    whole.finished = Some(RunFinished { counts: total });
    Ok(whole)
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

fn one(
    name: &str,
    parts: &[(&Stream, &BackendRecords)],
    planned: &HashMap<String, plan::Trial>,
) -> Result<BackendRecords, Error> {
    let Some((_, first)) = parts.first() else {
        return Err(Error::Incomplete(format!(
            "no part has trials of '{name}'; is one missing?"
        )));
    };
    let (mut trials, mut seen): (Vec<TrialRecord>, HashMap<&str, &Stream>) =
        (Vec::with_capacity(planned.len()), HashMap::new());
    for (stream, backend) in parts {
        if (&backend.started.name, &backend.started.version)
            != (&first.started.name, &first.started.version)
        {
            return Err(Error::Incomplete(format!(
                "'{name}' is {} {} in one part and {} {} in {}",
                first.started.name,
                first.started.version,
                backend.started.name,
                backend.started.version,
                stream.path.display()
            )));
        }
        for trial in &backend.trials {
            if let Some(other) = seen.insert(&trial.trial, stream) {
                let (trial, a, b) = (&trial.trial, other.path.display(), stream.path.display());
                return Err(Error::Incomplete(format!(
                    "{trial} of '{name}' is in {a} and again in {b}"
                )));
            }
            trials.push(trial.clone());
        }
    }
    let holes: BTreeSet<&str> = planned
        .keys()
        .map(String::as_str)
        .filter(|trial| !seen.contains_key(trial))
        .collect();
    if let Some(hole) = holes.first() {
        let unfinished: Vec<_> = parts
            .iter()
            .filter(|(_, backend)| backend.finished.is_none())
            .collect();
        let why = match unfinished.first() {
            Some((stream, _)) => format!(
                "{} ends early: go on with it by `run --resume`",
                stream.path.display()
            ),
            None => "is a part missing?".to_owned(),
        };
        return Err(Error::Incomplete(format!(
            "{} trials of '{name}' are in no part, such as {hole}; {why}",
            holes.len()
        )));
    }
    if let Some(stranger) = seen.keys().find(|trial| !planned.contains_key(**trial)) {
        return Err(Error::Incomplete(format!(
            "{stranger} of '{name}' is no trial of this run"
        )));
    }
    trials.sort_by(|a, b| a.trial.cmp(&b.trial));
    let (mut record, mut counts) = (Observations::default(), Counts::default());
    for told in &trials {
        counts.count(told.verdict);
        planned
            .get(&told.trial)
            .into_iter()
            .for_each(|trial| record.add_record(trial, told));
    }
    let backend: Arc<str> = Arc::clone(&first.started.backend);
    let findings = record
        .causes()
        .into_iter()
        .map(|cause| Finding {
            backend: Arc::clone(&backend),
            cause,
        })
        .collect();
    let mut started = first.started.clone();
    started.trials = trials.len();
    let ends = parts
        .iter()
        .filter_map(|(_, backend)| backend.finished.as_ref());
    let unattributed = UnattributedRecord::of_all(ends.filter_map(|end| end.unattributed.as_ref()));
    let finished = BackendFinished {
        backend,
        counts,
        stale: stale(parts),
        unmatched: Vec::new(),
        unattributed,
    };
    Ok(BackendRecords {
        started,
        trials,
        findings,
        finished: Some(finished),
    })
}

/// The lines of known failures that met no trial in any part. (Of one part, they are known already.)
fn stale(parts: &[(&Stream, &BackendRecords)]) -> Vec<Place> {
    let of = |backend: &BackendRecords| {
        backend
            .finished
            .iter()
            .flat_map(|finished| finished.stale.iter().chain(&finished.unmatched))
            .cloned()
            .collect::<Vec<_>>()
    };
    let Some(((_, first), rest)) = parts.split_first() else {
        return Vec::new();
    };
    let rest: Vec<_> = rest.iter().map(|(_, backend)| of(backend)).collect();
    of(first)
        .into_iter()
        .filter(|place| rest.iter().all(|unmatched| unmatched.contains(place)))
        .collect()
}
