//! The results of a search: on a terminal, and as cases to review and keep.

use super::cause::{as_mutants, sentence};
use super::diff;
use super::number::counted;
use super::style::{BAD, DIM, GOOD, NOTE, STRONG, out, paint, tame};
use super::totals::{counts_line, print_note};
use crate::error::as_started;
use crate::event::stream::SearchRecords;
use crate::event::{Counts, CutShort, Found, SearchFinished, TrialRecord};
use crate::model::surroundings::bindings_of;
use crate::names::Joined;
use crate::suite::case::{Case, Cover, entry};
use crate::suite::generated::{PREFIX, trial_named};
use crate::suite::trial::Trial;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Prints a search. `time` is its duration, if it has just ended.
pub(crate) fn show(search: &SearchRecords, time: Option<Duration>) {
    let started = &search.started;
    let [name, version] = [&started.name, &started.version].map(|text| tame(text));
    let backend = paint(STRONG, &started.backend);
    out(format!("{backend} ({name} {version})"));
    // Leave out the operators, bindings and so on, which are a long list.
    let space = started.space.split(", in ").next().unwrap_or_default();
    out(paint(DIM, tame(space)));
    for found in &search.found {
        show_found(search, found);
    }
    out("");
    show_end(search, time);
    let count = search.found.len();
    let text = counted(count, "finding");
    let died = search.finished.as_ref().is_some_and(SearchFinished::died);
    out(paint(if count == 0 && !died { GOOD } else { BAD }, text));
}

fn show_found(search: &SearchRecords, found: &Found) {
    let cause = &found.cause;
    let (mark, description) = (paint(BAD, "✗"), paint(STRONG, sentence(cause)));
    let count = cause.trials.len();
    out(format!("\n{mark} {description}: {count} failed"));
    if !cause.mutants.is_empty() {
        out(format!("  {}", paint(DIM, as_mutants(cause))));
    }
    if found.passes_alone {
        let description =
            "its smallest trial passes alone: earlier trials matter, and the cause may be another";
        out(format!("  {}", paint(NOTE, description)));
    }
    if let Some(where_it_fails) = in_surroundings(found) {
        out(format!("  {}", paint(NOTE, where_it_fails)));
    }
    if let Some(trial) = search.example_of(found) {
        show_trial(trial);
    }
}

/// Whether a finding in surroundings needs one of them. `None` for others, and if that is not known.
fn in_surroundings(found: &Found) -> Option<String> {
    fn within(name: &str) -> Option<&str> {
        name.split_once('+').map(|(_, surrounding)| surrounding)
    }
    let smallest = found.smallest.as_ref().filter(|_| !found.passes_alone)?;
    let simplest = within(&smallest.trial);
    let trials = found.cause.trials.iter();
    let all = trials.filter_map(|name| within(name)).chain(simplest);
    let all: BTreeSet<&str> = all.collect();
    match simplest {
        None if all.is_empty() => None,
        None => Some("it also fails without a surrounding".to_owned()),
        Some(_) => Some(format!(
            "only in a surrounding ({}): without it, the smallest trial does not fail for this reason",
            all.iter().joined(", ")
        )),
    }
}

fn show_trial(trial: &TrialRecord) {
    let verdict = paint(BAD, trial.judged().name());
    out(format!("  {verdict} {}", tame(&trial.trial)));
    let clauses = trial_named(&trial.trial).map(|of| of.case.clauses_of(of.operator));
    let clauses = clauses.unwrap_or_default();
    if let Some(detail) = &trial.detail {
        let lines = diff::with_clauses(&detail.diff, clauses.iter().map(diff::description));
        out(diff::indent(&lines));
        out(format!("    again: {}", as_started(&detail.again)));
    }
}

/// The counts, the reason for an early end, and the notes.
fn show_end(search: &SearchRecords, time: Option<Duration>) {
    let (backend, finished) = (&search.started.backend, search.finished.as_ref());
    let counts = finished.map_or_else(Counts::default, |end| end.counts.clone());
    let took = time.map(|time| format!(" in {:.1} s", time.as_secs_f64()));
    out(counts_line(backend, &counts, counts.total()) + &took.unwrap_or_default());
    match finished.map_or(Some(CutShort::Interrupt), |end| end.cut_short) {
        Some(CutShort::Interrupt) => out(paint(NOTE, "it was stopped before its end")),
        Some(CutShort::GivenUp) => out(paint(
            NOTE,
            "it was stopped before its end: the backend failed again and again in the same way (--give-up-after), or \
            did not restart",
        )),
        Some(CutShort::Time) => out(paint(NOTE, "its time limit ended it early")),
        None => {}
    }
    if let Some(last) = finished.and_then(|end| end.unattributed.as_ref()) {
        let description = last.told(None).to_string();
        let lines = description.lines().chain(last.last.log.lines());
        print_note(backend, finished.is_some_and(SearchFinished::died), lines);
    }
    let (retained, red) = (search.failures.len(), counts.red());
    if retained >= SearchRecords::MAX_FAILURES && red > retained {
        let note = format!("the causes cover the {retained} smallest of {red} failures");
        out(paint(NOTE, note));
    }
}

/// The smallest trial of each finding as a case file.
pub(crate) fn cases(search: &SearchRecords) -> String {
    let of = &search.started;
    let [backend, name, version] =
        [&*of.backend, &of.name, &of.version].map(|text| tame(text).replace('\n', " "));
    let mut text = format!("# Proposed by `search` on {backend} ({name} {version}).\n");
    text.push_str("# The expectations are the oracle's. Before you keep a case, read its clauses and write the expectation yourself.\n");
    // The smallest trials, by case and operator, each with the findings in words. Several findings can have trials that
    // differ only in the binding, which a case does not fix.
    let mut proposed: BTreeMap<(String, &str), (Trial, Vec<String>)> = BTreeMap::new();
    for found in &search.found {
        let trial = search.example_of(found);
        if let Some(trial) = trial.and_then(|record| trial_named(&record.trial)) {
            let entry = proposed.entry((trial.case.name.clone(), trial.operator.name));
            let (_, causes) = entry.or_insert_with(|| (trial, Vec::new()));
            causes.push(sentence(&found.cause));
        }
    }
    for ((name, operator), (trial, causes)) in &proposed {
        // A case's name is unique, so the operator is added if there are several.
        let several = proposed.keys().filter(|(other, _)| other == name).count() > 1;
        let name = name.replacen(PREFIX, "found-", 1);
        let name = match several {
            true => format!("{name}-{}", operator.to_lowercase().replace('.', "-")),
            false => name,
        };
        text.push('\n');
        text.push_str(&case_entry(name, causes.join("; "), trial));
    }
    text
}

fn case_entry(name: String, about: String, trial: &Trial) -> String {
    // A case cannot cite a rule that the operator's text does not state.
    let is_stated = |cover: &Cover| match cover {
        Cover::Rule(rule) => trial.operator.states(*rule),
        Cover::Clause(_) => true,
    };
    let mut case = Case::clone(&trial.case);
    case.covers.retain(is_stated);
    if let Some(of) = trial.surrounding
        && !bindings_of(of, trial.operator.bindings).contains(&trial.binding)
    {
        // The suite would ask it in another binding of this surrounding.
        case.bindings = Some(vec![trial.binding]);
    }
    (case.name, case.about) = (name, Some(about));
    entry(&case)
}
