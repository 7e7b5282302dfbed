//! Coverage: which clauses the cases of a suite test, and how: operator x clause x way x class of element types x
//! binding, with the cases of each cell. Pure; nothing is run for it.

mod summary;
#[cfg(test)]
mod tests;

pub(crate) use summary::{ClauseStatus, Summary};

use crate::spec::operator::{Binding, ClauseOf, Level, OPERATORS, Operator, Rule, Tested};
use crate::suite::Suite;
use crate::suite::case::{Case, Expectation};
use crate::tensor::{Class, ElementType};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a case expects of the operator whose clause it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// A shape.
    Accepting,
    /// A rejection.
    Rejecting,
    /// The text leaves it open, so that the case alone shows nothing right or wrong.
    Open,
}

impl Way {
    pub(crate) const ALL: &'static [Self] = &[Self::Accepting, Self::Rejecting, Self::Open];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Accepting => "accepting",
            Self::Rejecting => "rejecting",
            Self::Open => "open",
        }
    }

    fn of(expectation: &Expectation) -> Self {
        match expectation {
            Expectation::Reshaped(_) => Self::Accepting,
            Expectation::Rejected(_) => Self::Rejecting,
            Expectation::Open { .. } => Self::Open,
        }
    }
}

/// The clauses of a suite's operators, each with the cases that cite it.
pub(crate) struct Coverage {
    pub(crate) clauses: Vec<Covered>,
}

/// One clause with the cases that cite it.
pub(crate) struct Covered {
    pub(crate) of: ClauseOf,
    pub(crate) by: Vec<Citation>,
}

/// A case that cites a clause.
pub(crate) struct Citation {
    pub(crate) case: Arc<Case>,
    pub(crate) way: Way,
    /// For which of the clause's rules; all of them if the case cites the clause itself.
    pub(crate) rules: Vec<Rule>,
}

/// One cell of the table below a clause.
pub(crate) type Cell = (Way, Class, Binding);

/// Something that a must clause lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) of: ClauseOf,
    pub(crate) rule: Rule,
    pub(crate) way: Way,
}

impl Coverage {
    /// What the cases cover of the clauses whose id is taken.
    pub(crate) fn of(suite: &Suite, takes: impl Fn(&ClauseOf) -> bool) -> Self {
        let clauses = OPERATORS
            .iter()
            .flat_map(|operator| operator.clauses())
            .filter(|of| takes(of));
        Self {
            clauses: clauses
                .map(|of| Covered {
                    of,
                    by: citations(suite, of),
                })
                .collect(),
        }
    }

    /// The operators that have clauses here, in the table's order, each with them.
    pub(crate) fn by_operator(&self) -> impl Iterator<Item = (&'static Operator, &[Covered])> {
        self.clauses
            .chunk_by(|a, b| a.of.operator == b.of.operator)
            .map(|clauses| (clauses[0].of.operator, clauses))
    }

    /// Everything that makes it red.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        self.clauses.iter().flat_map(Covered::gaps).collect()
    }
}

fn citations(suite: &Suite, of: ClauseOf) -> Vec<Citation> {
    let cases = suite
        .cases()
        .iter()
        .filter(|case| case.operators.contains(&of.operator));
    let citation = |case: &Arc<Case>| {
        let rules = case.rules_covered(of);
        let way = Way::of(case.expectation(of.operator));
        (!rules.is_empty()).then(|| Citation {
            case: Arc::clone(case),
            way,
            rules,
        })
    };
    cases.filter_map(citation).collect()
}

impl Covered {
    /// The cases that cite it in one way.
    pub(crate) fn in_way(&self, way: Way) -> impl Iterator<Item = &Citation> {
        self.by.iter().filter(move |citation| citation.way == way)
    }

    /// Each rule and way in which the clause can be tested and is not, whatever its level.
    pub(crate) fn missing(&self) -> Vec<(Rule, Way)> {
        let ways: &[Way] = match self.of.clause.tested {
            Tested::Both => &[Way::Accepting, Way::Rejecting],
            Tested::Accepting(_) => &[Way::Accepting],
            Tested::Rejecting(_) => &[Way::Rejecting],
            Tested::Not(_) => &[],
        };
        let wanted = self
            .of
            .clause
            .rules()
            .flat_map(|rule| ways.iter().map(move |way| (rule, *way)));
        wanted
            .filter(|(rule, way)| {
                !self
                    .in_way(*way)
                    .any(|citation| citation.rules.contains(rule))
            })
            .collect()
    }

    /// What makes it red: whatever a must clause is missing.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        match self.of.clause.level {
            Level::Must => self
                .missing()
                .into_iter()
                .map(|(rule, way)| Gap {
                    of: self.of,
                    rule,
                    way,
                })
                .collect(),
            // What a text advises, permits or leaves open is shown, and makes nothing red.
            Level::Should | Level::May | Level::Open => Vec::new(),
        }
    }

    /// The cells that cases reach, each with the names of its cases.
    pub(crate) fn cells(&self) -> BTreeMap<Cell, Vec<&str>> {
        let mut cells: BTreeMap<Cell, Vec<&str>> = BTreeMap::new();
        for citation in &self.by {
            for class in classes(citation.case.element_types(self.of.operator)) {
                for binding in citation.case.bindings(self.of.operator) {
                    cells
                        .entry((citation.way, class, binding))
                        .or_default()
                        .push(&citation.case.name);
                }
            }
        }
        cells
    }
}

/// The classes of some element types, each once, in the order of [`Class::ALL`].
pub(crate) fn classes(types: &[ElementType]) -> Vec<Class> {
    Class::ALL
        .iter()
        .copied()
        .filter(|class| {
            types
                .iter()
                .any(|element_type| element_type.class() == *class)
        })
        .collect()
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
