//! Search: trials that nobody wrote, judged by the oracle. All small ones, smallest first; random ones beyond; and random
//! ones chosen to tell apart the mutants that the backend has not refuted yet. Lazy: memory does not grow with the count.

mod enumerate;
mod random;
mod shrink;
mod situation;

pub(crate) use enumerate::{Bounds, enumerate};
pub(crate) use random::{Hypotheses, Random};
pub(crate) use situation::{Situation, Space};

use crate::backend::{About, Backend};
use crate::diagnosis::{Finding, Record, explains};
use crate::error::Error;
use crate::event::Counts;
use crate::judge::{Failure, Verdict};
use crate::outcome::Outcome;
use crate::plan::{Group, Trial};
use crate::result::{Found, Searched, TrialResult};
use crate::runner::{self, Participant};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Failures that are kept whole; the small ones come first.
const MOST_FAILURES: usize = 20_000;

/// Searches one participant; `seen` hears of every result.
///
/// # Errors
/// When the participant does not start.
pub(crate) fn run(
    participant: &Participant,
    jobs: usize,
    groups: impl FnOnce(&About) -> Box<dyn Iterator<Item = Group> + Send>,
    seen: &mut dyn FnMut(&TrialResult, &Counts),
) -> Result<Searched, Error> {
    let first = (participant.start)()?;
    let about = Arc::new(first.about());
    let (mut counts, mut record, mut failures) = (Counts::default(), Record::default(), Vec::new());
    runner::run_groups(groups(&about), participant, first, &about, jobs, &mut |result| {
        counts.count(result.verdict.kind());
        record.take(&result);
        seen(&result, &counts);
        if result.verdict.kind().is_red() && failures.len() < MOST_FAILURES {
            failures.push(result);
        }
    });
    let mut found = group(failures, record.findings());
    if !found.is_empty() {
        let mut backend = (participant.start)()?;
        found.iter_mut().for_each(|found| make_smaller(backend.as_mut(), found));
    }
    Ok(Searched { about, counts, found })
}

/// Failures by finding; what no finding explains by how it failed.
fn group(failures: Vec<TrialResult>, findings: Vec<Finding>) -> Vec<Found> {
    let by_name: HashMap<String, usize> =
        failures.iter().enumerate().map(|(at, result)| (result.trial.to_string(), at)).collect();
    let mut explained = vec![false; failures.len()];
    let mut found = Vec::new();
    for finding in findings {
        let members: Vec<usize> = finding.trials.iter().filter_map(|name| by_name.get(name).copied()).collect();
        members.iter().for_each(|at| explained[*at] = true);
        if let Some(smallest) = members.first() {
            let count = finding.trials.len();
            found.extend(found_as(&failures[*smallest], Some(finding), count));
        }
    }
    let mut rest: BTreeMap<String, (usize, &TrialResult)> = BTreeMap::new();
    for (result, _) in failures.iter().zip(&explained).filter(|(_, explained)| !**explained) {
        let entry = rest.entry(kind(result)).or_insert((0, result));
        entry.0 += 1;
        if result.trial.size() < entry.1.trial.size() {
            entry.1 = result;
        }
    }
    found.extend(rest.into_values().filter_map(|(count, result)| found_as(result, None, count)));
    found
}

fn found_as(result: &TrialResult, finding: Option<Finding>, count: usize) -> Option<Found> {
    let (trial, verdict, outcome) = (result.trial.clone(), result.verdict.clone(), result.outcome.clone()?);
    let (rank, elements) = trial.size();
    let met = (rank, elements, trial.to_string());
    Some(Found { finding, count, how: kind(result), met, trial, verdict, outcome })
}

/// How a trial failed, as far as failures of one cause agree.
fn kind(result: &TrialResult) -> String {
    let how = match &result.verdict {
        Verdict::Failed(Failure::NotRejected { reasons, .. }) => {
            format!("not-rejected {:?}", reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>())
        }
        Verdict::Failed(failure) => failure.name().to_owned(),
        other => other.kind().name().to_owned(),
    };
    format!("{how} {:?}", result.trial.binding.source())
}

/// Puts the smallest trial that still fails for the same reason in the place of the one that was found.
fn make_smaller(backend: &mut dyn Backend, found: &mut Found) {
    let reason = |verdict: &Verdict| match verdict {
        Verdict::Failed(Failure::NotRejected { reasons, .. }) => format!("{reasons:?}"),
        Verdict::Failed(failure) => failure.name().to_owned(),
        other => other.kind().name().to_owned(),
    };
    let wanted = reason(&found.verdict);
    let mutants = found.finding.as_ref().map(|finding| finding.mutants.clone());
    let same = |trial: &Trial, verdict: &Verdict, outcome: &Outcome| {
        verdict.kind().is_red()
            && reason(verdict) == wanted
            && mutants.as_ref().is_none_or(|mutants| explains(mutants, trial, outcome))
    };
    if let Some((trial, verdict, outcome)) = shrink::shrink(backend, &found.trial, &same) {
        (found.trial, found.verdict, found.outcome) = (trial, verdict, outcome);
    }
}
