//! What each case adds to a suite: the mutants that it kills, and the cells that only it covers.

use crate::names::Grouped;
use crate::semantics::operator::ClauseOf;
use crate::suite::Suite;
use crate::suite::case::Case;
use crate::suite::coverage::Coverage;
use crate::suite::plan::Plan;
use crate::suite::trial::Trial;
use crate::tensor::Count;
use crate::verdict::diagnosis::{Hypothesis, TrialContext};
use crate::verdict::mutant::CATALOGUE;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The addition of a case.
pub(crate) struct Addition {
    pub(crate) case: Arc<Case>,
    /// The number of mutants that it kills, at most 1 without a full count; `None` if its data is too large to try all.
    pub(crate) mutants: Option<usize>,
    /// The number of cells of the coverage table (clause, way, class of element types, binding) without another case.
    pub(crate) cells: usize,
}

impl fmt::Display for Addition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.case.name)?;
        match self.mutants {
            Some(mutants) => write!(f, "kills {mutants} of {} mutants", CATALOGUE.len())?,
            None => f.write_str("has too much data for a count of the mutants that it kills")?,
        }
        let cells = self.cells;
        write!(f, ", and is alone in {cells} cells of the coverage table")
    }
}

/// What the cases of a plan add to a suite that has them. Without `count`, only whether they kill a mutant.
pub(crate) fn additions(plan: &Plan, suite: &Suite, count: bool) -> Vec<Addition> {
    let trials = plan.trials().filter(|trial| trial.surrounding.is_none());
    let trials = trials.map(|trial| (trial.case.name.as_str(), trial));
    let trials = trials.sorted();
    let alone = alone(suite, plan);
    let additions = plan.cases.iter().map(|planned| {
        let case = &planned.case;
        let trials = trials.get(case.name.as_str());
        Addition {
            mutants: is_small(case).then(|| trials.map_or(0, |trials| killed(trials, count))),
            cells: alone.get(&case.name).copied().unwrap_or(0),
            case: Arc::clone(case),
        }
    });
    additions.collect()
}

/// Whether all mutants can quickly be tried on the case.
fn is_small(case: &Case) -> bool {
    const MAX_ELEMENTS: u64 = 4096;
    Count::of(&case.data_shape).is_at_most(MAX_ELEMENTS)
}

/// For each case of the plan, the cells of the coverage table that no other case of the suite reaches.
fn alone(suite: &Suite, plan: &Plan) -> HashMap<String, usize> {
    let cites = |of: &ClauseOf| {
        let mut cases = plan.cases.iter().map(|planned| &planned.case);
        cases.any(|case| {
            case.operators.contains(&of.operator) && !case.rules_covered(*of).is_empty()
        })
    };
    let mut alone = HashMap::new();
    for clause in Coverage::of(suite, cites).clauses {
        for names in clause.cells().into_values() {
            if let [name] = names.as_slice() {
                *alone.entry((*name).to_owned()).or_default() += 1;
            }
        }
    }
    alone
}

/// The number of mutants that fail one of the trials; at most 1 without `count`.
fn killed(trials: &[&Trial], count: bool) -> usize {
    let living = CATALOGUE.iter().map(|mutant| Hypothesis::of(vec![mutant]));
    let living = living.filter(|hypothesis| !hypothesis.is_stateful());
    let mut living: Vec<_> = living.collect();
    let all = living.len();
    for trial in trials {
        let context = TrialContext::of(trial);
        living.retain(|hypothesis| !hypothesis.fails(&context));
        if living.len() < all && !count {
            return 1;
        }
    }
    all - living.len()
}
