//! The pipeline of a search: generated trials through a backend, until the last trial or a limit.

use super::options::{Groups, Method, SearchOptions};
use super::retained::Retained;
use crate::error::Error;
use crate::event::stream::SearchRecords;
use crate::event::{CutShort, FORMAT, SearchStarted};
use crate::run::{CircuitBreaker, Participant, Tell, run_workers, unattributed_record};
use crate::semantics::outcome::Outcome;
use crate::suite::case::Case;
use crate::suite::record;
use crate::suite::trial::{Group, Trial};
use crate::verdict::judge::Verdict;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Searches a participant until `stop` is set, and gives also the number of the first trial that it did not reach. At
/// intervals `progress` gets the number of finished trials, and the number of all trials if it is known. Fails when the
/// participant does not start, or supports no trial of the search.
pub(crate) fn search(
    participant: &Participant,
    options: &SearchOptions,
    stop: &Arc<AtomicBool>,
    progress: &mut (dyn FnMut(usize, Option<u64>) + Send),
) -> Result<(SearchRecords, u64), Error> {
    let first = (participant.start)()?;
    let mut about = first.about();
    about.supports.sample = None;
    let space = options.space(&about);
    if space.cells.is_empty() {
        let why = "the backend supports no trial of this search; see --operator, --binding, --element-type and --surrounding";
        return Err(Error::NothingSelected(why.to_owned()));
    }
    let count = options.count(&space);
    let started = SearchStarted {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        cases_version: Some(record::version().to_owned()),
        backend: Arc::clone(&participant.label.name),
        name: about.name.clone(),
        version: about.version.clone(),
        space: options.describe(&space),
        partition: options.partition.map(|partition| partition.to_string()),
    };
    let limit = Limit {
        begun: Instant::now(),
        time: options.time,
        stop: Arc::clone(stop),
        left_out: Arc::default(),
        reached: Arc::default(),
    };
    let groups = limit.apply(options.groups(space));
    let groups: Groups = match options.partition {
        Some(partition) => Box::new(partition.filter(groups)),
        None => groups,
    };
    // Only random trials have numbers.
    let under_way = matches!(options.method, Method::Random { .. }).then(UnderWay::default);
    let begun = AtomicU64::new(0);
    let groups = groups.inspect(|group| {
        begun.fetch_add(group.trials.len() as u64, Ordering::Relaxed);
        if let Some(under_way) = &under_way {
            under_way.begin(limit.reached.load(Ordering::Relaxed), group);
        }
    });
    let (mut retained, mut last) = (Retained::default(), Instant::now());
    let mut circuit_breaker = CircuitBreaker::new(options.circuit_breaker, stop);
    let told = Mutex::new(|report| {
        let Some(mut result) = circuit_breaker.result_in(report, &participant.label.name) else {
            return;
        };
        let is_declined = matches!(result.outcome, Some(Outcome::Unsupported(_)));
        if is_declined && about.supports.claims_nothing {
            result.verdict = Verdict::Skipped;
        }
        if let Some(under_way) = &under_way {
            under_way.end(&result.trial);
        }
        circuit_breaker.note(&result);
        retained.add(&participant.label, &result);
        if last.elapsed() > PROGRESS_INTERVAL {
            last = Instant::now();
            progress(retained.counts.total(), count);
        }
    });
    // The lock is short: a worker that waits for another loses less than by sending its results.
    let tell = |report| told.lock().unwrap_or_else(PoisonError::into_inner)(report);
    let (until, tell) = ((options.jobs, &**stop), || -> Tell<'_> { Box::new(&tell) });
    let unattributed = run_workers(groups, participant, first, &about, until, tell, || {})?;
    let is_cut = limit.left_out.load(Ordering::Relaxed) || options.partition.is_some();
    if begun.load(Ordering::Relaxed) == 0 && !is_cut {
        let why = "no trial of this search can be in its surrounding; see --max-rank, --max-dim and --max-value";
        return Err(Error::NothingSelected(why.to_owned()));
    }
    let mut records = retained.records(started);
    if let Some(finished) = &mut records.finished {
        let is_cut = (retained.counts.total() as u64) < begun.load(Ordering::Relaxed);
        finished.cut_short = match circuit_breaker.reason {
            Some(_) => Some(CutShort::GivenUp),
            None => limit.cut_short(is_cut, options.is_finite()),
        };
        finished.unattributed = unattributed_record(None, &unattributed);
    }
    // After an interrupt, the search goes on with the trials that were under way.
    let unfinished = under_way.and_then(|under_way| under_way.first());
    let reached = unfinished.unwrap_or_else(|| limit.reached.load(Ordering::Relaxed));
    Ok((records, options.first().saturating_add(reached)))
}

/// The limit of a search before its last trial.
#[derive(Clone)]
struct Limit {
    /// The start of the search.
    begun: Instant,
    time: Option<Duration>,
    /// Set when the user stops the search.
    stop: Arc<AtomicBool>,
    /// Whether the limit excluded trials.
    left_out: Arc<AtomicBool>,
    /// The number of trials before the limit, of all parts together.
    reached: Arc<AtomicU64>,
}

impl Limit {
    /// The groups that have trials, of all parts together, until the limit.
    fn apply(&self, groups: Groups) -> Groups {
        let limit = self.clone();
        let groups = groups.take_while(move |group| {
            let over = limit.is_over();
            if over {
                limit.left_out.store(true, Ordering::Relaxed);
            } else {
                let trials = group.trials.len() as u64;
                limit.reached.fetch_add(trials, Ordering::Relaxed);
            }
            !over
        });
        Box::new(groups.filter(|group| !group.trials.is_empty()))
    }

    fn is_over(&self) -> bool {
        self.time.is_some_and(|time| self.begun.elapsed() > time) || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What cut the search short. `is_cut` is whether trials that had begun have no result. A time limit does not cut a
    /// search short that would otherwise never end.
    fn cut_short(&self, is_cut: bool, is_finite: bool) -> Option<CutShort> {
        if !is_cut && !self.left_out.load(Ordering::Relaxed) {
            None
        } else if self.is_stopped() {
            Some(CutShort::Interrupt)
        } else {
            is_finite.then_some(CutShort::Time)
        }
    }
}

/// The trials under way, each in its own group, with its number from the first of the search.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<VecDeque<(u64, Arc<Case>)>>);

impl UnderWay {
    /// A trial begins. Its number is the one before `after`.
    pub(super) fn begin(&self, after: u64, group: &Group) {
        let cases = group.trials.iter().map(|trial| Arc::clone(&trial.case));
        let number = after.saturating_sub(1);
        self.trials().extend(cases.map(|case| (number, case)));
    }

    /// A trial has its result. Every generated trial has its own case.
    pub(super) fn end(&self, trial: &Trial) {
        let mut trials = self.trials();
        let is_it = |(_, case): &(u64, Arc<Case>)| Arc::ptr_eq(case, &trial.case);
        if let Some(at) = trials.iter().position(is_it) {
            trials.remove(at);
        }
    }

    /// The number of the first trial without a result; `None` if all have one.
    pub(super) fn first(&self) -> Option<u64> {
        self.trials().front().map(|(number, _)| *number)
    }

    fn trials(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, Arc<Case>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
