//! What a search found, as cases to review and keep.

use crate::event::SearchStarted;
use crate::event::stream::SearchRecords;
use crate::report::cause::sentence;
use crate::report::style::tame;
use crate::spec::outcome::Allowed;
use crate::suite::case::{Cover, Expectation, ZeroMode};
use crate::suite::generated::{PREFIX, trial_named};
use crate::suite::trial::Trial;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The smallest trials of a search's findings, by case and operator, each with the findings in words. Several findings can
/// have trials that differ in the binding only, which a case does not fix.
type Proposed<'a> = BTreeMap<(String, &'a str), (Trial, Vec<String>)>;

/// The smallest trial of each finding as a case file.
pub(crate) fn cases(search: &SearchRecords) -> String {
    let SearchStarted {
        backend,
        name,
        version,
        ..
    } = &search.started;
    let [backend, name, version] =
        [backend, &**name, &**version].map(|text| tame(text).replace('\n', " "));
    let mut text = format!("# Proposed by `search` on {backend} ({name} {version}).\n");
    text.push_str("# The expectations are the oracle's. Before you keep a case, read its clauses and write the expectation yourself.\n");
    let proposed = proposed(search);
    for ((name, operator), (trial, causes)) in &proposed {
        // A case's name is unique, so the operator is added if there are several.
        let several = proposed.keys().filter(|(other, _)| other == name).count() > 1;
        let name = name.replacen(PREFIX, "found-", 1);
        let name = match several {
            true => format!("{name}-{}", operator.to_lowercase().replace('.', "-")),
            false => name,
        };
        text.push('\n');
        text.push_str(&case(&name, &causes.join("; "), trial));
    }
    text
}

fn proposed(search: &SearchRecords) -> Proposed<'static> {
    let mut proposed = Proposed::new();
    for found in &search.found {
        let trial = search.example_of(found);
        if let Some(trial) = trial.and_then(|record| trial_named(&record.trial)) {
            proposed
                .entry((trial.case.name.clone(), trial.operator.name))
                .or_insert_with(|| (trial, Vec::new()))
                .1
                .push(sentence(&found.cause));
        }
    }
    proposed
}

fn case(name: &str, about: &str, trial: &Trial) -> String {
    let case = &trial.case;
    let mut text = format!("- name: {name}\n");
    let _ = writeln!(text, "  about: {}", serde_json::Value::from(about));
    // A rule that the operator's text does not state is cited by no case.
    let is_stated = |cover: &&Cover| match cover {
        Cover::Rule(rule) => trial.operator.clauses_of(*rule).next().is_some(),
        Cover::Clause(_) => true,
    };
    let covers = case.covers.iter().filter(is_stated);
    let covers: Vec<_> = covers.map(cover).collect();
    let _ = writeln!(text, "  operators: [{}]", trial.operator);
    let _ = writeln!(text, "  covers: [{}]", covers.join(", "));
    let _ = writeln!(
        text,
        "  data: {{shape: {:?}, element_types: [{}]}}",
        case.data_shape, trial.element_type
    );
    let values = case
        .target
        .iter()
        .flat_map(|target| &target.values)
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    let _ = writeln!(text, "  shape: [{}]", values.join(", "));
    if let Some(zero) = case.zero {
        let _ = writeln!(
            text,
            "  zero: {}",
            if zero == ZeroMode::Copy {
                "copy"
            } else {
                "literal"
            }
        );
    } else if trial.operator.zero_attribute().is_some()
        && case.target.iter().any(|target| target.values.contains(&0))
    {
        // The node does not have the attribute.
        let _ = writeln!(text, "  attributes: {{}}");
    }
    let _ = writeln!(
        text,
        "  expect: {}",
        expectation(case.expectation(trial.operator))
    );
    text
}

fn cover(cover: &Cover) -> String {
    match cover {
        Cover::Rule(rule) => rule.name().to_owned(),
        Cover::Clause(clause) => clause.to_string(),
    }
}

fn expectation(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Reshaped(shape) => format!("{{shape: {shape:?}}}"),
        Expectation::Rejected(reasons) => {
            let names: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
            format!("{{rejected: [{}]}}", names.join(", "))
        }
        Expectation::Open { question, allowed } => {
            let outcome = |allowed: &Allowed| match allowed {
                Allowed::Rejected => "rejected".to_owned(),
                Allowed::Reshaped(shape) => {
                    let dims: Vec<_> = shape
                        .iter()
                        .map(|dim| dim.map_or_else(|| "any".to_owned(), |d| d.to_string()))
                        .collect();
                    format!("[{}]", dims.join(", "))
                }
            };
            let allowed: Vec<_> = allowed.iter().flatten().map(outcome).collect();
            format!("{{open: {question}, allowed: [{}]}}", allowed.join(", "))
        }
    }
}
