//! The space of a search: operators, element types, bindings and surroundings, and its small trials, smallest first.

use crate::backend::About;
use crate::model::surroundings::{self, Surrounding, bindings_of};
use crate::semantics::operator::{Binding, OPERATORS, Operator, TargetSource};
use crate::suite::case::ZeroMode;
use crate::suite::generated::{Cell, GeneratedCase, MAX_DIMS, MAX_ELEMENTS};
use crate::suite::trial::{Group, Trial};
use crate::tensor::ElementType;

/// The space to search.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The combinations to search.
    pub(super) cells: Vec<Cell>,
    /// The highest rank of random trials.
    pub(super) rank: usize,
}

impl Space {
    /// The cells of these operators and bindings (all if empty) that the backend supports. Each pair of operator and
    /// binding has a cell for each of the given element types. Without given types it has one cell, with the next type
    /// in turn; the first is `f32`. With surroundings it has only the cells of [`surrounded`]. The rank is the backend's
    /// limit.
    pub(super) fn of(
        about: &About,
        operators: &[&'static Operator],
        bindings: &[Binding],
        element_types: &[ElementType],
        surroundings: &[Surrounding],
    ) -> Self {
        let all = OPERATORS.iter();
        let operators = all.filter(|of| operators.is_empty() || operators.contains(of));
        let pairs = operators.flat_map(|operator| {
            let all = operator.bindings.iter();
            let searched = all.filter(|of| bindings.is_empty() || bindings.contains(of));
            searched.map(move |binding| (operator, *binding))
        });
        let mut cells: Vec<Cell> = Vec::new();
        let mut turn = 0;
        for (operator, binding) in pairs {
            let supported = about.supports.cells.get(&(operator.name, binding));
            let types = operator.element_types.iter().copied();
            let is_supported = |of: &ElementType| supported.is_some_and(|all| all.contains(of));
            let mut supported: Vec<_> = types.filter(is_supported).collect();
            supported.sort_by_key(|of| *of != ElementType::F32);
            if !surroundings.is_empty() {
                supported = surroundings::element_types(&supported).collect();
            }
            match element_types {
                [] if supported.is_empty() => {}
                [] => {
                    supported = vec![supported[turn % supported.len()]];
                    // In surroundings, the first type serves all.
                    turn += usize::from(surroundings.is_empty());
                }
                only => supported.retain(|of| only.contains(of)),
            }
            let types = supported.into_iter();
            cells.extend(types.map(|of| (operator, of, binding, None)));
        }
        if !surroundings.is_empty() {
            cells = surrounded(about, &cells, surroundings);
        }
        let limits = &about.supports.limits;
        let limit = limits.rank.into_iter().chain(limits.data_rank).min();
        let limit = limit.and_then(|rank| usize::try_from(rank).ok());
        Self {
            cells,
            rank: limit.map_or(MAX_DIMS, |rank| rank.min(MAX_DIMS)),
        }
    }
}

/// The cells in these surroundings, where they test the operator and reach the backend: a graph with one static and one
/// dynamic binding of these cells, a sequence with all.
fn surrounded(about: &About, alone: &[Cell], surroundings: &[Surrounding]) -> Vec<Cell> {
    let of_operators = alone.chunk_by(|one, other| one.0 == other.0);
    let cells = of_operators.flat_map(|cells| {
        let bindings: Vec<_> = cells.iter().map(|(_, _, binding, _)| *binding).collect();
        let tested = surroundings.iter().copied();
        let tested = tested.filter(|of| of.tests(cells[0].0) && about.supports.reaches(*of));
        tested.flat_map(move |surrounding| {
            let bindings = bindings_of(surrounding, &bindings);
            let cells = cells.iter().filter(move |cell| bindings.contains(&cell.2));
            cells.map(move |(operator, of, binding, _)| {
                (*operator, *of, *binding, Some(surrounding))
            })
        })
    });
    cells.collect()
}

/// The limits of small trials.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The highest rank of data and of target.
    pub(super) rank: u32,
    /// The longest data dim.
    pub(super) dim: u64,
    /// The largest target value; the smallest is [`Self::MIN_VALUE`].
    pub(super) value: u64,
}

impl Bounds {
    /// The smallest target value.
    pub(super) const MIN_VALUE: i64 = -2;

    /// Up to `rank` dims of data and of target, data dims up to `dim`, target values up to `value`. Fails when the data
    /// would have too many elements.
    pub(crate) fn new(rank: u32, dim: u64, value: u64) -> Result<Self, String> {
        let elements = dim.checked_pow(rank);
        if elements.is_some_and(|elements| elements <= MAX_ELEMENTS) {
            return Ok(Self { rank, dim, value });
        }
        Err(format!(
            "data of rank {rank} with dims to {dim} has more than {MAX_ELEMENTS} elements, the limit of a search"
        ))
    }

    /// The number of lengths of a data dim.
    pub(super) fn lengths(self) -> u64 {
        self.dim + 1
    }

    /// The number of values of a target's entry.
    pub(super) fn values(self) -> u64 {
        self.value + 1 + Self::MIN_VALUE.unsigned_abs()
    }

    /// The number of trials in a space; `None` past 64 bits, or in surroundings, where some trials are impossible.
    pub(super) fn count(self, space: &Space) -> Option<u64> {
        if space.cells.iter().any(|cell: &Cell| cell.3.is_some()) {
            return None;
        }
        let (mut shapes, mut targets, mut with_zeros) = (0u64, 0u64, 0u64);
        for rank in 0..=self.rank {
            shapes = shapes.checked_add(self.lengths().checked_pow(rank)?)?;
            let all = self.values().checked_pow(rank)?;
            let without_zeros = (self.values() - 1).checked_pow(rank)?;
            targets = targets.checked_add(all)?;
            with_zeros = with_zeros.checked_add(all - without_zeros)?;
        }
        // An operator with an attribute for zeros has a trial with each of its values.
        space.cells.iter().try_fold(0u64, |sum, (operator, ..)| {
            let targets = if operator.zero_attribute().is_some() {
                targets.checked_add(with_zeros)?
            } else {
                targets
            };
            sum.checked_add(shapes.checked_mul(targets)?)
        })
    }
}

/// Every trial within the bounds, in groups that share a model. A group is empty if its trials are not possible, so a
/// limit on time also ends a search of few possible trials.
pub(super) fn enumerate(space: Space, bounds: Bounds) -> impl Iterator<Item = Group> + Send {
    let ranks = (0..=2 * bounds.rank).flat_map(move |dims| {
        (dims.saturating_sub(bounds.rank)..=dims.min(bounds.rank))
            .map(move |rank| (rank, dims - rank))
    });
    ranks.flat_map(move |(rank, length)| {
        let cells = space.cells.clone().into_iter();
        let blocks = cells.map(move |cell| Block {
            cell,
            bounds,
            rank,
            length,
            shapes: bounds.lengths().pow(rank),
            targets: bounds.values().pow(length),
        });
        blocks.flat_map(Block::groups)
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
    /// Whether the model leaves the data dims open.
    fn is_dynamic(self) -> bool {
        self.cell.2.dynamic()
    }

    /// Whether the target is a runtime input.
    fn is_runtime(self) -> bool {
        self.cell.2.source() == TargetSource::Runtime
    }

    /// For each model, its trials in groups of limited size. In a surrounding, each trial has its own model.
    fn groups(self) -> impl Iterator<Item = Group> + Send {
        let shapes = if self.is_dynamic() { 1 } else { self.shapes };
        let targets = if self.is_runtime() { 1 } else { self.targets };
        let models = shapes * targets;
        let per_model = (self.shapes / shapes) * (self.targets / targets);
        let size = match self.cell.3 {
            Some(_) => 1,
            None => Group::MAX_TRIALS,
        };
        (0..models).flat_map(move |model| {
            [None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)]
                .into_iter()
                .flat_map(move |zero| {
                    (0..per_model).step_by(size).map(move |start| {
                        let inputs = start..per_model.min(start + size as u64);
                        let trials = inputs.filter_map(|input| self.trial(model, input, zero));
                        Group {
                            trials: trials.collect(),
                        }
                    })
                })
        })
    }

    /// The trial with the `input`-th inputs of the `model`-th model; `None` if the operator does not have this zero
    /// mode, or the trial cannot be in the surrounding.
    fn trial(self, model: u64, input: u64, zero: Option<ZeroMode>) -> Option<Trial> {
        let (shape, target) = match (self.is_dynamic(), self.is_runtime()) {
            (false, false) => (model / self.targets, model % self.targets),
            (true, false) => (input, model),
            (false, true) => (model, input),
            (true, true) => (input / self.targets, input % self.targets),
        };
        let target = digits(target, self.bounds.values(), self.length).into_iter();
        let target: Vec<_> = target
            .map(|digit| digit as i64 + Bounds::MIN_VALUE)
            .collect();
        let modes = GeneratedCase::modes(self.cell.0, &target);
        modes.contains(&zero).then(|| {
            let data = digits(shape, self.bounds.lengths(), self.rank);
            GeneratedCase { data, target, zero }.trial_in(self.cell)
        })?
    }
}

/// A number's digits, the most significant first.
fn digits(mut number: u64, base: u64, length: u32) -> Vec<u64> {
    let mut digits = vec![0; length as usize];
    for digit in digits.iter_mut().rev() {
        *digit = number % base;
        number /= base;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::semantics::operator::Operator;
    use crate::semantics::request::Model;
    use std::collections::BTreeSet;

    #[test]
    fn every_small_trial_comes_once_and_the_smallest_first() {
        let operators = ["onnx.Reshape-13", "onnx.Reshape-14", "openvino.Reshape-1"]
            .map(|name| Operator::named(name).expect("one"));
        let space = Space::of(&Reference.about(), &operators, &[], &[], &[]);
        let bounds = Bounds::new(2, 2, 2).expect("bounds");
        let trials = enumerate(space.clone(), bounds).flat_map(|group| group.trials);
        let trials: Vec<_> = trials.collect();
        assert_eq!(Some(trials.len() as u64), bounds.count(&space));
        let names: BTreeSet<_> = trials.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), trials.len());
        let dims: Vec<_> = trials.iter().map(|trial| trial.size().0).collect();
        assert!(dims.is_sorted());
    }

    #[test]
    fn the_trials_of_a_group_share_a_model() {
        let space = Space::of(&Reference.about(), &[], &[], &[], &[]);
        for group in enumerate(space, Bounds::new(2, 1, 1).expect("bounds")) {
            let models = group.trials.iter();
            let models = models.map(|of| Model::of(of.request(), of.binding));
            let models: Vec<_> = models.collect();
            let mut pairs = models.windows(2);
            assert!(pairs.all(|pair| pair[0] == pair[1]), "{models:?}");
        }
    }
}
