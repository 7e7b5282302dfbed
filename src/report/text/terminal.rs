//! The terminal report, printed when a backend has finished.

use super::failures::Failures;
use super::notes::Notes;
use super::verbosity::Verbosity;
use crate::event::{
    BackendFinished, BackendStarted, Counts, Event, Reporter, TrialRecord, UnattributedRecord,
    VerdictKind,
};
use crate::report::ONLY_SIMILAR;
use crate::report::fault::print_error;
use crate::report::style::{DIM, NOTE, STRONG, out, paint, tame};
use crate::report::totals::{counts_line, peak, print_end, print_unattributed};
use std::sync::Arc;

/// Collects the events of a backend, and prints them when it has finished.
pub(crate) struct Text {
    verbosity: Verbosity,
    failures: Failures,
    notes: Notes,
    /// The backend that is running, the trials that it has, and the verdicts so far.
    running: Option<(Arc<str>, usize, Counts)>,
    /// Its deaths for which no trial can be blamed.
    died: Vec<UnattributedRecord>,
    /// Which part of the run this is, and the trials of all parts; `None` if it is the whole.
    part: Option<(String, usize)>,
}

impl Text {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            failures: Failures::default(),
            notes: Notes::default(),
            running: None,
            died: Vec::new(),
            part: None,
        }
    }

    fn backend_started(&mut self, started: &BackendStarted) {
        self.failures.take_backend(started);
        let backend = Arc::clone(&started.backend);
        self.running = Some((backend, started.trials, Counts::default()));
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let part = self
            .part
            .as_ref()
            .map(|(part, trials)| format!(" (part {}, of {trials})", tame(part)));
        out(format!(
            "{} ({} {}): {} trials{}",
            paint(STRONG, &started.backend),
            tame(&started.name),
            tame(&started.version),
            started.trials,
            part.unwrap_or_default()
        ));
        if started.only_similar {
            out(paint(DIM, ONLY_SIMILAR));
        }
    }

    fn trial(&mut self, trial: &TrialRecord) {
        if let Some((.., counts)) = &mut self.running {
            counts.count(trial.verdict);
        }
        self.notes.sampled.take(trial);
        let verbose = self.verbosity == Verbosity::Verbose;
        if trial.verdict.is_red() {
            if verbose {
                self.failures.print_one(trial);
            }
            self.failures.take(trial);
            return;
        }
        self.notes.take(trial);
        if verbose && trial.verdict != VerdictKind::Passed {
            let kind = paint(DIM, trial.verdict.name());
            out(format!("{kind} {}", trial.trial));
        }
    }

    fn backend_finished(&mut self, finished: &BackendFinished) {
        self.running = None;
        self.died.clear();
        self.failures.print(self.verbosity, true);
        self.notes.print(self.verbosity);
        for place in &finished.stale {
            out(crate::report::fault::render_place(place));
        }
        if let (Some(says), Some(last)) = (finished.outside_trials(), &finished.unattributed) {
            print_unattributed(&finished.backend, &says, last, finished.died());
        }
        if let Some(growth) = finished.memory.and_then(|of| of.growth) {
            out(format!("\n{} {growth}", paint(NOTE, &finished.backend)));
        }
        if self.verbosity != Verbosity::Quiet {
            out("");
            if let Some(memory) = finished.memory {
                out(peak(memory));
            }
        }
        print_end(finished);
    }

    /// Prints what came of a backend until it was asked no more.
    fn ended_early(&mut self) {
        self.failures.print(self.verbosity, false);
        self.notes.print(self.verbosity);
        let died = std::mem::take(&mut self.died);
        if let Some((backend, trials, counts)) = self.running.take() {
            if let Some(died) = UnattributedRecord::of_all(died.iter()) {
                print_unattributed(&backend, &died.to_string(), &died, true);
            }
            if self.verbosity != Verbosity::Quiet {
                out("");
            }
            out(counts_line(&backend, &counts, trials));
        }
    }
}

impl Reporter for Text {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Clause(clause) => self.failures.take_clause(clause),
            Event::Case(case) => self.failures.take_case(case),
            Event::BackendStarted(started) => self.backend_started(started),
            Event::Trial(trial) => self.trial(trial),
            Event::Finding(finding) => self.failures.take_cause(&finding.cause),
            Event::BackendDied(died) => self.died.push(died.unattributed.clone()),
            Event::BackendFinished(finished) => self.backend_finished(finished),
            Event::BackendNotRun(backend) => {
                self.ended_early();
                print_error(&backend.message);
            }
            Event::RunStopped(_) => self.ended_early(),
            Event::RunStarted(run) => {
                self.part = run.partition.clone().map(|part| (part, run.trials));
            }
            Event::Question(_)
            | Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::Unknown => {}
        }
    }
}
