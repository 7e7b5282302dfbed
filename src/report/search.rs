//! What a search found: as text, and as cases to be kept.

use super::diff;
use super::style::{BAD, DIM, GOOD, NOTE, STRONG, out, paint, tame};
use super::text::{as_mutants, print_unattributed, sentence, verdicts};
use crate::event::stream::SearchRecords;
use crate::event::{CutShort, SearchStarted};
use crate::suite::case::{Allowed, Cover, Expectation, ZeroMode};
use crate::suite::generated::{PREFIX, trial_named};
use crate::suite::trial::Trial;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Prints it, and how long it took if it was just now.
pub(crate) fn show(search: &SearchRecords, time: Option<Duration>) {
    let (started, counts) = (
        &search.started,
        search
            .finished
            .as_ref()
            .map(|end| end.counts.clone())
            .unwrap_or_default(),
    );
    out(format!(
        "{} ({} {})",
        paint(STRONG, &started.backend),
        tame(&started.name),
        tame(&started.version)
    ));
    // In which cells is a long list.
    out(paint(
        DIM,
        tame(started.space.split(", in ").next().unwrap_or_default()),
    ));
    for found in &search.found {
        let (finding, failed) = (&found.cause, found.cause.trials.len());
        out(format!(
            "\n{} {}: {failed} failed",
            paint(BAD, "✗"),
            paint(STRONG, sentence(finding))
        ));
        if !finding.mutants.is_empty() {
            out(format!("  {}", paint(DIM, as_mutants(finding))));
        }
        if found.passes_alone {
            let says = "its smallest trial passes when nothing else is asked: what came before it matters, and the cause may be another";
            out(format!("  {}", paint(NOTE, says)));
        }
        if let Some(told) = search.example_of(found) {
            out(format!(
                "  {} {}",
                paint(BAD, told.judged().name()),
                tame(&told.trial)
            ));
            let clauses = trial_named(&told.trial)
                .map(|trial| trial.case.clauses_of(trial.operator))
                .unwrap_or_default();
            let lines = told
                .detail
                .as_ref()
                .map(|story| diff::with_clauses(&story.diff, clauses.into_iter()));
            lines
                .into_iter()
                .for_each(|lines| out(diff::indent(&lines)));
        }
    }
    out("");
    let took = time.map_or_else(String::new, |time| {
        format!(" in {:.1} s", time.as_secs_f64())
    });
    out(format!(
        "{}: {}{took}",
        paint(STRONG, &started.backend),
        verdicts(&counts)
    ));
    match search
        .finished
        .as_ref()
        .map_or(Some(CutShort::Interrupt), |end| end.cut_short)
    {
        Some(CutShort::Interrupt) => out(paint(NOTE, "it was stopped before its end")),
        Some(CutShort::Time) => out(paint(NOTE, "its time was over before its end")),
        None => {}
    }
    search
        .finished
        .iter()
        .filter_map(|end| end.unattributed.as_ref())
        .for_each(|unattributed| print_unattributed(&started.backend, unattributed));
    let kept = search.failures.len();
    if kept >= SearchRecords::MAX_FAILURES && counts.red() > kept {
        out(paint(
            NOTE,
            format!(
                "the causes were told from the {kept} smallest of {} failures",
                counts.red()
            ),
        ));
    }
    out(findings(search.found.len()));
}

fn findings(count: usize) -> String {
    let text = if count == 1 {
        "1 finding".to_owned()
    } else {
        format!("{count} findings")
    };
    paint(if count == 0 { GOOD } else { BAD }, text)
}

/// The smallest trial of each finding as a case file.
pub(crate) fn cases(search: &SearchRecords) -> String {
    let SearchStarted {
        backend,
        name,
        version,
        ..
    } = &search.started;
    let line = |text: &str| tame(text).replace('\n', " ");
    let mut text = format!(
        "# Proposed by `search` on {} ({} {}).\n",
        line(backend),
        line(name),
        line(version)
    );
    text.push_str("# The expectations are the oracle's. Read the clauses, and write them anew, before you keep one.\n");
    // Several findings can have one smallest trial, but for its binding, which a case does not fix.
    let mut proposed: BTreeMap<(String, &str), (Trial, Vec<String>)> = BTreeMap::new();
    for found in &search.found {
        if let Some(trial) = search
            .example_of(found)
            .and_then(|told| trial_named(&told.trial))
        {
            let key = (trial.case.name.clone(), trial.operator.name);
            proposed
                .entry(key)
                .or_insert_with(|| (trial, Vec::new()))
                .1
                .push(sentence(&found.cause));
        }
    }
    for ((name, operator), (trial, abouts)) in &proposed {
        // A name is one case's alone.
        let several = proposed.keys().filter(|(other, _)| other == name).count() > 1;
        let name = name.replacen(PREFIX, "found-", 1);
        let name = if several {
            format!("{name}-{}", operator.to_lowercase().replace('.', "-"))
        } else {
            name
        };
        text.push('\n');
        text.push_str(&case(&name, &abouts.join("; "), trial));
    }
    text
}

fn case(name: &str, about: &str, trial: &Trial) -> String {
    let case = &trial.case;
    let mut text = format!("- name: {name}\n");
    let _ = writeln!(text, "  about: {}", serde_json::Value::from(about));
    let covers: Vec<_> = case.covers.iter().map(cover).collect();
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
        // The node leaves it out.
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
            let one = |allowed: &Allowed| match allowed {
                Allowed::Rejected => "rejected".to_owned(),
                Allowed::Reshaped(shape) => {
                    let dims: Vec<_> = shape
                        .iter()
                        .map(|dim| dim.map_or_else(|| "any".to_owned(), |d| d.to_string()))
                        .collect();
                    format!("[{}]", dims.join(", "))
                }
            };
            let allowed: Vec<_> = allowed.iter().flatten().map(one).collect();
            format!("{{open: {question}, allowed: [{}]}}", allowed.join(", "))
        }
    }
}
