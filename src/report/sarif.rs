//! SARIF: failures as results for code-scanning pages, at lines of the repository's files.

use super::cause::sentence;
use super::digest::{Digest, Note, RunDigest};
use super::verdicts::reason;
use super::{diff, location};
use crate::error::Fault;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Cause, TrialRecord};
use crate::semantics::operator::Level;
use crate::suite::record;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The failures of a run: one result for each backend, case and operator, and for each stale known failure.
pub(crate) fn of_run(run: &RunDigest<'_>) -> Result<String, String> {
    let stream = run.stream;
    let (mut results, mut clauses) = (Vec::new(), BTreeSet::new());
    for backend in &run.backends {
        let causes = backend.records.causes();
        let mut failed: BTreeMap<(&str, &str), Vec<&TrialRecord>> = BTreeMap::new();
        let trials = backend.records.trials.iter();
        for trial in trials.filter(|trial| trial.verdict.is_red()) {
            let of_case = failed.entry((trial.case(), trial.operator()));
            of_case.or_default().push(trial);
        }
        for trials in failed.into_values() {
            let smallest = trials.iter().min_by_key(|trial| trial.by_size());
            let Some(trial) = smallest else { continue };
            let cause = causes.get(trial.trial.as_str());
            let cause = cause.map(|finding| &finding.cause);
            let (result, clause) = result(stream, backend.records, trial, trials.len(), cause);
            results.push(result);
            clauses.extend(clause);
        }
        let entries = backend.alerts().filter(|of| of.kind.is_of_an_entry());
        results.extend(entries.map(stale_entry));
    }
    let described = |id: &String| {
        let clause = stream.clause(id);
        rule(id, clause.map_or(id, |clause| &clause.description))
    };
    let rules = clauses.iter().map(described).collect();
    log(results, rules, &notifications(run))
}

/// What the run lacks, and the notes that concern no file.
fn notifications(run: &RunDigest<'_>) -> Vec<(&'static str, String)> {
    let missing = run.missing.iter().map(|of| ("error", of.clone()));
    let notes = run.backends.iter().flat_map(Digest::alerts);
    let notes = notes.filter(|of| !of.kind.is_of_an_entry());
    let notes = notes.map(|of| (of.weight.name(), of.message()));
    missing.chain(notes).collect()
}

/// The faults and warnings of case files.
pub(crate) fn of_faults(faults: &[Fault], warnings: &[Fault]) -> Result<String, String> {
    let result = |fault: &Fault, level: &str| {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let hint = fault.hint.iter().map(|hint| format!(" ({hint})"));
        let text = fault.message.clone() + &hint.collect::<String>();
        json!({
            "level": level,
            "locations": [location(&fault.source.file, line, Some(column))],
            "message": message(&text),
            "ruleId": "lint",
        })
    };
    let faults = faults.iter().map(|fault| result(fault, "error"));
    let warnings = warnings.iter().map(|fault| result(fault, "warning"));
    let rules = vec![rule("lint", "A case file contains a fault.")];
    log(faults.chain(warnings).collect(), rules, &[])
}

fn result(
    stream: &Stream,
    backend: &BackendRecords,
    trial: &TrialRecord,
    count: usize,
    cause: Option<&Cause>,
) -> (Value, Option<String>) {
    let lines = trial.detail.as_ref();
    let lines = lines.map(|story| diff::without_colour(&story.diff));
    let lines = lines.unwrap_or_default();
    let started = &backend.started;
    let (name, version, operator) = (&started.backend, &started.version, trial.operator());
    let cause = cause.map(|cause| format!(" It seems that {}.", sentence(cause)));
    let known = reason(trial).map(|reason| format!("\nknown to fail in another way: {reason}"));
    let text = format!(
        "{name} {version}, {operator}: {count} trials {}.{}\n{}{}\n{}",
        trial.judged().name(),
        cause.unwrap_or_default(),
        trial.trial,
        known.unwrap_or_default(),
        lines.join("\n")
    );
    let level = match stream.case(trial).map(|(_, operator)| operator.level) {
        Some(Level::Must) | None => "error",
        Some(Level::Should) => "warning",
        Some(Level::May | Level::Open) => "note",
    };
    let level = if started.only_similar { "note" } else { level };
    let clause = stream.clauses_of(trial).first().cloned();
    let mut place = location::of_trial(stream, trial)
        .map_or_else(|| json!({}), |(file, line)| location(file, line, None));
    place["logicalLocations"] = json!([{ "fullyQualifiedName": trial.trial }]);
    let result = json!({
        "level": level,
        "locations": [place],
        "message": message(&text),
        // The same failure in another run is the same result.
        "partialFingerprints": {
            "reshapeTrial/v1": format!("{name}/{}/{operator}", trial.case()),
        },
        "ruleId": clause.as_deref().unwrap_or("failure"),
    });
    (result, clause)
}

/// A stale entry of the known failures.
fn stale_entry(note: &Note) -> Value {
    let place = note.place.as_ref();
    let place = place.map(|(file, line, column)| location(file, *line, *column));
    json!({
        "level": "error",
        "locations": [place.unwrap_or_else(|| json!({}))],
        "message": message(&note.message()),
        "ruleId": note.kind.id(),
    })
}

fn location(path: &str, line: usize, column: Option<usize>) -> Value {
    let line = line.max(1);
    let region = match column {
        Some(column) => json!({ "startColumn": column.max(1), "startLine": line }),
        None => json!({ "startLine": line }),
    };
    json!({ "physicalLocation": { "artifactLocation": { "uri": location::encoded(path, b"/-._~") }, "region": region } })
}

fn message(text: &str) -> Value {
    json!({ "text": super::style::tame(text) })
}

fn rule(id: &str, description: &str) -> Value {
    json!({ "id": id, "shortDescription": message(description) })
}

/// The whole file. Keys are written in alphabetical order here and above, so that the order never depends on
/// `serde_json`'s features. `notes` are remarks about the run, each with its level; an error makes the run incomplete.
fn log(results: Vec<Value>, rules: Vec<Value>, notes: &[(&str, String)]) -> Result<String, String> {
    let driver = json!({
        "fullName": format!("reshape-conformance {}", record::in_full()),
        "name": "reshape-conformance",
        "rules": rules,
        "version": env!("CARGO_PKG_VERSION"),
    });
    let notifications: Vec<_> = notes
        .iter()
        .map(|(level, description)| json!({ "level": level, "message": message(description) }))
        .collect();
    let invocation = json!({
        "executionSuccessful": notes.iter().all(|(level, _)| *level != "error"),
        "toolExecutionNotifications": notifications,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "invocations": [invocation],
            "results": results,
            "tool": { "driver": driver },
        }],
        "version": "2.1.0",
    });
    let text = serde_json::to_string_pretty(&log);
    text.map(|text| text + "\n")
        .map_err(|error| error.to_string())
}
