//! Gaps: what the cases do not test of a must clause.

use super::Way;
use crate::spec::operator::{ClauseOf, Rule};
use std::fmt;

/// A rule of a must clause that no case tests in a way in which it can be tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) of: ClauseOf,
    pub(crate) rule: Rule,
    pub(crate) way: Way,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, rule, way } = self;
        let expects = match way {
            Way::Accepting => "an accepted request (`expect: {shape: ...}`)",
            Way::Rejecting => "a rejection (`expect: {rejected: ...}`)",
            Way::Open => "an open question",
        };
        let cite = if rule.is_citable() {
            format!("{rule} or {of}")
        } else {
            of.to_string()
        };
        let operator = of.operator;
        write!(
            f,
            "{of}: no {} case says {rule}; add a case on {operator} that expects {expects} and cites {cite}",
            way.name()
        )
    }
}
