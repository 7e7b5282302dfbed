//! Resuming an interrupted run: checking its stream against the plan, and taking over its results.

use crate::backend::About;
use crate::error::{Error, Fault, Source};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{BackendDied, CaseRecord, Event, RunStarted, TrialRecord};
use crate::suite::plan::Plan;
use crate::suite::trial::Trial;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An interrupted run that is resumed.
pub(crate) struct Resume<'a> {
    stream: &'a Stream,
    /// The trials of the plan, by name.
    planned: HashMap<String, &'a Trial>,
}

impl<'a> Resume<'a> {
    /// A stream, checked to be the beginning of this run. Fails when it belongs to another run, or was changed so that
    /// events would be lost or repeated.
    pub(crate) fn new(
        stream: &'a Stream,
        plan: &'a Plan,
        run: &RunStarted,
        vocabulary: &[Event],
        cases: &[Arc<CaseRecord>],
    ) -> Result<Self, Error> {
        check_run(stream, run)?;
        let planned = plan.trials_by_name();
        check_contents(stream, vocabulary, cases, &planned).map_err(|why| {
            let source = Source::new(&stream.path.to_string_lossy(), "");
            Error::from(Fault::new(&source, 0..0, why))
        })?;
        Ok(Self { stream, planned })
    }

    /// The records of a backend that had finished.
    pub(crate) fn finished(&self, backend: &str) -> Option<&'a BackendRecords> {
        let records = self.stream.backend(backend);
        records.filter(|records| records.finished.is_some())
    }

    /// The place of a backend in the stream; after all others if it has not started there.
    pub(crate) fn place(&self, backend: &str) -> usize {
        let backends = &self.stream.backends;
        let mut backends = backends.iter();
        let place = backends.position(|records| *records.started.backend == *backend);
        place.unwrap_or(backends.len())
    }

    /// The trials of a backend that had run, with their records.
    pub(crate) fn recorded(&self, backend: &str) -> Vec<(&'a Trial, &'a TrialRecord)> {
        let recorded = self.stream.trials_of(backend).iter().filter_map(|record| {
            let trial = self.planned.get(&record.trial)?;
            Some((*trial, record))
        });
        recorded.collect()
    }

    /// The deaths of a backend for which no trial can be blamed.
    pub(crate) fn died(&self, backend: &str) -> &'a [BackendDied] {
        let records = self.stream.backend(backend);
        records.map_or(&[], |records| &records.died)
    }

    /// Checks that a backend is the one that the interrupted run started. Fails when its name or version differs.
    pub(crate) fn check_backend(&self, backend: &str, about: &About) -> Result<(), Error> {
        let Some(BackendRecords { started, .. }) = self.stream.backend(backend) else {
            return Ok(());
        };
        let (name, version) = (&about.name, &about.version);
        if (&started.name, &started.version) == (name, version) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{} is of {} {}, but '{backend}' is now {name} {version}",
            self.stream.path.display(),
            started.name,
            started.version
        )))
    }
}

/// Checks that a stream belongs to a run of the same suite, selection, partition, backends and level.
fn check_run(stream: &Stream, run: &RunStarted) -> Result<(), Error> {
    let partition = (stream.run.partition != run.partition).then_some("partitions");
    let Some(what) = stream.run.differs_from(run).or(partition) else {
        return Ok(());
    };
    Err(Error::Usage(format!(
        "{} and this run are of different {what}; resume it with its original arguments",
        stream.path.display()
    )))
}

/// Checks that a run of these cases and trials can have written a stream.
fn check_contents(
    stream: &Stream,
    vocabulary: &[Event],
    cases: &[Arc<CaseRecord>],
    planned: &HashMap<String, &Trial>,
) -> Result<(), String> {
    let described: Vec<_> = stream.vocabulary().collect();
    let lacks_some = !stream.cases.is_empty() && described.len() < vocabulary.len();
    if !vocabulary.starts_with(&described) || lacks_some {
        return Err("its clauses and questions are not those of this run".to_owned());
    }
    let lacks_cases = !stream.backends.is_empty() && stream.cases.len() < cases.len();
    if !cases.starts_with(&stream.cases) || lacks_cases {
        return Err("its cases are not those of this run".to_owned());
    }
    for backend in &stream.backends {
        check_trials(backend, planned)?;
    }
    Ok(())
}

/// Checks that every trial of a backend is planned and recorded once.
fn check_trials(backend: &BackendRecords, planned: &HashMap<String, &Trial>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for TrialRecord { trial, .. } in &backend.trials {
        if !planned.contains_key(trial) {
            return Err(format!("this run has no trial {trial}"));
        }
        if !seen.insert(trial) {
            return Err(format!("it records {trial} twice"));
        }
    }
    Ok(())
}
