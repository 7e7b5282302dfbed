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
    /// The cells of these operators and bindings (all if there are none) that the backend supports. Each has one element
    /// type: the given one, or else `f32`, or else the first that the backend supports. The rank is the backend's limit.
    pub(super) fn of(
        about: &About,
        operators: &[&'static Operator],
        bindings: &[Binding],
        element_type: Option<ElementType>,
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
        let cells = pairs.filter_map(|(operator, binding)| {
            let element_type = supported_type(about, operator, binding, element_type)?;
            Some((operator, element_type, binding))
        });
        let limit = about.supports.highest_rank();
        let limit = limit.and_then(|rank| usize::try_from(rank).ok());
        Self {
            cells: cells.collect(),
            rank: limit.map_or(MOST_DIMS, |rank| rank.min(MOST_DIMS)),
        }
    }
}

/// The element type to search with: `only`, or else `f32`, or else the first supported; `None` if none is supported.
fn supported_type(
    about: &About,
    operator: &'static Operator,
    binding: Binding,
    only: Option<ElementType>,
) -> Option<ElementType> {
    let supported = about.supports.cells().get(&(operator.name, binding))?;
    let is_supported =
        |of: &ElementType| supported.contains(of) && operator.element_types.contains(of);
    match only {
        Some(only) => Some(only).filter(is_supported),
        None => std::iter::once(ElementType::F32)
            .chain(operator.element_types.iter().copied())
            .find(is_supported),
    }
}
