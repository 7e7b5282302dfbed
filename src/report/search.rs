//! What a search found: as text, and as cases to be kept.

use super::diff;
use super::style::{BAD, DIM, GOOD, STRONG, out, paint, tame};
use super::text::{as_mutants, sentence, verdicts};
use crate::case::{Allowed, Cover, Expectation, ZeroMode};
use crate::result::{Found, Label, Searched};
use crate::stream::Search;
use std::fmt::Write;
use std::time::Duration;

/// Prints it.
pub(crate) fn show(label: &Label, searched: &Searched, time: Duration) {
    let about = &searched.about;
    out(format!("{} ({} {})", paint(STRONG, &label.name), about.name, about.version));
    for found in &searched.found {
        let title = found.finding.as_ref().map_or_else(|| "not like any mutant".to_owned(), sentence);
        out(format!("\n{} {}: {} failed", paint(BAD, "✗"), paint(STRONG, title), found.count));
        if let Some(finding) = &found.finding {
            out(format!("  {}", paint(DIM, as_mutants(finding))));
        }
        out(format!("  {} {}", paint(BAD, found.verdict.kind().name()), found.trial));
        out(diff::describe(&found.trial, &found.verdict, Some(&found.outcome)));
    }
    out("");
    out(format!("{}: {} in {:.1} s", paint(STRONG, &label.name), verdicts(&searched.counts), time.as_secs_f64()));
    out(findings(searched.found.len()));
}

/// Prints a search that was told.
pub(crate) fn show_told(search: &Search) {
    let (started, counts) = (&search.started, search.finished.as_ref().map(|end| end.counts.clone()).unwrap_or_default());
    out(format!("{} ({} {}), {}", paint(STRONG, &started.backend), tame(&started.name), tame(&started.version), started.space));
    for found in &search.found {
        out(format!("\n{} {}: {} failed", paint(BAD, "✗"), paint(STRONG, &found.cause), found.count));
        out(format!("  {} {}", paint(BAD, found.trial.judged().name()), found.trial.trial));
        let lines = found.trial.story.as_ref().map(|story| diff::with_clauses(&story.diff, std::iter::empty()));
        lines.into_iter().for_each(|lines| out(diff::indent(&lines)));
    }
    out("");
    out(format!("{}: {}", paint(STRONG, &started.backend), verdicts(&counts)));
    out(findings(search.found.len()));
}

fn findings(count: usize) -> String {
    let text = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
    paint(if count == 0 { GOOD } else { BAD }, text)
}

/// The smallest trial of each finding as a case file.
pub(crate) fn cases(label: &Label, searched: &Searched) -> String {
    let about = &searched.about;
    let mut text = format!("# Proposed by `search` on {} ({} {}).\n", label.name, about.name, about.version);
    text.push_str("# The expectations are the oracle's. Read the clauses, and write them anew, before you keep one.\n");
    for found in &searched.found {
        text.push('\n');
        text.push_str(&case(found));
    }
    text
}

fn case(found: &Found) -> String {
    let (trial, case) = (&found.trial, &found.trial.case);
    let mut text = format!("- name: {}\n", case.name.replacen("search-", "found-", 1));
    if let Some(finding) = &found.finding {
        let _ = writeln!(text, "  about: {}", serde_json::Value::from(sentence(finding)));
    }
    let covers: Vec<_> = case.covers.iter().map(cover).collect();
    let _ = writeln!(text, "  operators: [{}]", trial.operator);
    let _ = writeln!(text, "  covers: [{}]", covers.join(", "));
    let _ = writeln!(text, "  data: {{shape: {:?}, element_types: [{}]}}", case.data_shape, trial.element_type);
    let values = case.target.iter().flat_map(|target| &target.values).map(ToString::to_string).collect::<Vec<_>>();
    let _ = writeln!(text, "  shape: [{}]", values.join(", "));
    if let Some(zero) = case.zero {
        let _ = writeln!(text, "  zero: {}", if zero == ZeroMode::Copy { "copy" } else { "literal" });
    }
    let _ = writeln!(text, "  expect: {}", expectation(case.expectation(trial.operator)));
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
                    let dims: Vec<_> = shape.iter().map(|dim| dim.map_or_else(|| "any".to_owned(), |d| d.to_string())).collect();
                    format!("[{}]", dims.join(", "))
                }
            };
            let allowed: Vec<_> = allowed.iter().flatten().map(one).collect();
            format!("{{open: {question}, allowed: [{}]}}", allowed.join(", "))
        }
    }
}
