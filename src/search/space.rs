//! The space of a search: operators, element types and bindings.

use crate::backend::About;
use crate::semantics::operator::{Binding, OPERATORS, Operator};
use crate::suite::generated::{MOST_DIMS, MOST_ELEMENTS};
use crate::tensor::ElementType;

/// An operator with an element type and a binding.
pub(super) type Cell = (&'static Operator, ElementType, Binding);

/// Where to search.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The combinations to search.
    pub(super) cells: Vec<Cell>,
    /// The highest rank of random trials.
    pub(super) rank: usize,
}

impl Space {
    /// The cells of these operators and bindings (all if there are none) that the backend supports. Each pair of them has a
    /// cell for each of the given element types. Without these it has one cell, and each pair the next type in turn, the
    /// first `f32`. The rank is the backend's limit.
    pub(super) fn of(
        about: &About,
        operators: &[&'static Operator],
        bindings: &[Binding],
        element_types: &[ElementType],
    ) -> Self {
        let operators = OPERATORS
            .iter()
            .filter(|operator| operators.is_empty() || operators.contains(operator));
        let pairs = operators.flat_map(|operator| {
            let searched = operator.bindings.iter();
            searched
                .filter(|binding| bindings.is_empty() || bindings.contains(binding))
                .map(move |binding| (operator, *binding))
        });
        let mut cells: Vec<Cell> = Vec::new();
        let mut turn = 0;
        for (operator, binding) in pairs {
            let mut supported = supported_types(about, operator, binding);
            match element_types {
                [] if supported.is_empty() => {}
                [] => {
                    supported = vec![supported[turn % supported.len()]];
                    turn += 1;
                }
                only => supported.retain(|of| only.contains(of)),
            }
            cells.extend(supported.into_iter().map(|of| (operator, of, binding)));
        }
        let limit = about.supports.highest_rank();
        let limit = limit.and_then(|rank| usize::try_from(rank).ok());
        Self {
            cells,
            rank: limit.map_or(MOST_DIMS, |rank| rank.min(MOST_DIMS)),
        }
    }
}

/// The element types of an operator that a backend supports through a binding, `f32` first.
fn supported_types(
    about: &About,
    operator: &'static Operator,
    binding: Binding,
) -> Vec<ElementType> {
    let Some(supported) = about.supports.cells().get(&(operator.name, binding)) else {
        return Vec::new();
    };
    let types = operator.element_types.iter().copied();
    let mut types: Vec<_> = types.filter(|of| supported.contains(of)).collect();
    types.sort_by_key(|of| *of != ElementType::F32);
    types
}

/// Which trials are small.
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

    /// Up to `rank` dims of data and of target, data dims up to `dim`, target values up to `value`.
    ///
    /// # Errors
    /// When the data would have too many elements.
    pub(crate) fn new(rank: u32, dim: u64, value: u64) -> Result<Self, String> {
        let elements = dim.checked_pow(rank);
        if elements.is_some_and(|elements| elements <= MOST_ELEMENTS) {
            return Ok(Self { rank, dim, value });
        }
        Err(format!(
            "data of rank {rank} with dims to {dim} is more than the {MOST_ELEMENTS} elements that a trial of a search has"
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

    /// The number of trials in a space; `None` if it takes more than 64 bits.
    pub(super) fn count(self, space: &Space) -> Option<u64> {
        let (mut shapes, mut targets, mut with_zeros) = (0u64, 0u64, 0u64);
        for rank in 0..=self.rank {
            shapes = shapes.checked_add(self.lengths().checked_pow(rank)?)?;
            let all = self.values().checked_pow(rank)?;
            let without_zeros = (self.values() - 1).checked_pow(rank)?;
            targets = targets.checked_add(all)?;
            with_zeros = with_zeros.checked_add(all - without_zeros)?;
        }
        // If the operator has an attribute for zeros, there is a trial with each of its values.
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
