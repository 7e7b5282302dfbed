//! Appending events to a stream, after checking each against the events before it.

use super::backend_records::BackendRecords;
use super::contents::Stream;
use super::search_records::SearchRecords;
use crate::event::backend::BackendStarted;
use crate::event::run::RunStarted;
use crate::event::search::SearchStarted;
use crate::event::trial::TrialRecord;
use crate::event::{Event, FORMAT};
use std::collections::HashSet;

impl Stream {
    /// Appends one event. Fails when it cannot follow the events before it.
    pub(crate) fn append(&mut self, event: Event) -> Result<(), String> {
        // A resumed run has not ended.
        self.stopped = None;
        match event {
            Event::RunStarted(run) => self.start_run(run)?,
            Event::Clause(clause) => self.clauses.push(clause),
            Event::Question(question) => self.questions.push(question),
            Event::Case(case) => self.cases.push(case),
            Event::BackendStarted(started) => self.start_backend(started)?,
            Event::Trial(trial) => self.append_trial(*trial)?,
            Event::Finding(finding) => {
                self.unfinished(&finding.backend)?.findings.push(finding);
            }
            Event::BackendDied(died) => self.unfinished(&died.backend)?.died.push(died),
            Event::BackendFinished(finished) => {
                self.not_run.retain(|of| of.backend != finished.backend);
                let backend = self.unfinished(&finished.backend)?;
                backend.check_finished(&finished)?;
                backend.finished = Some(finished);
            }
            Event::BackendNotRun(backend) => {
                self.not_run.retain(|of| of.backend != backend.backend);
                self.not_run.push(backend);
            }
            Event::RunFinished(finished) => {
                self.check_finished()?;
                self.finished = Some(finished);
            }
            Event::RunStopped(stopped) => self.stopped = Some(stopped),
            Event::SearchStarted(started) => self.start_search(started)?,
            Event::Passed(passed) => self.started_search()?.passed.extend(passed.trials),
            Event::Found(found) => self.started_search()?.found.push(*found),
            Event::SearchFinished(finished) => self.started_search()?.finished = Some(finished),
            Event::Unknown => {}
        }
        Ok(())
    }

    /// Checks that every backend of the run has finished.
    fn check_finished(&self) -> Result<(), String> {
        let has_finished =
            |name: &&String| self.backend(name).is_some_and(|of| of.finished.is_some());
        match self.run.backends.iter().find(|name| !has_finished(name)) {
            Some(name) => Err(format!(
                "the run ends, but its backend '{name}' has not finished"
            )),
            None => Ok(()),
        }
    }

    fn start_run(&mut self, run: RunStarted) -> Result<(), String> {
        if self.search.is_some() {
            return Err("a run in the stream of a search".to_owned());
        }
        if self.has_run() {
            return Err("a second 'run-started'".to_owned());
        }
        if run.backends.iter().collect::<HashSet<_>>().len() < run.backends.len() {
            return Err("it names a backend twice".to_owned());
        }
        check_format(run.format)?;
        self.run = run;
        Ok(())
    }

    /// Whether a run has started; then its format is at least 1.
    fn has_run(&self) -> bool {
        self.run.format != 0
    }

    fn start_backend(&mut self, started: BackendStarted) -> Result<(), String> {
        // A resumed run repeats the start of the backend that it continues.
        let last = self.backends.last();
        if last.is_some_and(|last| last.started == started) {
            return Ok(());
        }
        // A resumed run runs the backends that did not run before.
        self.not_run.retain(|of| of.backend != started.backend);
        if self.backend(&started.backend).is_some() {
            return Err(format!("'{}' starts a second time", started.backend));
        }
        self.backends.push(BackendRecords::new(started));
        Ok(())
    }

    fn append_trial(&mut self, trial: TrialRecord) -> Result<(), String> {
        match &mut self.search {
            Some(search) => search.failures.push(trial),
            None => {
                // A resumed run continues this backend, so results of running its first trials alone no longer hold.
                self.not_run.retain(|of| of.backend != trial.backend);
                let backend = self.unfinished(&trial.backend)?;
                backend.findings.clear();
                backend.add(trial);
            }
        }
        Ok(())
    }

    /// The backend with this name, which has started and not finished. Others may have finished since: a resumed run
    /// continues those that it stopped last.
    fn unfinished(&mut self, name: &str) -> Result<&mut BackendRecords, String> {
        let mut backends = self.backends.iter_mut();
        backends
            .find(|of| *of.started.backend == *name && of.finished.is_none())
            .ok_or_else(|| format!("it names the backend '{name}', which has not started"))
    }

    fn start_search(&mut self, started: SearchStarted) -> Result<(), String> {
        check_format(started.format)?;
        if self.has_run() {
            return Err("a search in the stream of a run".to_owned());
        }
        if self.search.is_some() {
            return Err("a second 'search-started'".to_owned());
        }
        self.search = Some(SearchRecords {
            started,
            ..SearchRecords::default()
        });
        Ok(())
    }

    fn started_search(&mut self) -> Result<&mut SearchRecords, String> {
        let search = self.search.as_mut();
        search.ok_or_else(|| "no search has begun".to_owned())
    }
}

fn check_format(format: u32) -> Result<(), String> {
    match format {
        FORMAT => Ok(()),
        _ => Err(format!(
            "format {format}; this program reads format {FORMAT}"
        )),
    }
}
