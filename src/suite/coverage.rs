//! Coverage: which clauses the cases of a suite test, and how. A cell is operator × clause × way × class of element
//! types × binding, with its cases. Pure; runs nothing.

use crate::names::{Grouped, named_enum};
use crate::semantics::operator::{
    Binding, ClauseOf, Level, OPERATORS, Operator, Rule, STATEMENTS, Tested,
};
use crate::suite::Suite;
use crate::suite::case::{Case, Cover, Expectation};
use crate::suite::plan::Plan;
use crate::tensor::{Class, ElementType};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

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
    /// The clause's rules that it covers; all if the case cites the clause itself.
    pub(crate) rules: Vec<Rule>,
    /// The classes of element types and the bindings of its trials.
    trials: BTreeSet<(Class, Binding)>,
}

/// One cell of the table below a clause.
pub(crate) type Cell = (Way, Class, Binding);

impl Coverage {
    /// The coverage of the clauses that `takes` accepts.
    pub(crate) fn of(suite: &Suite, takes: impl Fn(&ClauseOf) -> bool) -> Self {
        let clauses = OPERATORS.iter().flat_map(|operator| operator.clauses());
        let covered = clauses.filter(|of| takes(of)).map(|of| Covered {
            of,
            by: citations(suite, of),
        });
        Self {
            clauses: covered.collect(),
        }
    }

    /// Leaves only what the trials of a plan cover.
    pub(crate) fn keep(&mut self, plan: &Plan) {
        let mut kept: HashMap<_, BTreeSet<_>> = HashMap::new();
        for trial in plan.trials() {
            let of = kept.entry((trial.case.name.as_str(), trial.operator.name));
            of.or_default()
                .insert((trial.element_type.class(), trial.binding));
        }
        for Covered { of, by } in &mut self.clauses {
            by.retain_mut(|citation| {
                let kept = kept.get(&(citation.case.name.as_str(), of.operator.name));
                citation.trials = kept.cloned().unwrap_or_default();
                kept.is_some()
            });
        }
    }

    /// The operators in the table's order, each with its clauses.
    pub(crate) fn by_operator(&self) -> impl Iterator<Item = (&'static Operator, &[Covered])> {
        self.clauses
            .chunk_by(|a, b| a.of.operator == b.of.operator)
            .map(|clauses| (clauses[0].of.operator, clauses))
    }

    /// The gaps of every clause.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        self.clauses.iter().flat_map(Covered::gaps).collect()
    }

    /// The number of statements in the five texts that are clauses here, and of all statements.
    pub(crate) fn statements(&self) -> (usize, usize) {
        let found = |statement: &&str| {
            let mut clauses = self.clauses.iter();
            clauses.any(|covered| covered.of.to_string() == **statement)
        };
        (
            STATEMENTS.lines().filter(found).count(),
            STATEMENTS.lines().count(),
        )
    }
}

fn citations(suite: &Suite, of: ClauseOf) -> Vec<Citation> {
    let cases = suite.cases().iter();
    let cases = cases.filter(|case| case.operators.contains(&of.operator));
    let citation = |case: &Arc<Case>| {
        let expectation = case.expectation(of.operator);
        let mut rules = case.rules_covered(of);
        let shown = |rule: &Rule| case.shows(of.operator, *rule);
        // A case that cites the clause itself and shows some of its rules covers it completely.
        if !(case.covers.contains(&Cover::Clause(of)) && rules.iter().any(shown)) {
            rules.retain(shown);
        }
        let way = Way::of(expectation);
        let classes = classes(case.element_types(of.operator)).into_iter();
        let trials = classes.flat_map(|class| {
            let bindings = case.bindings(of.operator);
            bindings.map(move |binding| (class, binding))
        });
        (!rules.is_empty()).then(|| Citation {
            case: Arc::clone(case),
            way,
            rules,
            trials: trials.collect(),
        })
    };
    cases.filter_map(citation).collect()
}

impl Covered {
    /// The cases that cite it in one way.
    pub(crate) fn in_way(&self, way: Way) -> impl Iterator<Item = &Citation> {
        self.by.iter().filter(move |citation| citation.way == way)
    }

    /// The rules and ways in which the clause can be tested but is not, whatever its level.
    pub(crate) fn missing(&self) -> Vec<(Rule, Way)> {
        let ways = self.ways();
        let wanted = self.of.clause.rules();
        let wanted = wanted.flat_map(|rule| ways.iter().map(move |way| (rule, *way)));
        let is_tested = |rule: &Rule, way| self.in_way(way).any(|of| of.rules.contains(rule));
        let missing = wanted.filter(|(rule, way)| !is_tested(rule, *way));
        missing.collect()
    }

    /// What is missing, for a must clause.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let of = self.of;
        let missing = self.missing().into_iter();
        match of.clause.level {
            Level::Must => missing.map(|(rule, way)| Gap { of, rule, way }).collect(),
            // Missing tests of advice, permissions and open points are shown, but are not gaps.
            Level::Should | Level::May | Level::Open => Vec::new(),
        }
    }

    /// The cells without a case among the ways to test the clause: for each way and class of types, the bindings.
    pub(crate) fn empty_cells(&self) -> Vec<(Way, Class, Vec<Binding>)> {
        let (operator, reached) = (self.of.operator, self.cells());
        let mut empty = Vec::new();
        for way in self.ways() {
            for class in classes(operator.element_types) {
                let lacks = |binding: &Binding| !reached.contains_key(&(*way, class, *binding));
                let bindings: Vec<_> = operator.bindings.iter().copied().filter(lacks).collect();
                if !bindings.is_empty() {
                    empty.push((*way, class, bindings));
                }
            }
        }
        empty
    }

    /// The ways in which the clause can be tested.
    pub(crate) fn ways(&self) -> &'static [Way] {
        match self.of.clause.tested {
            Tested::Both => &[Way::Accepting, Way::Rejecting],
            Tested::Accepting(_) => &[Way::Accepting],
            Tested::Rejecting(_) => &[Way::Rejecting],
            Tested::Not(_) => &[],
        }
    }

    /// The cells that cases reach, each with the names of its cases.
    pub(crate) fn cells(&self) -> BTreeMap<Cell, Vec<&str>> {
        let cells = self.by.iter().flat_map(|of| {
            let trials = of.trials.iter();
            trials.map(|(class, binding)| ((of.way, *class, *binding), of.case.name.as_str()))
        });
        cells.sorted()
    }

    /// How far it is tested.
    pub(crate) fn status(&self) -> ClauseStatus {
        match (
            self.missing().is_empty(),
            self.of.clause.level,
            self.of.clause.tested,
        ) {
            (false, Level::Must, _) => ClauseStatus::Gap,
            (false, Level::Should | Level::May | Level::Open, _) => ClauseStatus::Partly,
            (true, _, Tested::Both) => ClauseStatus::BothWays,
            (true, _, Tested::Accepting(_) | Tested::Rejecting(_)) => ClauseStatus::OneWay,
            (true, _, Tested::Not(_)) => ClauseStatus::NotTestable,
        }
    }
}

/// The classes of these element types, without duplicates, in the order of [`Class::ALL`].
pub(crate) fn classes(types: &[ElementType]) -> Vec<Class> {
    let classes = Class::ALL.iter().copied();
    let is_there = |class: &Class| types.iter().any(|of| of.class() == *class);
    classes.filter(is_there).collect()
}

named_enum! {
    /// What a case expects of the operator whose clause it cites.
    pub(crate) enum Way, "way" {
        Accepting = "accepting",
        Rejecting = "rejecting",
        /// An open question, which shows neither right nor wrong.
        Open = "open",
    }
}

impl Way {
    pub(crate) fn of(expectation: &Expectation) -> Self {
        match expectation {
            Expectation::Reshaped(_) => Self::Accepting,
            Expectation::Rejected(_) => Self::Rejecting,
            Expectation::Open { .. } => Self::Open,
        }
    }
}

/// A rule of a must clause that no case tests in a possible way.
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
            "{of}: no {} case tests {rule}; add a case on {operator} that expects {expects} and cites {cite}",
            way.name()
        )
    }
}

/// How far a clause is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClauseStatus {
    /// Tested both ways.
    BothWays,
    /// Tested in the only possible way.
    OneWay,
    /// Not testable by any run.
    NotTestable,
    /// Not tested in some way, although its level does not require it.
    Partly,
    /// A must clause that is not tested in some way.
    Gap,
}

/// Counts of clauses.
pub(crate) struct Summary {
    pub(crate) clauses: usize,
    pub(crate) must: usize,
    of_each: Vec<(Level, ClauseStatus)>,
}

impl Summary {
    pub(crate) fn of(clauses: &[Covered]) -> Self {
        let of_each = clauses.iter().map(|of| (of.of.clause.level, of.status()));
        let of_each: Vec<_> = of_each.collect();
        let must = of_each.iter().filter(|(level, _)| *level == Level::Must);
        Self {
            clauses: of_each.len(),
            must: must.count(),
            of_each,
        }
    }

    /// The number of clauses with this status.
    pub(crate) fn count(&self, status: ClauseStatus) -> usize {
        self.of_each.iter().filter(|(_, of)| *of == status).count()
    }

    /// The number of must clauses with this status.
    pub(crate) fn must_count(&self, status: ClauseStatus) -> usize {
        let of_each = self.of_each.iter();
        of_each.filter(|of| **of == (Level::Must, status)).count()
    }

    /// The number of must clauses that are tested in every possible way, and of those that can be tested.
    pub(crate) fn must_covered(&self) -> (usize, usize) {
        let testable = self.must - self.must_count(ClauseStatus::NotTestable);
        (testable - self.must_count(ClauseStatus::Gap), testable)
    }
}
