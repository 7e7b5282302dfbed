//! Workers: groups of trials in, results out. Each has an instance of the backend, and takes a group when it is free.

use super::calls::run_calls;
use super::history::LastTrials;
use super::participant::Participant;
use super::result::{Position, TrialResult};
use crate::backend::{About, Backend, UnattributedFailures, contradiction};
use crate::error::Error;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use crate::suite::trial::{Group, Trial};
use crate::tensor::Tensor;
use crate::verdict::judge::{Verdict, judge_trial};
use crate::verdict::known_failures::{Classification, OfVersion};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Instant;

/// The most results that wait for the receiver.
const WAITING_RESULTS: usize = 1024;

/// The most groups without an unattributed failure between two that count as in a row. A process that has just
/// restarted may not fail immediately.
const MAX_BETWEEN: usize = 1;

/// A report of a worker, sent immediately.
pub(crate) enum Report {
    Result(Box<TrialResult>),
    /// A failure during the trials of a group that belongs to no trial.
    Unattributed {
        failures: UnattributedFailures,
        /// Whether such a failure also occurred in one of the worker's previous groups: see [`MAX_BETWEEN`].
        again: bool,
    },
    /// Why its instance is gone. It runs no further trial.
    Gone(String),
}

/// Runs groups of trials through a participant, until `stop` is set. `first` is its first instance. `told` gets the
/// workers' reports, in this thread. Returns all failures that belong to no trial. Fails when no worker can be started,
/// or one panics. Then trials may have no result.
pub(crate) fn run_groups(
    groups: impl Iterator<Item = Group> + Send,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &About,
    workers: (usize, &AtomicBool),
    told: &mut dyn FnMut(Report),
) -> Result<UnattributedFailures, Error> {
    let (report_in, report_out) = bounded::<Report>(WAITING_RESULTS);
    let tell = move || -> Tell<'_> {
        let report_in = report_in.clone();
        // If nobody receives it, a panic ends this run.
        Box::new(move |report| drop(report_in.send(report)))
    };
    let take_all = || report_out.into_iter().for_each(told);
    run_workers(groups, participant, first, about, workers, tell, take_all)
}

/// The receiver of a worker's reports.
pub(crate) type Tell<'a> = Box<dyn Fn(Report) + Send + 'a>;

/// As `run_groups`, but the workers report in their own threads. Starts them, does `meanwhile` in this thread, and waits
/// for them. `tell` creates a receiver for each worker, and is dropped before `meanwhile`. Fails as [`run_groups`] does.
pub(crate) fn run_workers<'t>(
    groups: impl Iterator<Item = Group> + Send,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &About,
    (jobs, stop): (usize, &AtomicBool),
    tell: impl Fn() -> Tell<'t>,
    meanwhile: impl FnOnce(),
) -> Result<UnattributedFailures, Error> {
    // Declared first, so that the workers also stop if this thread panics.
    let _stop = StopAtPanic(stop);
    let known = participant.known_failures.as_ref();
    let known = known.filter(|known| known.quarantines());
    let groups = Mutex::new(groups.fuse());
    let first = Mutex::new(Some(first));
    let instance = || {
        let first = first.lock().ok().and_then(|mut first| first.take());
        first.map_or_else(|| (participant.start)(), Ok)
    };
    std::thread::scope(|scope| {
        let (back_in, back_out) = unbounded::<Group>();
        let spawn = |number| {
            let worker = Worker {
                number,
                about,
                quarantine: known.map(|known| known.of_version(&about.version)),
                stop,
                groups: &groups,
                given_back: back_out.clone(),
                tell: tell(),
            };
            let give_back = back_in.clone();
            Builder::new().spawn_scoped(scope, move || {
                let _stop = StopAtPanic(stop);
                worker.run(instance, give_back)
            })
        };
        let (mut workers, mut unattributed) = (Vec::new(), UnattributedFailures::default());
        for worker in (0..jobs).map(spawn) {
            match worker {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    let error = Error::no_thread(&error);
                    if workers.is_empty() {
                        return Err(error);
                    }
                    unattributed.extend(did_not_start(&error));
                    break;
                }
            }
        }
        drop((back_in, tell));
        meanwhile();
        let mut panicked = None;
        for worker in workers {
            match worker.join() {
                Ok(more) => unattributed.extend(more),
                Err(panic) => drop(panicked.get_or_insert(panic)),
            }
        }
        match panicked {
            None => Ok(unattributed),
            Some(panic) => Err(Error::of_panic("a worker", panic.as_ref())),
        }
    })
}

/// Stops the other workers when its thread panics, because the run is lost.
struct StopAtPanic<'a>(&'a AtomicBool);

impl Drop for StopAtPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

struct Worker<'a> {
    number: usize,
    about: &'a About,
    /// The known failures, if some of them quarantine trials.
    quarantine: Option<OfVersion<'a>>,
    /// Set when no further group may run.
    stop: &'a AtomicBool,
    /// The groups that no worker has taken yet, generated on demand.
    groups: &'a Mutex<dyn Iterator<Item = Group> + Send + 'a>,
    /// The groups that workers without an instance gave back. It closes when each has one, or has failed to get one.
    given_back: Receiver<Group>,
    tell: Tell<'a>,
}

impl Worker<'_> {
    /// Runs groups until no group is left. `start` starts the backend.
    fn run(
        self,
        start: impl FnOnce() -> Result<Box<dyn Backend + Send>, Error>,
        give_back: Sender<Group>,
    ) -> UnattributedFailures {
        // An instance starts only when there is work for it.
        let Some(first) = self.untaken_group() else {
            return UnattributedFailures::default();
        };
        match start() {
            Ok(backend) => {
                drop(give_back);
                let (about, said) = (backend.about(), self.about);
                match contradiction((&said.name, &said.version), (&about.name, &about.version)) {
                    None => self.run_all(backend, first),
                    Some(why) => self.gone(why),
                }
            }
            // Stopped while it started, so the trials do not run.
            Err(Error::Incomplete(_)) => UnattributedFailures::default(),
            // The participant's first instance did start, so another worker takes the group.
            Err(error) => {
                let _ = give_back.send(first);
                did_not_start(&error)
            }
        }
    }

    /// Runs `first` and all further groups.
    fn run_all(&self, mut backend: Box<dyn Backend + Send>, first: Group) -> UnattributedFailures {
        let mut current = first;
        let mut unattributed = UnattributedFailures::default();
        let (mut since_failure, mut last) = (usize::MAX, LastTrials::default());
        for number in 0.. {
            let group = self.prepare(current);
            last.add(group.iter().map(|(trial, _)| trial.clone()));
            self.run_group(backend.as_mut(), number, &group);
            let failures = backend.take_unattributed().named(|calls| last.names(calls));
            if !failures.all().is_empty() {
                (self.tell)(Report::Unattributed {
                    failures: failures.clone(),
                    again: since_failure <= MAX_BETWEEN,
                });
                since_failure = 0;
            } else {
                since_failure = since_failure.saturating_add(1);
            }
            unattributed.extend(failures);
            if let Some(why) = backend.gone() {
                unattributed.extend(self.gone(why));
                break;
            }
            let next = self.untaken_group();
            match next.or_else(|| self.given_back.recv().ok()) {
                Some(next) if !self.stop.load(Ordering::Relaxed) => current = next,
                Some(_) | None => break,
            }
        }
        unattributed.extend(backend.finish().named(|calls| last.names(calls)));
        unattributed
    }

    /// Reports why its instance is gone.
    fn gone(&self, why: String) -> UnattributedFailures {
        (self.tell)(Report::Gone(why.clone()));
        UnattributedFailures::not_started(why)
    }

    fn untaken_group(&self) -> Option<Group> {
        // After a panic in it, it continues with the next group.
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.next()
    }

    /// The trials of a group to run, with their data. The results of the others are sent.
    fn prepare(&self, group: Group) -> Vec<(Trial, Tensor)> {
        let mut prepared = Vec::with_capacity(group.trials.len());
        let (supports, sample) = (&self.about.supports, self.about.supports.sample);
        let is_left_out = |of: &Trial| sample.is_some_and(|all| !all.takes(&of.to_string()));
        for trial in group.trials {
            if !supports.takes(&trial) {
                let way = (trial.binding, trial.surrounding);
                let reason = supports.unavailable(trial.request(), way);
                self.send(TrialResult {
                    unavailable: reason.map(str::to_owned),
                    ..TrialResult::skipped(trial, Classification::Unknown)
                });
                continue;
            }
            let known = self.quarantine.as_ref();
            if let Some(quarantined) = known.and_then(|of| of.quarantined(&trial.to_string())) {
                self.send(TrialResult::skipped(trial, quarantined));
                continue;
            }
            match trial
                .case
                .data_up_to(trial.element_type, supports.most_data())
            {
                Ok(data) if !supports.takes_data(&trial, &data) => {
                    self.send(TrialResult::skipped(trial, Classification::Unknown));
                }
                Ok(_) if is_left_out(&trial) => self.send(TrialResult {
                    outside_sample: sample,
                    ..TrialResult::skipped(trial, Classification::Unknown)
                }),
                Ok(data) => prepared.push((trial, data)),
                // The reader of the case has checked every literal. If one is wrong nevertheless, the trial counts.
                Err(why) => {
                    let what = format!("the case's data cannot be materialized: {why}");
                    let outcome = Outcome::ProtocolError(ProcessFailure::without_log(what));
                    self.send(TrialResult::new(trial, outcome, Verdict::ProtocolError));
                }
            }
        }
        prepared
    }

    /// Runs the group of this number and sends the judged results.
    fn run_group(&self, backend: &mut dyn Backend, number: usize, group: &[(Trial, Tensor)]) {
        let calls: Vec<_> = group.iter().map(|(trial, data)| trial.call(data)).collect();
        let mut last = Instant::now();
        run_calls(backend, &calls, &mut |index, outcome| {
            let (trial, data) = &group[index];
            let verdict = judge_trial(trial, data, &outcome);
            let now = Instant::now();
            self.send(TrialResult {
                duration: now - last,
                position: Some(Position {
                    worker: self.number,
                    group: number,
                    call: index,
                }),
                ..TrialResult::new(trial.clone(), outcome, verdict)
            });
            last = now;
        });
    }

    fn send(&self, result: TrialResult) {
        (self.tell)(Report::Result(Box::new(result)));
    }
}

/// The failure of an instance that did not start while others did.
pub(super) fn did_not_start(error: &Error) -> UnattributedFailures {
    UnattributedFailures::not_started(format!("another instance did not start: {error}"))
}
