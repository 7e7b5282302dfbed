//! Which call caused a failure: what was in flight is suspect, and each suspect runs again alone in a fresh child.

use super::child::Trouble;
use super::pipeline::{Interruption, Suspects, finish_all};
use super::supervisor::Supervisor;
use crate::backend::unattributed_failures::UnattributedFailures;
use crate::spec::outcome::Outcome;
use crate::spec::request::Call;
use std::collections::VecDeque;

/// Runs calls, and attributes every failure of the child to the call that caused it.
#[derive(Debug)]
pub(super) struct Blame {
    supervisor: Supervisor,
    /// Failures that a fresh child did not repeat.
    unattributed: UnattributedFailures,
}

impl Blame {
    pub(super) fn new(supervisor: Supervisor) -> Self {
        Self {
            supervisor,
            unattributed: UnattributedFailures::default(),
        }
    }

    /// Whether the run was stopped. Calls get no outcome then.
    pub(super) fn is_stopped(&self) -> bool {
        self.supervisor.is_stopped()
    }

    /// Why no child runs any more; `None` as long as one can. Calls get no outcome then.
    pub(super) fn gone(&self) -> Option<String> {
        self.supervisor.gone()
    }

    /// Runs one call alone. If the child fails, runs it once more in a child that did nothing else. Gives no outcome if the
    /// run was stopped, or no child runs any more.
    pub(super) fn run_alone(&mut self, call: &Call<'_>) -> Option<Outcome> {
        let mut before = None;
        loop {
            let Some(pipeline) = self.supervisor.running() else {
                self.note_unattributed(before);
                return None;
            };
            let fresh = !pipeline.used();
            let mut outcome = None;
            let ran = pipeline.run(
                std::slice::from_ref(call),
                &mut VecDeque::from([0]),
                &mut |_, reported| outcome = Some(reported),
            );
            match (ran, outcome) {
                (_, Some(outcome)) => {
                    self.note_unattributed(before);
                    return Some(outcome);
                }
                (Err(interruption), None) => {
                    let outcome = self.end(&interruption);
                    if fresh || outcome.is_none() {
                        return outcome;
                    }
                    before = outcome;
                }
                (Ok(()), None) => {
                    let trouble = Trouble::Protocol("no answer".to_owned());
                    return self.supervisor.end(&trouble);
                }
            }
        }
    }

    /// Runs calls that share a model. Those that the run was stopped before, or no child runs any more for, get no outcome.
    pub(super) fn run_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        let mut waiting: VecDeque<usize> = (0..calls.len()).collect();
        // The failure of a compilation or a sequence in a child that had done something else before.
        let mut before = None;
        while !waiting.is_empty() {
            let Some(pipeline) = self.supervisor.running() else {
                self.note_unattributed(before);
                return;
            };
            let fresh = !pipeline.used();
            let Err(interruption) = pipeline.run(calls, &mut waiting, done) else {
                self.note_unattributed(before.take());
                continue;
            };
            let Some(outcome) = self.end(&interruption) else {
                return;
            };
            match interruption.suspects {
                // The cause may be earlier (a release that crashes the child, one reply too many): try it again in a fresh
                // child.
                Suspects::Compilation | Suspects::Sequence { beside: true, .. } if !fresh => {
                    before = Some(outcome);
                }
                // All waiting calls need this compilation.
                Suspects::Compilation => finish_all(&mut waiting, &outcome, done),
                Suspects::OneRun | Suspects::Sequence { .. } => {
                    // That a sequence failed before, after something else, is explained with it.
                    let is_explained = matches!(interruption.suspects, Suspects::Sequence { .. });
                    self.note_unattributed(before.take().filter(|_| !is_explained));
                    if let Some(index) = waiting.pop_front() {
                        done(index, outcome);
                    }
                }
                Suspects::Runs(count) => {
                    self.note_unattributed(before.take());
                    if !self.repeats(calls, waiting.drain(..count), done) {
                        self.note_unattributed(Some(outcome));
                    }
                }
            }
        }
    }

    /// Ends the child. Gives the outcome of an interruption; `None` if the run was stopped.
    fn end(&mut self, interruption: &Interruption) -> Option<Outcome> {
        let outcome = self.supervisor.end(&interruption.trouble);
        match interruption.suspects {
            Suspects::Sequence { place, .. } => outcome.map(|of| of.failed_at(place)),
            Suspects::Compilation | Suspects::OneRun | Suspects::Runs(_) => outcome,
        }
    }

    /// Runs each suspect alone. Returns whether one of them failed again.
    fn repeats(
        &mut self,
        calls: &[Call<'_>],
        suspects: impl Iterator<Item = usize>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> bool {
        let mut repeated = false;
        for index in suspects {
            let Some(outcome) = self.run_alone(&calls[index]) else {
                break;
            };
            repeated |= outcome.process_failure().is_some();
            done(index, outcome);
        }
        repeated
    }

    fn note_unattributed(&mut self, outcome: Option<Outcome>) {
        if let Some(failure) = outcome.as_ref().and_then(Outcome::process_failure) {
            self.unattributed.add(failure.clone());
        }
    }

    /// Takes the failures that belong to no call.
    pub(super) fn take_unattributed(&mut self) -> UnattributedFailures {
        std::mem::take(&mut self.unattributed)
    }

    /// Ends the child. Returns the failures that belong to no call, and resets them.
    pub(super) fn finish(&mut self) -> UnattributedFailures {
        if let Some(failure) = self.supervisor.finish() {
            self.unattributed.add(failure);
        }
        self.take_unattributed()
    }

    /// Ends the child with a `bye` that it must answer. Returns its exit status in words.
    ///
    /// # Errors
    /// When the child was not running, or did not answer as it should.
    pub(super) fn farewell(&mut self) -> Result<String, String> {
        self.supervisor.farewell()
    }
}
