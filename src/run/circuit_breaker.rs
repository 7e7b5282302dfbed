//! The circuit breaker: stops a backend that fails again and again, or often enough.

use super::result::TrialResult;
use super::workers::Report;
use crate::backend::UnattributedFailures;
use crate::event::shorten::{process_failure_in_short, without_numbers};
use crate::event::{NotRun, is_alike};
use crate::semantics::outcome::ProcessFailure;
use std::sync::atomic::{AtomicBool, Ordering};

/// When to stop a backend.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BrakeLimits {
    /// After this many process failures in a row, of the same kind and with the same message. They are in trials, or
    /// outside them in one model after another. 0 for never.
    pub(crate) process_failures: usize,
    /// After this many failures; `None` for never.
    pub(crate) failures: Option<usize>,
}

/// Watches the results of one backend.
pub(crate) struct CircuitBreaker<'a> {
    limits: BrakeLimits,
    /// Set when no further group may run.
    stop: &'a AtomicBool,
    /// The process failure of the last trials, with its kind.
    in_trials: InARow,
    /// The last failure that belongs to no trial.
    outside_trials: InARow,
    failures: usize,
    /// Why the backend was stopped, in a word and in full; `None` if it ran to its end.
    pub(crate) reason: Option<(NotRun, String)>,
}

impl<'a> CircuitBreaker<'a> {
    pub(crate) fn new(limits: BrakeLimits, stop: &'a AtomicBool) -> Self {
        Self {
            limits,
            stop,
            in_trials: InARow::default(),
            outside_trials: InARow::default(),
            failures: 0,
            reason: None,
        }
    }

    /// The result in a report of this adapter's worker. Other reports are noted here.
    pub(crate) fn result_in(&mut self, report: Report, adapter: &str) -> Option<TrialResult> {
        match report {
            Report::Result(result) => return Some(*result),
            Report::Unattributed { failures, again } => self.note_unattributed(&failures, again),
            Report::Gone(why) => {
                self.pull(NotRun::DidNotStart, format!("adapter '{adapter}' {why}"));
            }
        }
        None
    }

    /// Notes a result. Known failures, and trials that did not run, reveal nothing about the backend.
    pub(crate) fn note(&mut self, result: &TrialResult) {
        let kind = result.kind();
        if kind.is_red() {
            self.failures += 1;
            self.note_process_failure(result);
        } else if kind.passes() {
            self.in_trials.times = 0;
        }
        let most = self.limits.failures;
        if most.is_some_and(|most| self.failures >= most) {
            self.give_up(format!("{} failures (--max-failures)", self.failures));
        }
    }

    fn note_process_failure(&mut self, result: &TrialResult) {
        let outcome = result.outcome.as_ref();
        let Some(failure) = outcome.and_then(|outcome| outcome.process_failure()) else {
            self.in_trials.times = 0;
            return;
        };
        let failure = format!("{}: {}", result.kind().name(), in_short(failure));
        let in_a_row = self.in_trials.add(&failure, 1);
        if self.is_enough(in_a_row) {
            self.give_up(format!(
                "{in_a_row} trials in a row {failure} (--give-up-after)"
            ));
        }
    }

    /// Notes failures that belong to no trial. `again` is whether one of the previous groups of trials had some, too.
    /// Results in between do not reset them: a process that always dies after its answer fails no trial.
    fn note_unattributed(&mut self, failures: &UnattributedFailures, again: bool) {
        if !again {
            self.outside_trials.times = 0;
        }
        for death in failures.deaths() {
            let failure = &in_short(&death.last);
            let times = usize::try_from(death.times).unwrap_or(usize::MAX);
            let in_a_row = self.outside_trials.add(failure, times);
            if self.is_enough(in_a_row) {
                self.give_up(format!(
                    "it failed {in_a_row} times in a row where no trial can be blamed, such as while it released a \
                     model: {failure} (--give-up-after)"
                ));
            }
        }
    }

    fn is_enough(&self, in_a_row: usize) -> bool {
        let most = self.limits.process_failures;
        most > 0 && in_a_row >= most
    }

    fn give_up(&mut self, reason: String) {
        self.pull(NotRun::GivenUp, reason);
    }

    fn pull(&mut self, why: NotRun, reason: String) {
        self.reason.get_or_insert((why, reason));
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Failures in a row with the same message, except for its numbers.
#[derive(Default)]
struct InARow {
    /// The last message.
    message: String,
    times: usize,
}

impl InARow {
    /// Adds failures. Returns the number in a row with this message.
    fn add(&mut self, message: &str, times: usize) -> usize {
        if !is_alike(&self.message, message) {
            let message = message.to_owned();
            *self = Self { message, times: 0 };
        }
        self.times = self.times.saturating_add(times);
        self.times
    }
}

fn in_short(failure: &ProcessFailure) -> String {
    process_failure_in_short(&failure.what, &failure.log, without_numbers)
}
