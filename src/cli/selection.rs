//! The selection that a command's patterns and operators make.

use crate::error::Error;
use crate::semantics::operator::{Operator, Selector};
use crate::suite::selection::Selection;

/// The trials whose names match a pattern, of these operators; all of them where there is no pattern or no operator.
pub(super) fn selection(
    patterns: &[String],
    exact: bool,
    operators: &[Selector],
) -> Result<Selection, Error> {
    let operators = self::operators(operators);
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(patterns, exact, operators).map_err(Error::Usage)
}

/// The operators that these selectors select.
pub(super) fn operators(selectors: &[Selector]) -> Vec<&'static Operator> {
    selectors
        .iter()
        .flat_map(|selector| selector.operators())
        .copied()
        .collect()
}
