//! Search: trials that nobody wrote, judged by the oracle. All small ones, smallest first; random ones beyond; and random
//! ones chosen to tell apart the mutants that the backend has not refuted yet. Lazy: memory does not grow with the count.

mod enumerate;
mod kept;
mod merge;
mod random;
mod shrink;
mod space;

pub(crate) use enumerate::{Bounds, enumerate};
pub(crate) use kept::Kept;
pub(crate) use merge::merge;
pub(crate) use random::{Hypotheses, Random};
pub(crate) use space::Space;

use crate::backend::About;
use crate::diagnosis::explains;
use crate::error::Error;
use crate::event::Counts;
use crate::plan::Group;
use crate::result::TrialResult;
use crate::runner::{self, Participant};
use crate::situation::trial_named;
use crate::stream::Search;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Searches one participant; `seen` hears of every result, with the counts so far.
///
/// # Errors
/// When the participant does not start.
pub(crate) fn run(
    participant: &Participant,
    jobs: usize,
    groups: impl FnOnce(&About) -> Box<dyn Iterator<Item = Group> + Send>,
    seen: &mut dyn FnMut(&TrialResult, &Counts),
) -> Result<(Arc<About>, Kept), Error> {
    let first = (participant.start)()?;
    let about = Arc::new(first.about());
    let mut kept = Kept::default();
    runner::run_groups(groups(&about), participant, first, &about, jobs, &mut |result| {
        kept.take(&participant.label, &result);
        seen(&result, kept.counts());
    });
    Ok((about, kept))
}

/// Looks for the smallest trial of every finding of which nobody has, until `stop`; `looked` hears how many are done.
///
/// # Errors
/// When the participant does not start, or is not the one that was searched.
pub(crate) fn make_smaller(
    participant: &Participant,
    search: &mut Search,
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
        return Err(Error::Usage(format!("version {was} of this program searched, and this is {is}")));
    }
    if (&about.name, &about.version) != (&was.name, &was.version) {
        let (name, version) = (&about.name, &about.version);
        return Err(Error::Usage(format!("{} {} was searched, and this is {name} {version}", was.name, was.version)));
    }
    for at in 0..search.found.len() {
        let found = &search.found[at];
        let met = found.finding.trials.first().and_then(|name| trial_named(name));
        if let (None, Some(met), Some(told)) = (&found.smallest, met, search.stands_for(found)) {
            let wanted = kept::reason(&met, told);
            let mutants = &found.finding.mutants;
            let same = |result: &TrialResult, told: &crate::event::Trial| {
                kept::reason(&result.trial, told) == wanted
                    && (mutants.is_empty()
                        || result.outcome.as_ref().is_some_and(|outcome| explains(mutants, &result.trial, outcome)))
            };
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
