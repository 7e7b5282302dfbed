//! The runner: a suite through backends, as a stream of events. Every selected trial gets exactly one verdict.

pub(crate) mod merge;
pub(crate) mod mutation;
pub(crate) mod record;
pub mod result;
mod vocabulary;

use crate::backend::{About, Backend, UnattributedFailures};
use crate::error::Error;
use crate::event::VerdictKind;
use crate::event::stream::Stream;
use crate::event::{
    self, BackendFinished, BackendStarted, Counts, Event, Place, Reporter, RunFinished, RunStarted,
};
use crate::run::result::{Label, TrialResult};
use crate::spec::operator::Level;
use crate::spec::outcome::{Outcome, ProcessFailure};
use crate::spec::request::{Call, Request};
use crate::suite::Suite;
use crate::suite::case::Expectation;
use crate::suite::plan::{self, Group, Partition, Selection, Trial};
use crate::tensor::Tensor;
use crate::verdict::diagnosis::Observations;
use crate::verdict::judge::{Verdict, judge};
use crate::verdict::known_failures::{Classification, KnownFailures, Matched};
use crossbeam_channel::{Receiver, Sender, bounded};
use record::unattributed_record;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A backend that takes part in a run.
pub struct Participant {
    /// How it was named on the command line.
    pub label: Label,
    /// What it is known to get wrong.
    pub known_failures: Option<KnownFailures>,
    /// Starts an instance; each worker has its own.
    pub start: Box<Start>,
}

/// What starts a backend.
pub type Start = dyn Fn() -> Result<Box<dyn Backend + Send>, Error> + Send + Sync;

impl std::fmt::Debug for Participant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Participant")
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

/// How to run, beyond what.
#[derive(Debug, Default)]
pub struct RunOptions<'a> {
    /// Workers for each participant.
    pub jobs: usize,
    /// The part of the plan that is to be run here, if not the whole.
    pub partition: Option<Partition>,
    /// How often a failed trial is run again.
    pub retries: u32,
    /// The least strict level that makes the run red.
    pub level: Level,
    /// An earlier run: only what got worse since is red.
    pub baseline: Option<&'a Stream>,
    /// The stream of a run that was cut short: what it holds is not run again.
    pub resume: Option<&'a Stream>,
    /// Set when the run is to end early.
    pub stop: Arc<AtomicBool>,
}

/// Runs the selected trials through each participant in turn.
///
/// # Errors
/// When nothing is selected, a participant does not start, or what is to be resumed was another run. What a backend does
/// later is an outcome.
pub fn run(
    suite: &Suite,
    selection: &Selection,
    participants: &[Participant],
    orders: &RunOptions<'_>,
    reporter: &mut dyn Reporter,
) -> Result<Tally, Error> {
    let started = RunStarted {
        level: orders.level,
        backends: participants
            .iter()
            .map(|participant| participant.label.name.to_string())
            .collect(),
        partition: orders.partition.map(|partition| partition.to_string()),
        baseline: orders
            .baseline
            .map(|baseline| baseline.path.display().to_string()),
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0)),
        ..record::started(suite, selection)
    };
    if started.trials == 0 {
        return Err(Error::NothingSelected(
            "no trial has such a name; `list` shows them (a glob is over the whole name: 'zero*/**')".to_owned(),
        ));
    }
    let cases = record::cases(suite, selection);
    // A stream without them is resumed without them.
    let vocabulary = match orders.resume {
        Some(resumed) if resumed.lacks_vocabulary() => Vec::new(),
        Some(_) | None => vocabulary::events(suite, &cases),
    };
    if let Some(resumed) = orders.resume {
        resumed.can_go_on_as(&started)?;
        let planned = part(suite, selection, orders)
            .flat_map(|group| group.trials)
            .map(|trial| trial.to_string())
            .collect();
        resumed.is_a_beginning_of(&vocabulary, &cases, &planned)?;
    }
    let trials = match orders.partition {
        Some(_) => part(suite, selection, orders)
            .map(|group| group.trials.len())
            .sum(),
        None => started.trials,
    };
    let mut total = Tally::default();
    reporter.event(&Event::RunStarted(started));
    vocabulary.iter().for_each(|event| reporter.event(event));
    cases
        .into_iter()
        .for_each(|case| reporter.event(&Event::Case(case)));
    for participant in participants {
        if let Some(done) = orders
            .resume
            .and_then(|resumed| resumed.finished(&participant.label.name))
        {
            // It was all there before the run was cut short.
            done.events().for_each(|event| reporter.event(&event));
            total.counts.add(&done.counts());
            total.stale += done
                .finished
                .as_ref()
                .map_or(0, |finished| finished.stale.len());
            continue;
        }
        let first = (participant.start)()?;
        let about = Arc::new(first.about());
        if let Some(resumed) = orders.resume {
            resumed.is_of(&participant.label.name, &about.name, &about.version)?;
        }
        let (backend, arguments) = (
            Arc::clone(&participant.label.name),
            participant.label.arguments.clone(),
        );
        let (name, version) = (about.name.clone(), about.version.clone());
        reporter.event(&Event::BackendStarted(BackendStarted {
            backend,
            name,
            version,
            trials,
            arguments,
        }));
        let one = ParticipantRun {
            suite,
            selection,
            participant,
            about: &about,
            orders,
        };
        let ended = one.run(first, reporter);
        total.counts.add(&ended.counts);
        total.stale += ended.stale.len();
        if orders.stop.load(Ordering::Relaxed) {
            total.cut_short = true;
            return Ok(total);
        }
        reporter.event(&Event::BackendFinished(ended));
    }
    reporter.event(&Event::RunFinished(RunFinished {
        counts: total.counts.clone(),
    }));
    Ok(total)
}

/// What a run comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All verdicts.
    pub counts: Counts,
    /// Lines of known failures that met no trial.
    pub stale: usize,
    /// Whether it ended before every trial had its verdict.
    pub cut_short: bool,
}

/// The groups of the part that is to be run here.
fn part<'a>(
    suite: &'a Suite,
    selection: &'a Selection,
    orders: &RunOptions<'_>,
) -> Box<dyn Iterator<Item = Group> + Send + 'a> {
    let groups = plan::groups(suite, selection);
    match orders.partition {
        Some(partition) => Box::new(partition.of(groups)),
        None => groups,
    }
}

/// ParticipantRun participant of a run.
struct ParticipantRun<'a> {
    suite: &'a Suite,
    selection: &'a Selection,
    participant: &'a Participant,
    about: &'a Arc<About>,
    orders: &'a RunOptions<'a>,
}

impl ParticipantRun<'_> {
    /// Runs it. (Findings are told only of a run that is whole.)
    fn run(&self, first: Box<dyn Backend + Send>, reporter: &mut dyn Reporter) -> BackendFinished {
        let label = &self.participant.label;
        let known = self.participant.known_failures.as_ref();
        let met = known.map(KnownFailures::unmatched).unwrap_or_default();
        let (mut counts, mut record) = (Counts::default(), Observations::default());
        let done = self
            .orders
            .resume
            .map(|resumed| resumed.trials_of(&label.name))
            .unwrap_or_default();
        let mut groups: Box<dyn Iterator<Item = Group> + Send> =
            part(self.suite, self.selection, self.orders);
        if !done.is_empty() {
            // What was run before is told again; its place in what is known is looked up anew.
            let names: HashSet<&str> = done.iter().map(|told| told.trial.as_str()).collect();
            let trials =
                part(self.suite, self.selection, self.orders).flat_map(|group| group.trials);
            let by_name: HashMap<String, Trial> = trials
                .map(|trial| (trial.to_string(), trial))
                .filter(|(name, _)| names.contains(name.as_str()))
                .collect();
            for told in &done {
                let Some(trial) = by_name.get(&told.trial) else {
                    continue;
                };
                known
                    .into_iter()
                    .for_each(|known| known.record_match(&told.trial, &self.about.version, &met));
                counts.count(told.verdict);
                record.add_record(trial, told);
                reporter.event(&Event::Trial(Box::new((*told).clone())));
            }
            groups = Box::new(groups.filter_map(move |mut group| {
                group
                    .trials
                    .retain(|trial| !by_name.contains_key(&trial.to_string()));
                (!group.trials.is_empty()).then_some(group)
            }));
        }
        let stop = Arc::clone(&self.orders.stop);
        let groups = groups.take_while(move |_| !stop.load(Ordering::Relaxed));
        let mut again = Vec::new();
        let mut take = |result: TrialResult| {
            counts.count(result.kind());
            record.add(&result.trial, result.kind(), result.outcome.as_ref());
            reporter.event(&Event::Trial(Box::new(record::trial_record(
                label, &result,
            ))));
        };
        let mut unattributed = run_groups(
            groups,
            self.participant,
            first,
            self.about,
            self.orders.jobs.max(1),
            &mut |mut result| {
                self.stand(&mut result, &met);
                let retried =
                    self.orders.retries > 0 && result.kind().is_red() && result.outcome.is_some();
                if retried {
                    again.push(result)
                } else {
                    take(result)
                }
            },
        );
        let stopped = self.orders.stop.load(Ordering::Relaxed);
        // A run that is cut short leaves them to the one that goes on with it.
        for result in if stopped {
            Vec::new()
        } else {
            self.run_again(again, &mut unattributed)
        } {
            take(result);
        }
        for cause in if stopped { Vec::new() } else { record.causes() } {
            let backend = Arc::clone(&label.name);
            reporter.event(&Event::Finding(event::Finding { backend, cause }));
        }
        // A part of the suite says nothing about what the rest would have met.
        let known = known.filter(|_| self.selection.is_everything() && !stopped);
        let unmatched: Vec<Place> = known
            .map(|known| known.stale(&self.about.version, &met))
            .unwrap_or_default()
            .iter()
            .map(Place::of)
            .collect();
        let (stale, unmatched) = if self.orders.partition.is_some() {
            (Vec::new(), unmatched)
        } else {
            (unmatched, Vec::new())
        };
        BackendFinished {
            backend: Arc::clone(&label.name),
            counts,
            stale,
            unmatched,
            unattributed: unattributed_record(&unattributed),
        }
    }

    /// What a verdict is next to what was known before.
    fn stand(&self, result: &mut TrialResult, met: &Matched) {
        let name = result.trial.to_string();
        if let Some(known) = &self.participant.known_failures {
            if result.standing == Classification::Unknown {
                let expectation = result.trial.case.expectation(result.trial.operator);
                result.standing = known.classify(
                    &name,
                    expectation,
                    &self.about.version,
                    &result.verdict,
                    met,
                );
            } else {
                // It was not run, but its entry has met a trial.
                known.record_match(&name, &self.about.version, met);
            }
        }
        if let Some(before) = self
            .orders
            .baseline
            .and_then(|baseline| baseline.trial(&self.participant.label.name, &name))
        {
            let (kind, was) = (result.verdict.kind(), before.judged());
            if result.kind().is_red() && was == kind && before.failure == result.verdict.failure() {
                result.standing = Classification::Unchanged;
            }
            if result.kind() == VerdictKind::Skipped
                && matches!(was, VerdictKind::Passed | VerdictKind::Recorded)
            {
                result.standing = Classification::Lost;
            }
            result.before = Some(before.verdict).filter(|before| *before != result.kind());
        }
        // What no reading of an open point allows breaks more than advice.
        let (case, operator) = (&result.trial.case, result.trial.operator);
        let open = matches!(**case.expectation(operator), Expectation::Open { .. });
        let must = case
            .clauses_of(operator)
            .iter()
            .any(|of| of.clause.level == Level::Must);
        if self.orders.level == Level::Must
            && result.kind() == VerdictKind::Failed
            && !must
            && !open
        {
            result.standing = Classification::Advisory;
        }
    }

    /// Runs failed trials again, each alone, until one does something else or has been run often enough.
    fn run_again(
        &self,
        mut failed: Vec<TrialResult>,
        unattributed: &mut UnattributedFailures,
    ) -> Vec<TrialResult> {
        let mut settled = Vec::new();
        for _ in 0..self.orders.retries {
            if failed.is_empty() || self.orders.stop.load(Ordering::Relaxed) {
                break;
            }
            let Ok(first) = (self.participant.start)() else {
                break;
            };
            let mut by_name: HashMap<String, TrialResult> = failed
                .drain(..)
                .map(|result| (result.trial.to_string(), result))
                .collect();
            let mut trials: Vec<_> = by_name
                .values()
                .map(|result| result.trial.clone())
                .collect();
            trials.sort_by_cached_key(ToString::to_string);
            let groups = trials.into_iter().map(|trial| Group {
                trials: vec![trial],
            });
            let more = run_groups(
                groups,
                self.participant,
                first,
                self.about,
                self.orders.jobs.max(1),
                &mut |again| {
                    let Some(mut result) = by_name.remove(&again.trial.to_string()) else {
                        return;
                    };
                    if result.attempts.is_empty() {
                        result.attempts.push(result.verdict.kind());
                    }
                    result.attempts.push(again.verdict.kind());
                    if again.verdict.kind() == result.verdict.kind() {
                        failed.push(result);
                    } else {
                        result.standing = Classification::Flaky;
                        settled.push(result);
                    }
                },
            );
            unattributed.extend(more);
            settled.extend(by_name.into_values());
        }
        settled.extend(failed);
        settled
    }
}

/// Runs groups of trials, wherever they come from, through one participant; `first` is its first instance. What went wrong
/// that is no trial's outcome comes back.
pub(crate) fn run_groups(
    all: impl Iterator<Item = Group> + Send,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &Arc<About>,
    jobs: usize,
    done: &mut dyn FnMut(TrialResult),
) -> UnattributedFailures {
    let known = participant
        .known_failures
        .as_ref()
        .filter(|known| known.quarantines());
    let (group_in, group_out) = bounded::<Group>(jobs * 4);
    let (result_in, result_out) = bounded::<TrialResult>(1024);
    let first = std::sync::Mutex::new(Some(first));
    std::thread::scope(|scope| {
        let worker = |_| {
            let (groups, results) = (group_out.clone(), result_in.clone());
            let first = &first;
            scope.spawn(move || {
                // Another instance is only started when there is work for it.
                let Ok(group) = groups.recv() else {
                    return UnattributedFailures::default();
                };
                let taken = first.lock().ok().and_then(|mut first| first.take());
                let backend = taken.map_or_else(|| (participant.start)(), Ok);
                work(
                    about,
                    &Quarantine {
                        known,
                        version: &about.version,
                    },
                    backend,
                    group,
                    &groups,
                    &results,
                )
            })
        };
        let workers: Vec<_> = (0..jobs).map(worker).collect();
        drop((group_out, result_in));
        scope.spawn(move || {
            for group in all {
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

/// Which trials are not to be run.
struct Quarantine<'a> {
    known: Option<&'a KnownFailures>,
    version: &'a str,
}

impl Quarantine<'_> {
    fn of(&self, trial: &Trial) -> Classification {
        let known = self.known.and_then(|known| {
            known.quarantined(&trial.to_string(), self.version, &known.unmatched())
        });
        known.unwrap_or(Classification::Unknown)
    }
}

fn work(
    about: &Arc<About>,
    quarantine: &Quarantine<'_>,
    backend: Result<Box<dyn Backend + Send>, Error>,
    first: Group,
    groups: &Receiver<Group>,
    results: &Sender<TrialResult>,
) -> UnattributedFailures {
    let send = |trial: Trial,
                outcome: Option<Outcome>,
                verdict: Verdict,
                standing: Classification,
                duration: Duration| {
        // The receiver outlives every worker.
        let _ = results.send(TrialResult {
            trial,
            outcome,
            verdict,
            standing,
            duration,
            attempts: Vec::new(),
            before: None,
        });
    };
    let mut backend = match backend {
        Ok(backend) => backend,
        // The first instance started, so this one's failure is an outcome of what it would have run.
        Err(error) => {
            let misfortune = ProcessFailure {
                what: format!("another instance did not start: {error}"),
                log: String::new(),
            };
            for trial in std::iter::once(first)
                .chain(groups.iter())
                .flat_map(|group| group.trials)
            {
                send(
                    trial,
                    Some(Outcome::Crashed(misfortune.clone())),
                    Verdict::Crashed,
                    Classification::Unknown,
                    Duration::ZERO,
                );
            }
            return UnattributedFailures::default();
        }
    };
    let mut ready = prepare(about, quarantine, first, &send);
    loop {
        let next = groups
            .recv()
            .ok()
            .map(|group| prepare(about, quarantine, group, &send));
        if let Some((trial, request, _)) = next.as_ref().and_then(|next| next.first()) {
            backend.announce(request, trial.binding);
        }
        run_group(backend.as_mut(), &ready, &send);
        match next {
            Some(next) => ready = next,
            None => return backend.finish(),
        }
    }
}

/// A trial with all that its backend is handed.
type Prepared = (Trial, Request, Tensor);

/// What sends a result on.
type Report<'a> = dyn Fn(Trial, Option<Outcome>, Verdict, Classification, Duration) + 'a;

/// What of a group is to be asked; what its backend declares unsupported is skipped here.
fn prepare(
    about: &About,
    quarantine: &Quarantine<'_>,
    group: Group,
    send: &Report<'_>,
) -> Vec<Prepared> {
    let mut asked = Vec::with_capacity(group.trials.len());
    for trial in group.trials {
        let request = trial.request();
        if !about.supports.covers(&request, trial.binding) {
            send(
                trial,
                None,
                Verdict::Skipped,
                Classification::Unknown,
                Duration::ZERO,
            );
            continue;
        }
        let harmful = quarantine.of(&trial);
        if harmful != Classification::Unknown {
            send(trial, None, Verdict::Skipped, harmful, Duration::ZERO);
            continue;
        }
        match trial.case.data(trial.element_type) {
            Ok(data) => asked.push((trial, request, data)),
            // The reader has checked every literal; if one is bad all the same, the trial still shows.
            Err(why) => {
                let misfortune = ProcessFailure {
                    what: format!("the case's data cannot be made: {why}"),
                    log: String::new(),
                };
                send(
                    trial,
                    Some(Outcome::ProtocolError(misfortune)),
                    Verdict::ProtocolError,
                    Classification::Unknown,
                    Duration::ZERO,
                );
            }
        }
    }
    asked
}

/// ParticipantRun group through one backend, asked and judged.
fn run_group(backend: &mut dyn Backend, asked: &[Prepared], send: &Report<'_>) {
    let calls: Vec<_> = asked
        .iter()
        .map(|(trial, request, data)| Call {
            request,
            binding: trial.binding,
            data,
        })
        .collect();
    let mut last = Instant::now();
    let mut judged = |index: usize, outcome: Outcome| {
        let (trial, _, data): &Prepared = &asked[index];
        let verdict = judge(trial.case.expectation(trial.operator), data, &outcome);
        let now = Instant::now();
        send(
            trial.clone(),
            Some(outcome),
            verdict,
            Classification::Unknown,
            now - last,
        );
        last = now;
    };
    run_calls(backend, &calls, &mut judged);
}

/// Runs calls so that each is done exactly once, even by a backend that panics or loses count.
pub(crate) fn run_calls(
    backend: &mut dyn Backend,
    calls: &[Call<'_>],
    done: &mut dyn FnMut(usize, Outcome),
) {
    let mut open: Vec<usize> = (0..calls.len()).collect();
    while !open.is_empty() {
        let these: Vec<_> = open.iter().map(|index| calls[*index]).collect();
        let mut answered = vec![false; these.len()];
        let ran = catch_unwind(AssertUnwindSafe(|| {
            backend.reshape_all(&these, &mut |index, outcome| {
                if let Some(answered) = answered.get_mut(index)
                    && !std::mem::replace(answered, true)
                {
                    done(open[index], outcome);
                }
            });
        }));
        let mut left: Vec<_> = open
            .iter()
            .zip(&answered)
            .filter(|(_, answered)| !**answered)
            .map(|(index, _)| *index)
            .collect();
        match ran {
            Ok(()) => {
                let nothing = ProcessFailure {
                    what: "gave no outcome".to_owned(),
                    log: String::new(),
                };
                left.drain(..)
                    .for_each(|index| done(index, Outcome::ProtocolError(nothing.clone())));
            }
            // In order, so the first without an answer is the one it panicked on.
            Err(panic) if !left.is_empty() => {
                let what = format!("panicked: {}", panic_text(panic.as_ref()));
                done(
                    left.remove(0),
                    Outcome::Crashed(ProcessFailure {
                        what,
                        log: String::new(),
                    }),
                );
            }
            Err(_) => {}
        }
        open = left;
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}
