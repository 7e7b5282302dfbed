//! SearchRecords: trials that nobody wrote, judged by the oracle. All small ones, smallest first; random ones beyond; and random
//! ones chosen to tell apart the mutants that the backend has not refuted yet. Lazy: memory does not grow with the count.

mod enumerate;
mod kept;
mod merge;
mod random;
mod shrink;
mod space;
mod wanted;

pub(crate) use enumerate::Bounds;
pub(crate) use merge::merge;
pub(crate) use wanted::{Wanted, What};

use crate::backend::Backend;
use crate::error::Error;
use crate::event::stream::SearchRecords;
use crate::event::{self, CutShort, FORMAT, SearchFinished, SearchStarted};
use crate::run::record::unattributed_record;
use crate::run::result::TrialResult;
use crate::run::{self, Participant};
use crate::suite::generated::trial_named;
use crate::suite::plan::Group;
use crate::verdict::diagnosis::explains;
use enumerate::enumerate;
use kept::Retained;
use random::{Hypotheses, Random};
use space::Space;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wanted::Groups;

/// How often is told how far it came.
const TICK: Duration = Duration::from_millis(100);

/// What a search came to.
pub(crate) struct Searched {
    /// What is told of it.
    pub search: SearchRecords,
    /// The number of the first trial that it did not come to.
    pub next: u64,
    /// The mutants that the backend did not refute, of a guided search.
    pub not_refuted: Option<Vec<&'static str>>,
}

/// Searches one participant until `stop`; `tick` hears now and then how many trials are done, and of how many.
///
/// # Errors
/// When the participant does not start, or has nothing of what is wanted.
pub(crate) fn run(
    participant: &Participant,
    wanted: &Wanted,
    stop: &Arc<AtomicBool>,
    tick: &mut dyn FnMut(usize, Option<u64>),
) -> Result<Searched, Error> {
    let first = (participant.start)()?;
    let about = Arc::new(first.about());
    let space = wanted.space(&about);
    if space.cells.is_empty() {
        let why = "the backend has nothing of what is searched; see --operator, --binding and --element-type";
        return Err(Error::NothingSelected(why.to_owned()));
    }
    let (length, described) = (wanted.length(&space), wanted.describe(&space));
    let guide = wanted.is_guided().then(|| Arc::new(Hypotheses::new()));
    let (cut, asked): (Arc<AtomicBool>, Arc<AtomicU64>) = Default::default();
    let all = until(
        wanted.groups(space, guide.clone()),
        wanted.time,
        [stop, &cut],
        &asked,
    );
    let groups: Groups = match wanted.partition {
        Some(partition) => Box::new(partition.of(all)),
        None => all,
    };
    let (mut kept, mut last) = (Retained::default(), Instant::now());
    let unattributed = run::run_groups(
        groups,
        participant,
        first,
        &about,
        wanted.jobs,
        &mut |result| {
            kept.take(&participant.label, &result);
            guide.iter().for_each(|guide| guide.learn(&result));
            if last.elapsed() > TICK {
                last = Instant::now();
                tick(kept.counts().total(), length);
            }
        },
    );
    let mut search = kept.search(SearchStarted {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        backend: Arc::clone(&participant.label.name),
        name: about.name.clone(),
        version: about.version.clone(),
        space: described,
        partition: wanted.partition.map(|partition| partition.to_string()),
    });
    let by_time = wanted.has_an_end().then_some(CutShort::Time);
    let by = if stop.load(Ordering::Relaxed) {
        Some(CutShort::Interrupt)
    } else {
        by_time
    };
    let cut_short = if cut.load(Ordering::Relaxed) {
        by
    } else {
        None
    };
    search.finished = Some(SearchFinished {
        counts: kept.counts().clone(),
        cut_short,
        unattributed: unattributed_record(&unattributed),
    });
    let next = wanted.first().saturating_add(asked.load(Ordering::Relaxed));
    Ok(Searched {
        search,
        next,
        not_refuted: guide.map(|guide| guide.left()),
    })
}

/// The groups until the time is over or somebody stops; `cut` is set if that leaves some out, `asked` counts the trials.
/// (Asked of every group, whoever runs it: a part can be few and far between.)
fn until(
    all: Groups,
    time: Option<Duration>,
    [stop, cut]: [&Arc<AtomicBool>; 2],
    asked: &Arc<AtomicU64>,
) -> Groups {
    let (begun, stop, cut, asked) = (
        Instant::now(),
        Arc::clone(stop),
        Arc::clone(cut),
        Arc::clone(asked),
    );
    let go_on = move |_: &Group| {
        let stopped =
            time.is_some_and(|time| begun.elapsed() > time) || stop.load(Ordering::Relaxed);
        cut.fetch_or(stopped, Ordering::Relaxed);
        !stopped
    };
    Box::new(all.take_while(go_on).inspect(move |group| {
        asked.fetch_add(group.trials.len() as u64, Ordering::Relaxed);
    }))
}

/// Looks for the smallest trial of every finding of which nobody has, until `stop`; `looked` hears how many are done.
///
/// # Errors
/// When the participant does not start, or is not the one that was searched.
pub(crate) fn make_smaller(
    participant: &Participant,
    search: &mut SearchRecords,
    stop: &AtomicBool,
    looked: &mut dyn FnMut(usize),
) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) || search.found.iter().all(|found| found.smallest.is_some()) {
        return Ok(());
    }
    let mut backend = (participant.start)()?;
    let (about, was) = (backend.about(), &search.started);
    if was.suite_version != env!("CARGO_PKG_VERSION") {
        let (was, is) = (&was.suite_version, env!("CARGO_PKG_VERSION"));
        return Err(Error::Usage(format!(
            "version {was} of this program searched, and this is {is}"
        )));
    }
    if (&about.name, &about.version) != (&was.name, &was.version) {
        let (name, version) = (&about.name, &about.version);
        return Err(Error::Usage(format!(
            "{} {} was searched, and this is {name} {version}",
            was.name, was.version
        )));
    }
    for at in 0..search.found.len() {
        let found = &search.found[at];
        let met = found
            .cause
            .trials
            .first()
            .and_then(|name| trial_named(name));
        if let (None, Some(met), Some(told)) = (&found.smallest, met, search.stands_for(found)) {
            let wanted = kept::reason(&met, told);
            let mutants = &found.cause.mutants;
            let same = |result: &TrialResult, told: &event::TrialRecord| {
                kept::reason(&result.trial, told) == wanted
                    && (mutants.is_empty()
                        || result
                            .outcome
                            .as_ref()
                            .is_some_and(|outcome| explains(mutants, &result.trial, outcome)))
            };
            let passes =
                |backend: &mut dyn Backend| !shrink::red(shrink::ask(backend, &met).as_ref());
            if passes(backend.as_mut()) {
                backend = (participant.start)()?;
                if passes(backend.as_mut()) {
                    let told = told.clone();
                    let found = &mut search.found[at];
                    (found.smallest, found.passes_alone) = (Some(told), true);
                    looked(at + 1);
                    continue;
                }
            }
            let smallest = shrink::shrink(backend.as_mut(), &participant.label, &met, &same, stop);
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            search.found[at].smallest = Some(smallest.unwrap_or_else(|| told.clone()));
        }
        looked(at + 1);
    }
    Ok(())
}
