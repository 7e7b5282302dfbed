//! The backend in a child process, and which call caused a failure: every call in flight is suspect, and each suspect runs
//! again alone in a fresh child.

use super::child::ChildEnd;
use super::options::ProcessOptions;
use super::pipeline::{Interruption, Suspects, finish_all};
use super::supervisor::{Supervisor, start};
use crate::backend::declaration::Declaration;
use crate::backend::interface::{About, Backend, UnattributedFailure, UnattributedFailures};
use crate::backend::wire;
use crate::error::Error;
use crate::model::call::Call;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use std::collections::VecDeque;

/// A child process that speaks the adapter protocol.
#[derive(Debug)]
pub struct ProcessBackend {
    about: About,
    /// Whether the backend only infers shapes.
    pub(crate) infer_only: bool,
    /// The fields of its `hello` that nothing reads, each with what it may be meant for.
    pub(crate) unread: Vec<String>,
    supervisor: Supervisor,
    /// The number of calls before the current ones.
    calls: usize,
    /// The number of the first call that the child received.
    first: usize,
    /// Failures that a fresh child did not repeat.
    unattributed: UnattributedFailures,
}

impl ProcessBackend {
    /// Starts the adapter, and checks its handshake.
    ///
    /// # Errors
    /// When it does not start, or its handshake breaks the protocol or differs from its manifest.
    pub fn start(options: ProcessOptions) -> Result<Self, Error> {
        let (child, hello, unread) = start(&options)?;
        if hello.protocol != wire::VERSION {
            return Err(options.protocol_error(format!(
                "it requires protocol {}, but this runner speaks {}",
                hello.protocol,
                wire::VERSION
            )));
        }
        let (interface, limits) = (hello.interface(), hello.limits.clone());
        let declared = Declaration::of(interface, &hello.supports, limits);
        if let Some(manifest) = &options.manifest
            && let Some(difference) = manifest.difference(&declared)
        {
            return Err(options.start_error(format!(
                "does not agree with its manifest in its handshake: {difference}"
            )));
        }
        let mut supports = match &options.manifest {
            Some(manifest) => manifest.supports.clone(),
            None => declared.supports.stated(&options.stated),
        };
        let narrowed = hello.narrow(&mut supports);
        narrowed.map_err(|what| options.protocol_error(what))?;
        Ok(Self {
            supervisor: Supervisor::new(options, child, &hello),
            about: About {
                name: hello.backend.name,
                version: hello.backend.version,
                supports,
            },
            infer_only: hello.infer_only,
            unread,
            calls: 0,
            first: 0,
            unattributed: UnattributedFailures::default(),
        })
    }

    /// Ends the child with a `bye` that it must answer. Returns its exit status in words.
    ///
    /// # Errors
    /// When the child was not running, or did not answer correctly.
    pub fn farewell(mut self) -> Result<String, String> {
        self.supervisor.farewell()
    }

    /// Runs the call with this number alone. If the child fails, runs it once more in a fresh child. Gives no outcome if
    /// the run was stopped, or if no child can run any more.
    fn run_numbered(&mut self, call: &Call<'_>, number: usize) -> Option<Outcome> {
        let mut before = None;
        loop {
            let Some(pipeline) = self.supervisor.running() else {
                self.note_unattributed(before);
                return None;
            };
            let fresh = !pipeline.used;
            if fresh {
                self.first = number;
            }
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
                    before = self.death(outcome.as_ref(), interruption.doing(), number + 1);
                }
                (Ok(()), None) => {
                    let end_reason = ChildEnd::Protocol("no answer".to_owned());
                    return self.supervisor.end(&end_reason);
                }
            }
        }
    }

    /// Runs calls that share a model. Calls get no outcome if the run was stopped, or if no child can run any more.
    fn run_waiting(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        let mut waiting: VecDeque<usize> = (0..calls.len()).collect();
        // The failure of a compilation or a sequence in a child that had handled other requests before.
        let mut before = None;
        while let Some(next) = waiting.front().copied() {
            let Some(pipeline) = self.supervisor.running() else {
                self.note_unattributed(before);
                return;
            };
            let fresh = !pipeline.used;
            if fresh {
                self.first = self.calls + next;
            }
            let Err(interruption) = pipeline.run(calls, &mut waiting, done) else {
                self.note_unattributed(before.take());
                continue;
            };
            let Some(outcome) = self.end(&interruption) else {
                return;
            };
            let sent = self.calls + waiting.get(interruption.sent() - 1).unwrap_or(&next) + 1;
            let death = self.death(Some(&outcome), interruption.doing(), sent);
            match interruption.suspects {
                // The cause may be earlier (a release that crashes the child, say), so try it again in a fresh child.
                Suspects::Compilation
                | Suspects::Sequence {
                    concurrent: true, ..
                } if !fresh => {
                    before = death;
                }
                // All waiting calls need this compilation.
                Suspects::Compilation => finish_all(&mut waiting, &outcome, done),
                Suspects::OneRun | Suspects::Sequence { .. } => {
                    // The failure of a sequence after other requests is explained together with it.
                    let is_explained = matches!(interruption.suspects, Suspects::Sequence { .. });
                    self.note_unattributed(before.take().filter(|_| !is_explained));
                    if let Some(index) = waiting.pop_front() {
                        done(index, outcome);
                    }
                }
                Suspects::Runs(count) => {
                    self.note_unattributed(before.take());
                    if !self.repeats(calls, waiting.drain(..count), done) {
                        self.note_unattributed(death);
                    }
                }
            }
        }
    }

    /// Ends the child. Returns the outcome of an interruption; `None` if the run was stopped.
    fn end(&mut self, interruption: &Interruption) -> Option<Outcome> {
        let outcome = self.supervisor.end(&interruption.end_reason);
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
            let Some(outcome) = self.run_numbered(&calls[index], self.calls + index) else {
                break;
            };
            repeated |= outcome.process_failure().is_some();
            done(index, outcome);
        }
        repeated
    }

    /// The child's end with this outcome, which is no trial's outcome unless a trial repeats it. `sent` is the number
    /// after the last call that it received.
    fn death(
        &self,
        outcome: Option<&Outcome>,
        doing: String,
        sent: usize,
    ) -> Option<UnattributedFailure> {
        Some(UnattributedFailure {
            doing,
            calls: self.first..sent,
            ..UnattributedFailure::once(outcome?.process_failure()?.clone())
        })
    }

    fn note_unattributed(&mut self, death: Option<UnattributedFailure>) {
        death.into_iter().for_each(|of| self.unattributed.add(of));
    }
}

impl Backend for ProcessBackend {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        let outcome = self.run_numbered(call, self.calls);
        self.calls += 1;
        outcome.unwrap_or_else(|| {
            let gone = self.gone();
            let what = gone.unwrap_or_else(|| "stopped by the user".to_owned());
            Outcome::Crashed(ProcessFailure::without_log(what))
        })
    }

    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        self.run_waiting(calls, done);
        self.calls += calls.len();
    }

    fn is_stopped(&self) -> bool {
        self.supervisor.options.is_stopped()
    }

    fn gone(&self) -> Option<String> {
        self.supervisor.gone.clone()
    }

    fn take_unattributed(&mut self) -> UnattributedFailures {
        std::mem::take(&mut self.unattributed)
    }

    fn finish(&mut self) -> UnattributedFailures {
        if let Some(failure) = self.supervisor.finish() {
            self.unattributed.add(UnattributedFailure {
                at_end: true,
                calls: self.first..self.calls,
                ..UnattributedFailure::once(failure)
            });
        }
        self.take_unattributed()
    }
}

impl Drop for ProcessBackend {
    fn drop(&mut self) {
        self.finish();
    }
}
