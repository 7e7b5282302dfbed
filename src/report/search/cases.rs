//! What a search found, as cases to review and keep.

use crate::event::SearchStarted;
use crate::event::stream::SearchRecords;
use crate::report::cause::sentence;
use crate::report::style::tame;
use crate::suite::case::{Case, Cover, entry};
use crate::suite::generated::{PREFIX, trial_named};
use crate::suite::trial::Trial;
use std::collections::BTreeMap;

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
        text.push_str(&case(name, causes.join("; "), trial));
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

fn case(name: String, about: String, trial: &Trial) -> String {
    // A rule that the operator's text does not state is cited by no case.
    let is_stated = |cover: &Cover| match cover {
        Cover::Rule(rule) => trial.operator.states(*rule),
        Cover::Clause(_) => true,
    };
    let mut case = Case::clone(&trial.case);
    case.covers.retain(is_stated);
    (case.name, case.about) = (name, Some(about));
    entry(&case)
}
