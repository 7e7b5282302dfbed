//! Workers: groups of trials in, results out. Each worker has an instance of the backend.

use super::calls::run_calls;
use super::participant::Participant;
use super::result::TrialResult;
use crate::backend::{About, Backend, UnattributedFailures};
use crate::error::Error;
use crate::spec::outcome::{Outcome, ProcessFailure};
use crate::suite::trial::{Group, Trial};
use crate::tensor::Tensor;
use crate::verdict::judge::{Verdict, judge};
use crate::verdict::known_failures::{Classification, KnownFailures};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Groups that wait for a worker, per worker.
const WAITING_GROUPS: usize = 4;
/// Results that wait to be taken.
const WAITING_RESULTS: usize = 1024;

/// Runs groups of trials through a participant, until `stop` is set. `first` is its first instance; `done` gets each result as
/// it comes. Returns the failures that belong to no trial.
pub(crate) fn run_groups(
    groups: impl Iterator<Item = Group> + Send,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &About,
    (jobs, stop): (usize, &AtomicBool),
    done: &mut dyn FnMut(TrialResult),
) -> UnattributedFailures {
    let known = participant.known_failures.as_ref();
    let (group_in, group_out) = bounded::<Group>(jobs * WAITING_GROUPS);
    let (result_in, result_out) = bounded::<TrialResult>(WAITING_RESULTS);
    let first = Mutex::new(Some(first));
    let instance = || {
        let first = first.lock().ok().and_then(|mut first| first.take());
        first.map_or_else(|| (participant.start)(), Ok)
    };
    std::thread::scope(|scope| {
        let spawn = |_| {
            let worker = Worker {
                about,
                quarantine: known.filter(|known| known.quarantines()),
                stop,
                groups: group_out.clone(),
                results: result_in.clone(),
            };
            scope.spawn(|| worker.run(instance))
        };
        let workers: Vec<_> = (0..jobs).map(spawn).collect();
        drop((group_out, result_in));
        scope.spawn(move || {
            for group in groups {
                if group_in.send(group).is_err() {
                    return;
                }
            }
        });
        result_out.into_iter().for_each(done);
        let mut unattributed = UnattributedFailures::default();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .for_each(|more| unattributed.extend(more));
        unattributed
    })
}

struct Worker<'a> {
    about: &'a About,
    /// The known failures, if some of them keep trials from running.
    quarantine: Option<&'a KnownFailures>,
    /// Set when no further group is to run.
    stop: &'a AtomicBool,
    groups: Receiver<Group>,
    results: Sender<TrialResult>,
}

/// A trial with its data.
struct PreparedTrial {
    trial: Trial,
    data: Tensor,
}

impl Worker<'_> {
    /// Runs groups until there are none left. `start` starts the backend.
    fn run(
        self,
        start: impl FnOnce() -> Result<Box<dyn Backend + Send>, Error>,
    ) -> UnattributedFailures {
        // An instance starts only when there is work for it.
        let Ok(first) = self.groups.recv() else {
            return UnattributedFailures::default();
        };
        match start() {
            Ok(backend) => self.run_all(backend, first),
            // Stopped while it started: the trials are not run.
            Err(Error::Incomplete(_)) => UnattributedFailures::default(),
            Err(error) => {
                self.fail_all(first, &error);
                UnattributedFailures::default()
            }
        }
    }

    /// Runs `first` and all further groups.
    fn run_all(&self, mut backend: Box<dyn Backend + Send>, first: Group) -> UnattributedFailures {
        let mut current = self.prepare(first);
        loop {
            let next = self.groups.recv().ok().map(|group| self.prepare(group));
            if let Some(PreparedTrial { trial, .. }) = next.as_ref().and_then(|next| next.first()) {
                backend.announce(trial.request(), trial.binding);
            }
            self.run_group(backend.as_mut(), &current);
            match next {
                Some(next) if !self.stop.load(Ordering::Relaxed) => current = next,
                Some(_) | None => return backend.finish(),
            }
        }
    }

    /// Fails the trials of `first` and of all further groups. The participant's first instance did start, so the failure
    /// of another one is an outcome.
    fn fail_all(&self, first: Group, error: &Error) {
        let failure = failure(format!("another instance did not start: {error}"));
        let groups = std::iter::once(first).chain(self.groups.iter());
        for trial in groups.flat_map(|group| group.trials) {
            let outcome = Outcome::Crashed(failure.clone());
            self.send(TrialResult::new(trial, outcome, Verdict::Crashed));
        }
    }

    /// The trials of a group that are to run, with their data. The results of the others are sent.
    fn prepare(&self, group: Group) -> Vec<PreparedTrial> {
        let mut prepared = Vec::with_capacity(group.trials.len());
        for trial in group.trials {
            if !self.about.supports.covers(trial.request(), trial.binding) {
                self.send(TrialResult::skipped(trial, Classification::Unknown));
                continue;
            }
            if let Some(quarantined) = self.quarantined(&trial) {
                self.send(TrialResult::skipped(trial, quarantined));
                continue;
            }
            match trial.case.data(trial.element_type) {
                Ok(data) => prepared.push(PreparedTrial { trial, data }),
                // The reader of the case has checked every literal; if one is wrong nevertheless, the trial still counts.
                Err(why) => {
                    let failure = failure(format!("the case's data cannot be made: {why}"));
                    let outcome = Outcome::ProtocolError(failure);
                    self.send(TrialResult::new(trial, outcome, Verdict::ProtocolError));
                }
            }
        }
        prepared
    }

    /// The known failure that keeps a trial from running; `None` if it runs.
    fn quarantined(&self, trial: &Trial) -> Option<Classification> {
        let known = self.quarantine?;
        known.quarantined(&trial.to_string(), &self.about.version, &known.unmatched())
    }

    /// Runs a group and sends the judged results.
    fn run_group(&self, backend: &mut dyn Backend, group: &[PreparedTrial]) {
        let calls: Vec<_> = group
            .iter()
            .map(|PreparedTrial { trial, data }| trial.call(data))
            .collect();
        let mut last = Instant::now();
        run_calls(backend, &calls, &mut |index, outcome| {
            let PreparedTrial { trial, data } = &group[index];
            let verdict = judge(trial.expectation(), data, &outcome);
            let now = Instant::now();
            self.send(TrialResult {
                duration: now - last,
                ..TrialResult::new(trial.clone(), outcome, verdict)
            });
            last = now;
        });
    }

    fn send(&self, result: TrialResult) {
        // The receiver outlives every worker.
        let _ = self.results.send(result);
    }
}

fn failure(what: String) -> ProcessFailure {
    ProcessFailure {
        what,
        log: String::new(),
    }
}
