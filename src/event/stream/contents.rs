//! The contents of a stream.

use super::backend_records::BackendRecords;
use super::search_records::SearchRecords;
use crate::event::Event;
use crate::event::backend::BackendNotRun;
use crate::event::case::{CaseOperator, CaseRecord, ClauseRecord, QuestionRecord};
use crate::event::run::{RunFinished, RunStarted, RunStopped};
use crate::event::trial::TrialRecord;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The events of a run or a search.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The file it was read from.
    pub path: PathBuf,
    /// The start of the run.
    pub run: RunStarted,
    /// The clauses that its cases test; empty in a stream of a version that did not write them.
    pub clauses: Vec<ClauseRecord>,
    /// The questions that the texts leave open for its cases; empty in a stream of a version that did not write them.
    pub questions: Vec<QuestionRecord>,
    /// The cases of the run.
    pub cases: Vec<Arc<CaseRecord>>,
    /// The backends that have started.
    pub backends: Vec<BackendRecords>,
    /// The backends that did not run.
    pub not_run: Vec<BackendNotRun>,
    /// The reason for an early end; `None` if the run did not end early, or was killed.
    pub stopped: Option<RunStopped>,
    /// The end of the run; `None` if it was stopped before.
    pub finished: Option<RunFinished>,
    /// The search; `None` in the stream of a run.
    pub search: Option<SearchRecords>,
    /// The length in bytes of the part of the file that a resumed run keeps: its complete lines, except those at the
    /// end that report the early end and its findings.
    pub kept_bytes: u64,
    /// The index of each case, by name. Computed on first use.
    case_index: OnceCell<HashMap<String, usize>>,
}

impl Stream {
    /// Sorts each backend's trials by name, the order in which reports show them.
    pub(crate) fn sort(&mut self) {
        self.backends.iter_mut().for_each(BackendRecords::sort);
    }

    /// What is missing from the run, one sentence each; empty if it is complete.
    pub(crate) fn missing(&self) -> Vec<String> {
        let not_run = self.not_run.iter().map(|of| {
            let what = match self.backend(&of.backend) {
                None => "did not run".to_owned(),
                Some(records) => format!("was stopped after {}", records.so_far()),
            };
            format!("'{}' {what}: {}", of.backend, of.message)
        });
        let mut missing: Vec<_> = not_run.collect();
        let is_given_up = |name: &str| self.not_run.iter().any(|of| *of.backend == *name);
        match &self.stopped {
            Some(RunStopped { message }) => {
                let mut backends = self.backends.iter();
                let unfinished =
                    backends.find(|of| of.finished.is_none() && !is_given_up(&of.started.backend));
                let so_far = unfinished.map_or_else(String::new, |of| {
                    format!("; '{}' got to {}", of.started.backend, of.so_far())
                });
                missing.push(format!("the run ended early: {message}{so_far}"));
            }
            None if self.finished.is_none() && missing.is_empty() => {
                missing.push("the run ended early".to_owned());
            }
            None => {}
        }
        missing
    }

    /// A trial's case, and its part for the trial's operator.
    pub(crate) fn case(&self, trial: &TrialRecord) -> Option<(&CaseRecord, &CaseOperator)> {
        let index = self.case_index.get_or_init(|| {
            let cases = self.cases.iter().enumerate();
            cases.map(|(at, case)| (case.case.clone(), at)).collect()
        });
        let case = &**self.cases.get(*index.get(trial.case())?)?;
        let mut operators = case.operators.iter();
        Some((case, operators.find(|of| of.operator == trial.operator())?))
    }

    /// The clauses by which a trial is judged; empty for a backend that is only similar to the operators.
    pub(crate) fn clauses_of(&self, trial: &TrialRecord) -> &[String] {
        let backend = self.backend(&trial.backend);
        if backend.is_some_and(|backend| backend.started.only_similar) {
            return &[];
        }
        let operator = self.case(trial).map(|(_, operator)| operator);
        operator.map_or(&[], |operator| &operator.clauses)
    }

    /// The clause with this id, if the stream describes it.
    pub(crate) fn clause(&self, id: &str) -> Option<&ClauseRecord> {
        self.clauses.iter().find(|clause| clause.id == id)
    }

    /// The events that describe clauses and questions.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = Event> {
        let clauses = self.clauses.iter().cloned().map(Event::Clause);
        clauses.chain(self.questions.iter().cloned().map(Event::Question))
    }

    /// Whether an older version wrote it, which did not describe clauses and questions before the cases.
    pub(crate) fn lacks_vocabulary(&self) -> bool {
        !self.cases.is_empty() && self.clauses.is_empty() && self.questions.is_empty()
    }

    /// The events that a resumed run repeats.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = Event> {
        let has_finished = |name: &str| self.backend(name).is_some_and(|of| of.finished.is_some());
        self.events().filter(move |event| {
            !event.is_of_an_end()
                || matches!(event, Event::Finding(of) if has_finished(&of.backend))
        })
    }

    /// The events of a run, in order.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        let cases = self.cases.iter().cloned().map(Event::Case);
        let given_up = |name: &str| {
            let mut not_run = self.not_run.iter();
            not_run.find(|of| *of.backend == *name).cloned()
        };
        let backends = self.backends.iter().flat_map(move |backend| {
            let given_up = given_up(&backend.started.backend);
            backend.events().chain(given_up.map(Event::BackendNotRun))
        });
        let never_started = |of: &&BackendNotRun| self.backend(&of.backend).is_none();
        let not_run = self.not_run.iter().filter(never_started);
        let not_run = not_run.cloned().map(Event::BackendNotRun);
        std::iter::once(Event::RunStarted(self.run.clone()))
            .chain(self.vocabulary())
            .chain(cases)
            .chain(backends)
            .chain(not_run)
            .chain(self.finished.iter().cloned().map(Event::RunFinished))
            .chain(self.stopped.iter().cloned().map(Event::RunStopped))
    }

    /// The backend with this name; `None` if it has not started.
    pub(crate) fn backend(&self, name: &str) -> Option<&BackendRecords> {
        let mut backends = self.backends.iter();
        backends.find(|backend| *backend.started.backend == *name)
    }

    /// A trial of a backend; `None` if it has not run.
    pub(crate) fn trial(&self, backend: &str, trial: &str) -> Option<&TrialRecord> {
        self.backend(backend)?.trial(trial)
    }

    /// The trials of a backend that have run.
    pub(crate) fn trials_of(&self, backend: &str) -> &[TrialRecord] {
        self.backend(backend).map_or(&[], |backend| &backend.trials)
    }
}
