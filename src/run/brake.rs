//! The brake: a backend that fails again and again, or often enough, is asked no more.

use super::result::TrialResult;
use crate::event::VerdictKind;
use std::sync::atomic::{AtomicBool, Ordering};

/// When to stop asking a backend.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BrakeLimits {
    /// After this many failures of its process in a row, of the same kind and with the same message; 0 for never.
    pub(crate) process_failures: usize,
    /// After this many failures; `None` for never.
    pub(crate) failures: Option<usize>,
}

/// Watches the results of one backend.
pub(crate) struct Brake<'a> {
    limits: BrakeLimits,
    /// Set when no further group is to run.
    stop: &'a AtomicBool,
    /// The process failure of the last trials: its kind and its message without numbers, and how many trials had it.
    last: (VerdictKind, String),
    in_a_row: usize,
    failures: usize,
    reason: Option<String>,
}

impl<'a> Brake<'a> {
    pub(crate) fn new(limits: BrakeLimits, stop: &'a AtomicBool) -> Self {
        Self {
            limits,
            stop,
            last: (VerdictKind::Passed, String::new()),
            in_a_row: 0,
            failures: 0,
            reason: None,
        }
    }

    /// Why the backend is asked no more; `None` if it ran to its end.
    pub(crate) fn reason(self) -> Option<String> {
        self.reason
    }

    /// Notes a result. Known failures, and trials that are not run, say nothing of how the backend is.
    pub(crate) fn note(&mut self, result: &TrialResult) {
        let kind = result.kind();
        if kind.is_red() {
            self.failures += 1;
            self.note_process_failure(result);
        } else if matches!(kind, VerdictKind::Passed | VerdictKind::Recorded) {
            self.in_a_row = 0;
        }
        if self
            .limits
            .failures
            .is_some_and(|most| self.failures >= most)
        {
            self.pull(format!("{} failures (--max-failures)", self.failures));
        }
    }

    fn note_process_failure(&mut self, result: &TrialResult) {
        let outcome = result.outcome.as_ref();
        let Some(failure) = outcome.and_then(|outcome| outcome.process_failure()) else {
            self.in_a_row = 0;
            return;
        };
        let first = failure.what.lines().next().unwrap_or_default();
        let message: String = first.chars().filter(|c| !c.is_ascii_digit()).collect();
        let this = (result.kind(), message);
        if self.last == this {
            self.in_a_row += 1;
        } else {
            (self.last, self.in_a_row) = (this, 1);
        }
        let most = self.limits.process_failures;
        if most > 0 && self.in_a_row >= most {
            let (in_a_row, kind) = (self.in_a_row, result.kind().name());
            self.pull(format!(
                "{in_a_row} trials in a row {kind}: {first} (--give-up-after)"
            ));
        }
    }

    fn pull(&mut self, reason: String) {
        self.reason.get_or_insert(reason);
        self.stop.store(true, Ordering::Relaxed);
    }
}
