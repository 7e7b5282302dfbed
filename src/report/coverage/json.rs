//! The coverage table as JSON: every cell with the names of its cases.

use crate::semantics::operator::Tested;
use crate::suite::coverage::{Coverage, Covered};
use serde_json::{Value, json};

/// The whole table; ends with a newline.
pub(crate) fn render(coverage: &Coverage) -> String {
    let (found, statements) = coverage.statements();
    let value = json!({
        "suite": env!("CARGO_PKG_VERSION"),
        "statements": {"in_the_texts": statements, "in_the_table": found},
        "clauses": coverage.clauses.iter().map(clause).collect::<Vec<_>>(),
        "gaps": coverage.gaps().iter().map(|gap| json!({
            "clause": gap.of.to_string(), "rule": gap.rule.name(), "way": gap.way.name(), "message": gap.to_string(),
        })).collect::<Vec<_>>(),
    });
    format!("{value}\n")
}

fn clause(covered: &Covered) -> Value {
    let clause = covered.of.clause;
    let cells = covered.cells().into_iter().map(|((way, class, binding), cases)| {
        json!({"way": way.name(), "element_types": class.name(), "binding": binding.name(), "cases": cases})
    });
    let missing = covered.missing().into_iter();
    let missing = missing.map(|(rule, way)| json!({"rule": rule.name(), "way": way.name()}));
    json!({
        "clause": covered.of.to_string(),
        "operator": covered.of.operator.name,
        "level": clause.level,
        "says": clause.description,
        "rules": clause.rules().map(|rule| rule.name()).collect::<Vec<_>>(),
        "testable": match clause.tested {
            Tested::Both => "both-ways",
            Tested::Accepting(_) => "accepting",
            Tested::Rejecting(_) => "rejecting",
            Tested::Not(_) => "not",
        },
        "why": clause.tested.why(),
        "missing": missing.collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
    })
}
