//! Every small trial, ordered by the number of dims of data and target together, then by their lengths.

use super::space::Bounds;
use super::space::{Cell, Space};
use crate::semantics::operator::TargetSource;
use crate::suite::case::ZeroMode;
use crate::suite::generated::GeneratedCase;
use crate::suite::trial::{Group, Trial};

/// Every trial within the bounds, in groups that share a model.
pub(super) fn enumerate(space: Space, bounds: Bounds) -> impl Iterator<Item = Group> + Send {
    let ranks = (0..=2 * bounds.rank).flat_map(move |dims| {
        (dims.saturating_sub(bounds.rank)..=dims.min(bounds.rank))
            .map(move |rank| (rank, dims - rank))
    });
    ranks.flat_map(move |(rank, length)| {
        let cells = space.cells.clone();
        cells
            .into_iter()
            .flat_map(move |cell| Block::new(cell, bounds, rank, length).groups())
    })
}

/// The trials of one cell with data of one rank and targets of one length. Shapes and targets are numbered.
#[derive(Clone, Copy)]
struct Block {
    cell: Cell,
    bounds: Bounds,
    /// The rank of the data.
    rank: u32,
    /// The length of the target.
    length: u32,
    /// The number of data shapes.
    shapes: u64,
    /// The number of targets.
    targets: u64,
}

impl Block {
    fn new(cell: Cell, bounds: Bounds, rank: u32, length: u32) -> Self {
        Self {
            cell,
            bounds,
            rank,
            length,
            shapes: bounds.lengths().pow(rank),
            targets: bounds.values().pow(length),
        }
    }

    /// Whether the data dims are not part of the model.
    fn is_dynamic(self) -> bool {
        self.cell.2.dynamic()
    }

    /// Whether the target is not part of the model.
    fn is_runtime(self) -> bool {
        self.cell.2.source() == TargetSource::Runtime
    }

    /// For each model, its trials in groups of limited size. The zero mode is part of the model.
    fn groups(self) -> impl Iterator<Item = Group> + Send {
        let shapes = if self.is_dynamic() { 1 } else { self.shapes };
        let targets = if self.is_runtime() { 1 } else { self.targets };
        let models = shapes * targets;
        let per_model = (self.shapes / shapes) * (self.targets / targets);
        let size = Group::MAX_TRIALS as u64;
        (0..models).flat_map(move |model| {
            [None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)]
                .into_iter()
                .flat_map(move |zero| {
                    (0..per_model)
                        .step_by(Group::MAX_TRIALS)
                        .filter_map(move |start| {
                            let inputs = start..per_model.min(start + size);
                            let trials: Vec<_> = inputs
                                .filter_map(|input| self.trial(model, input, zero))
                                .collect();
                            (!trials.is_empty()).then_some(Group { trials })
                        })
                })
        })
    }

    /// The trial with the `input`-th inputs of the `model`-th model; `None` if the operator has no such zero mode.
    fn trial(self, model: u64, input: u64, zero: Option<ZeroMode>) -> Option<Trial> {
        let (shape, target) = match (self.is_dynamic(), self.is_runtime()) {
            (false, false) => (model / self.targets, model % self.targets),
            (true, false) => (input, model),
            (false, true) => (model, input),
            (true, true) => (input / self.targets, input % self.targets),
        };
        let target: Vec<i64> = digits(target, self.bounds.values(), self.length)
            .into_iter()
            .map(|digit| digit as i64 + Bounds::MIN_VALUE)
            .collect();
        let (operator, element_type, binding) = self.cell;
        let modes = GeneratedCase::modes(operator, &target);
        modes.contains(&zero).then(|| {
            let data = digits(shape, self.bounds.lengths(), self.rank);
            GeneratedCase { data, target, zero }.trial(operator, element_type, binding)
        })
    }
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
    use crate::semantics::operator::Operator;
    use std::collections::BTreeSet;

    #[test]
    fn every_small_trial_comes_once_and_the_smallest_first() {
        let operators = ["onnx.Reshape-13", "onnx.Reshape-14", "openvino.Reshape-1"]
            .map(|name| Operator::named(name).expect("one"));
        let space = Space::of(&Reference.about(), &operators, &[], &[]);
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
        let space = Space::of(&Reference.about(), &[], &[], &[]);
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
                .map(|t| crate::semantics::request::Model::of(t.request(), t.binding))
                .collect();
            assert!(
                models.windows(2).all(|pair| pair[0] == pair[1]),
                "{}",
                group.trials[0]
            );
        }
    }
}
