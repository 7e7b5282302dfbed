//! The terminal report, printed when a backend has finished.

use super::failures::{Failures, Verbosity, print_one};
use super::notes;
use crate::event::stream::Stream;
use crate::event::{
    BackendFinished, BackendStarted, Event, Note, Reporter, TrialRecord, VerdictKind,
};
use crate::report::digest::{Digest, NoteKind, ONLY_SIMILAR, Weight};
use crate::report::fault::{print_error, render_place};
use crate::report::style::{DIM, STRONG, out, paint, tame};
use crate::report::totals::{counts_line, peak, print_end, print_note, slow_start};
use crate::report::verdicts::Verdicts;
use std::time::Duration;

/// Collects the events of a backend, and prints them when it has finished.
pub(crate) struct Text {
    verbosity: Verbosity,
    /// The run so far, with the red trials of the backend that is running.
    stream: Stream,
    /// The verdicts of that backend.
    verdicts: Verdicts,
    /// The time in which its first process started.
    start: Duration,
}

impl Text {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            stream: Stream::default(),
            verdicts: Verdicts::default(),
            start: Duration::ZERO,
        }
    }

    fn backend_started(&self, started: &BackendStarted) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let run = &self.stream.run;
        let part = run.partition.as_ref();
        let part = part.map(|part| format!(" (part {}, of {})", tame(part), run.trials));
        out(format!(
            "{} ({} {}): {} trials{}{}",
            paint(STRONG, &started.backend),
            tame(&started.name),
            tame(&started.version),
            started.trials,
            run.of_suite(),
            part.unwrap_or_default()
        ));
        if let Some(core) = run.selection.core_in_words() {
            out(paint(DIM, tame(&core)));
        }
        if started.only_similar {
            out(paint(DIM, ONLY_SIMILAR));
        }
    }

    fn trial(&mut self, trial: &TrialRecord) {
        self.verdicts.add(trial);
        let (is_red, verbose) = (trial.verdict.is_red(), self.verbosity == Verbosity::Verbose);
        if is_red && verbose {
            print_one(&self.stream, trial, trial.again());
        } else if verbose && trial.verdict != VerdictKind::Passed {
            let kind = paint(DIM, trial.verdict.name());
            out(format!("{kind} {}", trial.trial));
        }
        if is_red {
            self.append(Event::Trial(Box::new(trial.clone())));
        }
    }

    /// Keeps an event. The events of a run are in order.
    fn append(&mut self, event: Event) {
        let _ = self.stream.append(event);
    }

    /// Prints the results of a backend that has finished, or ended early.
    fn backend_ended(&mut self, finished: Option<&BackendFinished>) {
        let verdicts = std::mem::take(&mut self.verdicts);
        if let Some(records) = self.stream.backends.last_mut() {
            records.finished = finished.cloned();
        }
        let Some(records) = self.stream.backends.last() else {
            return;
        };
        let (stream, verbosity) = (&self.stream, self.verbosity);
        let failures = Failures {
            stream,
            backend: records,
            verbosity,
            shows_all: "--verbose",
        };
        failures.print(finished.is_some());
        let quiet = verbosity == Verbosity::Quiet;
        let of = Digest::of(stream, records, verdicts);
        notes::print(&of, quiet);
        let stale = finished.map_or(&[][..], |end| &end.stale);
        stale.iter().for_each(|place| out(render_place(place)));
        for note in of.notes.iter().filter(|note| !note.kind.is_of_an_entry()) {
            let is_error = note.weight == Weight::Error;
            let is_error = is_error || (note.kind == NoteKind::Died && finished.is_none());
            print_note(of.name, is_error, note.lines());
        }
        if !quiet {
            out("");
            slow_start(self.start).into_iter().for_each(out);
            if let Some(memory) = records.memory() {
                out(peak(memory));
            }
        }
        match finished {
            Some(finished) => print_end(finished),
            None => {
                let (counts, trials) = (&of.verdicts.counts, records.started.trials);
                out(counts_line(of.name, counts, trials));
            }
        }
        self.stream.backends.pop();
    }
}

impl Reporter for Text {
    fn note(&mut self, note: Note<'_>) {
        if let Note::StartedIn(_, time) = note {
            self.start = time;
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::BackendStarted(started) => {
                self.append(event.clone());
                self.backend_started(started);
            }
            Event::Trial(trial) => self.trial(trial),
            Event::BackendFinished(finished) => self.backend_ended(Some(finished)),
            Event::BackendNotRun(backend) => {
                self.backend_ended(None);
                print_error(&backend.message);
            }
            Event::RunStopped(_) => self.backend_ended(None),
            Event::RunStarted(_)
            | Event::Clause(_)
            | Event::Question(_)
            | Event::Case(_)
            | Event::Finding(_)
            | Event::BackendDied(_) => self.append(event.clone()),
            Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::Unknown => {}
        }
    }
}
