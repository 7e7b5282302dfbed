//! Random trials. The trial with a number depends on that number and the seed alone, so that a search can be resumed where it
//! ended.

use super::generate::generate;
use super::hypotheses::Hypotheses;
use super::space::Space;
use crate::suite::trial::{Group, Trial};
use fastrand::Rng;
use std::sync::Arc;

/// The number of trials among which a guided search chooses.
const CANDIDATES: usize = 24;
/// Spreads consecutive numbers over all seeds: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random trials, each in a group of its own.
pub(super) struct Random {
    space: Space,
    seed: u64,
    /// The number of the next trial.
    next: u64,
    /// The number after the last trial.
    end: u64,
    guide: Option<Arc<Hypotheses>>,
}

impl Random {
    /// The trials `from..end` of a seed. With a guide, each is the most useful of several.
    pub(super) fn new(
        space: Space,
        seed: u64,
        from: u64,
        end: u64,
        guide: Option<Arc<Hypotheses>>,
    ) -> Self {
        Self {
            space,
            seed,
            next: from,
            end,
            guide,
        }
    }
}

impl Iterator for Random {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        if self.next >= self.end || self.space.cells.is_empty() {
            return None;
        }
        let mut rng = Rng::with_seed(self.seed ^ self.next.wrapping_mul(SPREAD));
        self.next += 1;
        let cell = rng.usize(..self.space.cells.len());
        let (operator, element_type, binding) = self.space.cells[cell];
        let mut random_trial = || -> Trial {
            generate(&mut rng, operator, self.space.rank).trial(operator, element_type, binding)
        };
        let trial = match &self.guide {
            None => random_trial(),
            Some(guide) => {
                let candidates = (0..CANDIDATES).map(|_| random_trial());
                candidates.max_by_key(|trial| guide.usefulness(trial))?
            }
        };
        Some(Group::single(trial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::suite::case::Expectation;
    use crate::suite::generated::MOST_DIMS;
    use crate::verdict::judge::judge;
    use crate::verdict::mutant::{Behavior, OracleAnswer};

    fn space() -> Space {
        Space::of(&Reference.about(), &[], &[], &[])
    }

    fn names(from: u64, end: u64) -> Vec<String> {
        let trials = Random::new(space(), 7, from, end, None).flat_map(|group| group.trials);
        trials.map(|trial| trial.to_string()).collect()
    }

    #[test]
    fn a_resumed_search_continues_as_if_it_had_not_stopped() {
        assert_eq!(names(0, 200), [names(0, 77), names(77, 200)].concat());
    }

    #[test]
    fn random_trials_are_of_every_kind_and_the_reference_passes_them() {
        let mut kinds = std::collections::BTreeMap::<_, usize>::new();
        let (mut data_dims, mut values) = (0, 0);
        for trial in Random::new(space(), 3, 0, 4000, None).flat_map(|group| group.trials) {
            let data = trial.case.data(trial.element_type).expect("small data");
            let (request, expectation) = (trial.request(), trial.expectation());
            let verdict = judge(expectation, &data, &Reference.reshape(&trial.call(&data)));
            assert!(!verdict.kind().is_red(), "{trial}");
            let kind = match expectation.as_ref() {
                Expectation::Reshaped(_) => "reshaped",
                Expectation::Rejected(_) => "rejected",
                Expectation::Open { .. } => "open",
            };
            *kinds.entry(kind).or_default() += 1;
            data_dims = data_dims.max(request.data_shape.len());
            values = values.max(
                request
                    .target
                    .as_ref()
                    .map_or(0, |target| target.values.len()),
            );
        }
        assert_eq!((data_dims, values), (MOST_DIMS, MOST_DIMS), "to the limit");
        assert!(
            kinds["reshaped"] > 400 && kinds["rejected"] > 400 && kinds["open"] > 40,
            "{kinds:?}"
        );
    }

    #[test]
    fn a_guided_search_refutes_more_mutants_than_a_random_one() {
        let left = |guided: bool| {
            let hypotheses = Arc::new(Hypotheses::new());
            let guide = guided.then(|| Arc::clone(&hypotheses));
            for trial in Random::new(space(), 5, 0, 400, guide).flat_map(|group| group.trials) {
                let read = OracleAnswer::of(trial.request());
                let right = Behavior::right().resolve(trial.request(), trial.binding, &read);
                hypotheses.retain(&trial, &|answer| answer == right.as_deref());
            }
            hypotheses.names().len()
        };
        assert!(
            left(true) < left(false),
            "{} and {}",
            left(true),
            left(false)
        );
    }
}
