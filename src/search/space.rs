//! The space of a search: operators, element types and bindings.

use crate::backend::About;
use crate::spec::operator::{Binding, OPERATORS, Operator};
use crate::suite::generated::MOST_DIMS;
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
