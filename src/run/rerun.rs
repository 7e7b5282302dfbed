//! Running trials again, in new instances of the backend, several concurrently.

use super::participant::Participant;
use super::workers::{Report, did_not_start, run_groups};
use crate::backend::{About, UnattributedFailures};
use crate::error::Error;
use crate::event::VerdictKind;
use crate::suite::trial::Group;
use crate::threads::in_threads;
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The verdict of each trial that ran again, by its name. After an interrupt, trials are missing.
pub(super) type Verdicts = HashMap<String, VerdictKind>;

/// Runs trials again.
#[derive(Clone, Copy)]
pub(super) struct Rerun<'a> {
    pub(super) participant: &'a Participant,
    pub(super) about: &'a About,
    /// The number of concurrent instances.
    pub(super) jobs: usize,
    /// Set when the run must end early.
    pub(super) stop: &'a AtomicBool,
    /// When no further group may begin; `None` for never.
    pub(super) deadline: Option<Instant>,
}

impl Rerun<'_> {
    /// Runs the groups of each of these instances in order, with as many concurrent instances as there are jobs.
    pub(super) fn instances(
        &self,
        instances: &[Vec<Group>],
        unattributed: &mut UnattributedFailures,
    ) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for some in instances.chunks(self.jobs) {
            for (seen, failures) in in_threads(some, |groups| self.instance(groups)) {
                verdicts.extend(seen);
                unattributed.extend(failures);
            }
        }
        verdicts
    }

    /// Runs groups in order in a new instance, until it must end.
    pub(super) fn instance(&self, groups: &[Group]) -> (Verdicts, UnattributedFailures) {
        let mut verdicts = Verdicts::new();
        if self.has_ended() {
            return (verdicts, UnattributedFailures::default());
        }
        let backend = match (self.participant.start)() {
            Ok(backend) => backend,
            Err(error) => return (verdicts, did_not_start(&error)),
        };
        let unattributed = run_groups(
            groups.iter().cloned().take_while(|_| !self.has_ended()),
            self.participant,
            backend,
            self.about,
            (1, self.stop),
            &mut |report| {
                if let Report::Result(result) = report {
                    verdicts.insert(result.trial.to_string(), result.verdict.kind());
                }
            },
        );
        let unattributed = unattributed.unwrap_or_else(|error| {
            // If a worker panicked, this run panics.
            if !matches!(error, Error::System(_)) {
                resume_unwind(Box::new(error.to_string()));
            }
            did_not_start(&error)
        });
        (verdicts, unattributed)
    }

    /// Whether it must end early.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether no further group may begin.
    pub(super) fn has_ended(&self) -> bool {
        let is_late = |deadline| Instant::now() >= deadline;
        self.is_stopped() || self.deadline.is_some_and(is_late)
    }
}
