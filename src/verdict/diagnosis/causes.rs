//! The choice of causes where no single candidate explains every failure.

use super::candidate::Candidate;
use super::observations::Observations;
use crate::event::Cause;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The maximum number of causes; failures beyond them remain without a cause.
const MAX_CAUSES: usize = 24;
/// The minimum number of failures that a candidate limited to some cells must explain.
const MIN_EXPLAINED_IN_PART: usize = 3;

/// Repeatedly chooses the candidate that explains most of the failures that no cause explains yet.
pub(super) fn choose(observations: &Observations, candidates: Vec<Candidate>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut unexplained: BTreeSet<usize> = (0..observations.failures.len()).collect();
    while causes.len() < MAX_CAUSES {
        let gain = |candidate: &Candidate| candidate.explained.intersection(&unexplained).count();
        let is_supported = |candidate: &&Candidate| {
            let in_part = !candidate.dropped.is_empty();
            gain(candidate) >= if in_part { MIN_EXPLAINED_IN_PART } else { 1 }
        };
        // Scattered cells may be those where few trials happened to contradict it: it must explain far more.
        let rank = |candidate: &&Candidate| {
            (
                gain(candidate) * if candidate.scattered { 3 } else { 5 },
                Reverse(candidate.against()),
                candidate.dropped.is_empty(),
                Reverse(candidate.conflicts),
                Reverse(candidate.hypothesis.mutants.len()),
            )
        };
        // Among equals, `max_by_key` takes the last: reversed, the first in the catalogue.
        let supported = candidates.iter().rev().filter(is_supported);
        let Some(best) = supported.max_by_key(rank) else {
            break;
        };
        let explained: BTreeSet<usize> =
            best.explained.intersection(&unexplained).copied().collect();
        causes.push(best.cause(observations, &candidates, &explained));
        unexplained.retain(|index| !explained.contains(index));
    }
    causes
}
