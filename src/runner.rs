//! The runner: a suite through backends, as a stream of events. Every selected trial gets exactly one verdict.

use crate::backend::{About, Backend};
use crate::diagnosis::Record;
use crate::error::Error;
use crate::event::{Counts, Event, Label, Reporter, TrialResult};
use crate::judge::{Verdict, judge};
use crate::known_failures::{KnownFailures, Met, Standing};
use crate::outcome::{Misfortune, Outcome};
use crate::plan::{self, Group, Selection, Trial};
use crate::request::{Call, Request};
use crate::suite::Suite;
use crate::tensor::Tensor;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        f.debug_struct("Participant").field("label", &self.label).finish_non_exhaustive()
    }
}

/// Runs the selected trials through each participant in turn, with `jobs` workers.
///
/// # Errors
/// When nothing is selected, or a participant does not start. What a backend does later is an outcome.
pub fn run(
    suite: &Suite,
    selection: &Selection,
    participants: &[Participant],
    jobs: usize,
    reporter: &mut dyn Reporter,
) -> Result<Tally, Error> {
    let trials = plan::count(suite, selection);
    if trials == 0 {
        return Err(Error::NothingSelected(
            "no trial has such a name; `list` shows them (a glob is over the whole name: 'zero*/**')".to_owned(),
        ));
    }
    let mut total = Tally::default();
    reporter.event(&Event::RunStarted { cases: suite.cases().len(), trials, backends: participants.len() });
    for participant in participants {
        let first = (participant.start)()?;
        let about = Arc::new(first.about());
        reporter.event(&Event::BackendStarted { label: &participant.label, about: &about, trials });
        let (counts, met) = run_one(suite, selection, participant, first, &about, jobs.max(1), reporter);
        // A part of the suite says nothing about what the rest would have met.
        let known = participant.known_failures.as_ref().filter(|_| selection.is_everything());
        let stale = known.map(|known| known.stale(&about.version, &met)).unwrap_or_default();
        reporter.event(&Event::BackendFinished { label: &participant.label, about: &about, counts: &counts, stale: &stale });
        total.counts.add(&counts);
        total.stale += stale.len();
    }
    reporter.event(&Event::RunFinished { counts: &total.counts });
    Ok(total)
}

/// What a run comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All verdicts.
    pub counts: Counts,
    /// Lines of known failures that met no trial.
    pub stale: usize,
}

fn run_one(
    suite: &Suite,
    selection: &Selection,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &Arc<About>,
    jobs: usize,
    reporter: &mut dyn Reporter,
) -> (Counts, Met) {
    let mut counts = Counts::default();
    let mut record = Record::default();
    let known = participant.known_failures.as_ref();
    let met = known.map(KnownFailures::unmet).unwrap_or_default();
    run_groups(plan::groups(suite, selection), participant, first, about, jobs, &mut |mut result| {
        if let Some(known) = known {
            let name = result.trial.to_string();
            match result.standing {
                Standing::Unknown => {
                    let expectation = result.trial.case.expectation(result.trial.operator);
                    result.standing = known.standing(&name, expectation, &about.version, &result.verdict, &met);
                }
                // It was not run, but its entry has met a trial.
                _ => known.meet(&name, &about.version, &met),
            }
        }
        counts.count(result.kind());
        record.take(&result);
        reporter.event(&Event::Trial { label: &participant.label, result: &result });
    });
    for finding in record.findings() {
        reporter.event(&Event::Finding { label: &participant.label, finding: &finding });
    }
    (counts, met)
}

/// Runs groups of trials, wherever they come from, through one participant; `first` is its first instance.
pub(crate) fn run_groups(
    all: impl Iterator<Item = Group> + Send,
    participant: &Participant,
    first: Box<dyn Backend + Send>,
    about: &Arc<About>,
    jobs: usize,
    done: &mut dyn FnMut(TrialResult),
) {
    let known = participant.known_failures.as_ref().filter(|known| known.quarantines());
    let (group_in, group_out) = bounded::<Group>(jobs * 4);
    let (result_in, result_out) = bounded::<TrialResult>(1024);
    let first = std::sync::Mutex::new(Some(first));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (groups, results) = (group_out.clone(), result_in.clone());
            let first = &first;
            scope.spawn(move || {
                // Another instance is only started when there is work for it.
                let Ok(group) = groups.recv() else { return };
                let taken = first.lock().ok().and_then(|mut first| first.take());
                let backend = taken.map_or_else(|| (participant.start)(), Ok);
                work(about, &Quarantine { known, version: &about.version }, backend, group, &groups, &results);
            });
        }
        drop((group_out, result_in));
        scope.spawn(move || {
            for group in all {
                if group_in.send(group).is_err() {
                    return;
                }
            }
        });
        result_out.into_iter().for_each(done);
    });
}

/// Which trials are not to be run.
struct Quarantine<'a> {
    known: Option<&'a KnownFailures>,
    version: &'a str,
}

impl Quarantine<'_> {
    fn of(&self, trial: &Trial) -> Standing {
        let known = self.known.and_then(|known| known.quarantined(&trial.to_string(), self.version, &known.unmet()));
        known.unwrap_or(Standing::Unknown)
    }
}

fn work(
    about: &Arc<About>,
    quarantine: &Quarantine<'_>,
    backend: Result<Box<dyn Backend + Send>, Error>,
    first: Group,
    groups: &Receiver<Group>,
    results: &Sender<TrialResult>,
) {
    let send = |trial: Trial, outcome: Option<Outcome>, verdict: Verdict, standing: Standing, duration: Duration| {
        let backend = Arc::clone(about);
        // The receiver outlives every worker.
        let _ = results.send(TrialResult { backend, trial, outcome, verdict, standing, duration });
    };
    let mut backend = match backend {
        Ok(backend) => backend,
        // The first instance started, so this one's failure is an outcome of what it would have run.
        Err(error) => {
            let misfortune = Misfortune { what: format!("another instance did not start: {error}"), log: String::new() };
            for trial in std::iter::once(first).chain(groups.iter()).flat_map(|group| group.trials) {
                send(trial, Some(Outcome::Crashed(misfortune.clone())), Verdict::Crashed, Standing::Unknown, Duration::ZERO);
            }
            return;
        }
    };
    let mut ready = prepare(about, quarantine, first, &send);
    loop {
        let next = groups.recv().ok().map(|group| prepare(about, quarantine, group, &send));
        if let Some((trial, request, _)) = next.as_ref().and_then(|next| next.first()) {
            backend.announce(request, trial.binding);
        }
        run_group(backend.as_mut(), &ready, &send);
        match next {
            Some(next) => ready = next,
            None => return,
        }
    }
}

/// A trial with all that its backend is handed.
type Asked = (Trial, Request, Tensor);

/// What sends a result on.
type Report<'a> = dyn Fn(Trial, Option<Outcome>, Verdict, Standing, Duration) + 'a;

/// What of a group is to be asked; what its backend declares unsupported is skipped here.
fn prepare(about: &About, quarantine: &Quarantine<'_>, group: Group, send: &Report<'_>) -> Vec<Asked> {
    let mut asked = Vec::with_capacity(group.trials.len());
    for trial in group.trials {
        let request = trial.request();
        if !about.supports.covers(&request, trial.binding) {
            send(trial, None, Verdict::Skipped, Standing::Unknown, Duration::ZERO);
            continue;
        }
        let harmful = quarantine.of(&trial);
        if harmful != Standing::Unknown {
            send(trial, None, Verdict::Skipped, harmful, Duration::ZERO);
            continue;
        }
        match trial.case.data(trial.element_type) {
            Ok(data) => asked.push((trial, request, data)),
            // The reader has checked every literal; if one is bad all the same, the trial still shows.
            Err(why) => {
                let misfortune = Misfortune { what: format!("the case's data cannot be made: {why}"), log: String::new() };
                send(trial, Some(Outcome::ProtocolError(misfortune)), Verdict::ProtocolError, Standing::Unknown, Duration::ZERO);
            }
        }
    }
    asked
}

/// One group through one backend, asked and judged.
fn run_group(backend: &mut dyn Backend, asked: &[Asked], send: &Report<'_>) {
    let calls: Vec<_> = asked.iter().map(|(trial, request, data)| Call { request, binding: trial.binding, data }).collect();
    let mut last = Instant::now();
    let mut judged = |index: usize, outcome: Outcome| {
        let (trial, _, data): &Asked = &asked[index];
        let verdict = judge(trial.case.expectation(trial.operator), data, &outcome);
        let now = Instant::now();
        send(trial.clone(), Some(outcome), verdict, Standing::Unknown, now - last);
        last = now;
    };
    run_calls(backend, &calls, &mut judged);
}

/// Runs calls so that each is done exactly once, even by a backend that panics or loses count.
pub(crate) fn run_calls(backend: &mut dyn Backend, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
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
        let mut left: Vec<_> = open.iter().zip(&answered).filter(|(_, answered)| !**answered).map(|(index, _)| *index).collect();
        match ran {
            Ok(()) => {
                let nothing = Misfortune { what: "gave no outcome".to_owned(), log: String::new() };
                left.drain(..).for_each(|index| done(index, Outcome::ProtocolError(nothing.clone())));
            }
            // In order, so the first without an answer is the one it panicked on.
            Err(panic) if !left.is_empty() => {
                let what = format!("panicked: {}", panic_text(panic.as_ref()));
                done(left.remove(0), Outcome::Crashed(Misfortune { what, log: String::new() }));
            }
            Err(_) => {}
        }
        open = left;
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}
