//! Where to search: the cells of a backend.

use crate::backend::About;
use crate::spec::operator::{Binding, OPERATORS, Operator};
use crate::suite::generated::MOST_DIMS;
use crate::tensor::ElementType;

/// Where to search: operators with an element type each, and bindings; and how far.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    pub cells: Vec<(&'static Operator, ElementType, Binding)>,
    /// The most dims that a random trial has, if nobody says another number: the backend's limit.
    pub rank: usize,
}

impl Space {
    /// What the backend has of these operators and bindings (all if there is none named), in one element type each: the
    /// one asked for, or `f32`, or the first there is.
    pub(crate) fn of(
        about: &About,
        operators: &[&'static Operator],
        bindings: &[Binding],
        wanted: Option<ElementType>,
    ) -> Self {
        let mut cells = Vec::new();
        for operator in OPERATORS
            .iter()
            .filter(|operator| operators.is_empty() || operators.contains(operator))
        {
            for binding in operator
                .bindings
                .iter()
                .filter(|binding| bindings.is_empty() || bindings.contains(binding))
            {
                let types = about.supports.cells().get(&(operator.name, *binding));
                let has = |t: &ElementType| {
                    types.is_some_and(|types| types.contains(t))
                        && operator.element_types.contains(t)
                };
                let first = || {
                    [ElementType::F32]
                        .into_iter()
                        .chain(operator.element_types.iter().copied())
                        .find(has)
                };
                let element_type = match wanted {
                    Some(wanted) => Some(wanted).filter(has),
                    None => first(),
                };
                cells.extend(element_type.map(|element_type| (operator, element_type, *binding)));
            }
        }
        let limit = about
            .supports
            .highest_rank()
            .and_then(|rank| usize::try_from(rank).ok());
        Self {
            cells,
            rank: limit.map_or(MOST_DIMS, |rank| rank.min(MOST_DIMS)),
        }
    }
}
