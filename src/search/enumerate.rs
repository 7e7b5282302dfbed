//! Every small trial: by the number of dims of data and target together, then by their lengths.

use super::Space;
use crate::spec::operator::{Binding, TargetSource};
use crate::suite::case::ZeroMode;
use crate::suite::generated::{GeneratedCase, MOST_ELEMENTS};
use crate::suite::plan::Group;

/// What is small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The most dims of data and of target.
    pub(super) rank: u32,
    /// The longest data dim.
    pub(super) dim: u64,
    /// The largest target value; the smallest is -2.
    pub(super) value: u64,
}

/// The smallest target value.
const LEAST: i64 = -2;
/// The most trials in a group.
const MOST_IN_A_GROUP: u64 = 64;

impl Bounds {
    /// Up to `rank` dims of data and of target, data dims to `dim`, target values to `value`.
    ///
    /// # Errors
    /// When the data would be too large to be made.
    pub(crate) fn new(rank: u32, dim: u64, value: u64) -> Result<Self, String> {
        let most = dim.checked_pow(rank).filter(|most| *most <= MOST_ELEMENTS);
        most.map(|_| Self { rank, dim, value }).ok_or_else(|| {
            format!(
                "data of rank {rank} with dims to {dim} is more than the {MOST_ELEMENTS} elements that a trial of a search has"
            )
        })
    }

    fn shapes(self, rank: u32) -> u64 {
        (self.dim + 1).pow(rank)
    }

    fn targets(self, length: u32) -> u64 {
        self.values().pow(length)
    }

    /// How many values a target's entry can have.
    fn values(self) -> u64 {
        self.value + 1 + LEAST.unsigned_abs()
    }

    /// How many trials there are in a space; `None` if they are more than 64 bits count.
    pub(crate) fn count(self, space: &Space) -> Option<u64> {
        let power = |base: u64, exponent: u32| base.checked_pow(exponent);
        let (mut shapes, mut targets, mut zeroed) = (0u64, 0u64, 0u64);
        for rank in 0..=self.rank {
            shapes = shapes.checked_add(power(self.dim + 1, rank)?)?;
            let all = power(self.values(), rank)?;
            targets = targets.checked_add(all)?;
            zeroed = zeroed.checked_add(all - power(self.values() - 1, rank)?)?;
        }
        // With an attribute for the zeros, a target that has some is asked in both modes.
        space.cells.iter().try_fold(0u64, |sum, (operator, ..)| {
            let targets = if operator.zero_attribute().is_some() {
                targets.checked_add(zeroed)?
            } else {
                targets
            };
            sum.checked_add(shapes.checked_mul(targets)?)
        })
    }
}

/// All of them, in groups that share a model.
pub(crate) fn enumerate(space: Space, bounds: Bounds) -> impl Iterator<Item = Group> + Send {
    let levels = (0..=2 * bounds.rank).flat_map(move |dims| {
        (dims.saturating_sub(bounds.rank)..=dims.min(bounds.rank))
            .map(move |rank| (rank, dims - rank))
    });
    levels.flat_map(move |(rank, length)| {
        let cells = space.cells.clone();
        cells
            .into_iter()
            .flat_map(move |cell| groups(cell, bounds, rank, length))
    })
}

type Cell = (
    &'static crate::spec::operator::Operator,
    crate::tensor::ElementType,
    Binding,
);

fn groups(
    cell: Cell,
    bounds: Bounds,
    rank: u32,
    length: u32,
) -> impl Iterator<Item = Group> + Send {
    let (shapes, targets) = (bounds.shapes(rank), bounds.targets(length));
    // What the model holds stands outside, what comes at the run inside.
    let dynamic = cell.2.dynamic();
    let runtime = cell.2.source() == TargetSource::Runtime;
    let outer = if dynamic { 1 } else { shapes } * if runtime { 1 } else { targets };
    let inner = if dynamic { shapes } else { 1 } * if runtime { targets } else { 1 };
    (0..outer).flat_map(move |outside| {
        // The mode is in the model, so each has groups of its own.
        [None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)]
            .into_iter()
            .flat_map(move |zero| {
                (0..inner.div_ceil(MOST_IN_A_GROUP)).filter_map(move |chunk| {
                    let trials: Vec<_> = (chunk * MOST_IN_A_GROUP
                        ..inner.min((chunk + 1) * MOST_IN_A_GROUP))
                        .filter_map(|inside| {
                            let (shape, target) = match (dynamic, runtime) {
                                (false, false) => (outside / targets, outside % targets),
                                (true, false) => (inside, outside),
                                (false, true) => (outside, inside),
                                (true, true) => (inside / targets, inside % targets),
                            };
                            let data = digits(shape, bounds.dim + 1, rank);
                            let values = digits(target, bounds.values(), length);
                            let target: Vec<i64> = values
                                .into_iter()
                                .map(|value| value as i64 + LEAST)
                                .collect();
                            let asked = GeneratedCase::modes(cell.0, &target).contains(&zero);
                            asked.then(|| {
                                GeneratedCase { data, target, zero }.trial(cell.0, cell.1, cell.2)
                            })
                        })
                        .collect();
                    (!trials.is_empty()).then_some(Group { trials })
                })
            })
    })
}

/// A number's digits, the most significant first.
fn digits(mut number: u64, base: u64, length: u32) -> Vec<u64> {
    let mut digits: Vec<u64> = (0..length)
        .map(|_| {
            let digit = number % base;
            number /= base;
            digit
        })
        .collect();
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::spec::operator::Operator;
    use std::collections::BTreeSet;

    #[test]
    fn every_small_trial_comes_once_and_the_smallest_first() {
        let operators = ["onnx.Reshape-13", "onnx.Reshape-14", "openvino.Reshape-1"]
            .map(|name| Operator::named(name).expect("one"));
        let space = Space::of(&Reference.about(), &operators, &[], None);
        let bounds = Bounds {
            rank: 2,
            dim: 2,
            value: 2,
        };
        let trials: Vec<_> = enumerate(space.clone(), bounds)
            .flat_map(|group| group.trials)
            .collect();
        assert_eq!(Some(trials.len() as u64), bounds.count(&space));
        let names: BTreeSet<_> = trials.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), trials.len());
        let dims: Vec<_> = trials.iter().map(|trial| trial.size().0).collect();
        assert!(dims.is_sorted());
    }

    #[test]
    fn the_trials_of_a_group_share_a_model() {
        let space = Space::of(&Reference.about(), &[], &[], None);
        for group in enumerate(
            space,
            Bounds {
                rank: 2,
                dim: 1,
                value: 1,
            },
        ) {
            let models: Vec<_> = group
                .trials
                .iter()
                .map(|t| crate::spec::request::Model::of(&t.request(), t.binding))
                .collect();
            assert!(
                models.windows(2).all(|pair| pair[0] == pair[1]),
                "{}",
                group.trials[0]
            );
        }
    }
}
