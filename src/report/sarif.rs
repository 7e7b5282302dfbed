//! SARIF: failures as results, for code-scanning pages, at lines of files that the repository has.

use super::cause::sentence;
use super::diff;
use super::known_failure::{FixedEntry, reason, red_fixed_entries};
use super::location;
use crate::error::Fault;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Place, TrialRecord};
use crate::semantics::operator::Level;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The failures of a run: one result for each backend, case and operator.
pub(crate) fn of_run(stream: &Stream) -> Result<String, String> {
    let (mut results, mut clauses) = (Vec::new(), BTreeSet::new());
    for backend in &stream.backends {
        let causes = backend.causes();
        let mut failed: BTreeMap<(&str, &str), Vec<&TrialRecord>> = BTreeMap::new();
        for trial in backend.trials.iter().filter(|trial| trial.verdict.is_red()) {
            failed
                .entry((&trial.case, &trial.operator))
                .or_default()
                .push(trial);
        }
        for trials in failed.into_values() {
            let smallest = trials
                .iter()
                .min_by_key(|trial| (trial.detail.as_ref().map(|story| story.size), &trial.trial));
            let Some(trial) = smallest else { continue };
            let cause = causes
                .get(trial.trial.as_str())
                .map(|finding| format!(" It seems that {}.", sentence(&finding.cause)));
            let (result, clause) = result(
                stream,
                backend,
                trial,
                trials.len(),
                &cause.unwrap_or_default(),
            );
            results.push(result);
            clauses.extend(clause);
        }
        let unmatched = backend.finished.iter().flat_map(|end| &end.stale);
        results.extend(unmatched.map(unmatched_entry));
        let fixed = red_fixed_entries(stream, backend);
        results.extend(fixed.iter().map(fixed_entry));
    }
    let described = |id: &String| {
        let clause = stream.clause(id);
        rule(id, clause.map_or(id, |clause| &clause.says))
    };
    log(
        results,
        clauses.iter().map(described).collect(),
        &notifications(stream),
    )
}

/// What is missing from the run, and deaths of a backend that make the run red, as errors; what else went wrong outside its
/// trials, as warnings.
fn notifications(stream: &Stream) -> Vec<(&'static str, String)> {
    let missing = stream.missing().into_iter().map(|of| ("error", of));
    let unattributed = stream.backends.iter().filter_map(|backend| {
        let says = format!("{} {}", backend.started.backend, backend.unattributed()?);
        Some((if backend.died() { "error" } else { "warning" }, says))
    });
    let growth = stream.backends.iter().filter_map(|backend| {
        let says = format!("{} {}", backend.started.backend, backend.growth()?);
        Some(("warning", says))
    });
    missing.chain(unattributed).chain(growth).collect()
}

/// The faults of case files, and what is doubtful in them.
pub(crate) fn of_faults(faults: &[Fault], warnings: &[Fault]) -> Result<String, String> {
    let result = |fault: &Fault, level: &str| {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault.hint.as_ref().map_or_else(
            || fault.message.clone(),
            |hint| format!("{} ({hint})", fault.message),
        );
        let region = json!({ "startColumn": column.max(1), "startLine": line.max(1) });
        json!({
            "level": level,
            "locations": [location(&fault.source.file, region)],
            "message": message(&text),
            "ruleId": "lint",
        })
    };
    let faults = faults.iter().map(|fault| result(fault, "error"));
    let warnings = warnings.iter().map(|fault| result(fault, "warning"));
    log(
        faults.chain(warnings).collect(),
        vec![rule("lint", "A case file says something wrong.")],
        &[],
    )
}

fn result(
    stream: &Stream,
    backend: &BackendRecords,
    trial: &TrialRecord,
    count: usize,
    cause: &str,
) -> (Value, Option<String>) {
    let lines = trial
        .detail
        .as_ref()
        .map(|story| diff::without_colour(&story.diff))
        .unwrap_or_default();
    let started = &backend.started;
    let (name, version, operator) = (&started.backend, &started.version, &trial.operator);
    let known = reason(trial).map(|reason| format!("\nknown to fail in another way: {reason}"));
    let text = format!(
        "{name} {version}, {operator}: {count} trials {}.{cause}\n{}{}\n{}",
        trial.judged().name(),
        trial.trial,
        known.unwrap_or_default(),
        lines.join("\n")
    );
    let case = stream.case(trial);
    let level = match case.map(|(_, operator)| operator.level) {
        Some(Level::Must) | None => "error",
        Some(Level::Should) => "warning",
        Some(Level::May | Level::Open) => "note",
    };
    let level = if started.only_similar { "note" } else { level };
    let clause = stream.clauses_of(trial).first().cloned();
    let mut place = location::of_trial(stream, trial).map_or_else(
        || json!({}),
        |(file, line)| location(file, json!({ "startLine": line.max(1) })),
    );
    place["logicalLocations"] = json!([{ "fullyQualifiedName": trial.trial }]);
    let result = json!({
        "level": level,
        "locations": [place],
        "message": message(&text),
        // The same failure in another run is the same result.
        "partialFingerprints": {
            "reshapeTrial/v1": format!("{name}/{}/{operator}", trial.case),
        },
        "ruleId": clause.as_deref().unwrap_or("failure"),
    });
    (result, clause)
}

/// A pattern of the known failures that matches no trial.
fn unmatched_entry(place: &Place) -> Value {
    let region = json!({ "startColumn": place.column.max(1), "startLine": place.line.max(1) });
    stale(&place.message, &location(&place.file, region))
}

/// An entry of the known failures of which trials do not fail any more.
fn fixed_entry(fixed: &FixedEntry<'_>) -> Value {
    let place = fixed.entry.map_or_else(
        || json!({}),
        |entry| location(&entry.file, json!({ "startLine": entry.line.max(1) })),
    );
    stale(&fixed.says(), &place)
}

fn stale(text: &str, place: &Value) -> Value {
    json!({
        "level": "error",
        "locations": [place],
        "message": message(text),
        "ruleId": "stale-known-failure",
    })
}

fn location(path: &str, region: Value) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) }, "region": region } })
}

fn message(text: &str) -> Value {
    json!({ "text": super::style::tame(text) })
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes()
        .map(|byte| {
            if safe(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn rule(id: &str, description: &str) -> Value {
    json!({ "id": id, "shortDescription": message(description) })
}

/// The whole file. Keys are written in alphabetical order here and above, so that the order never depends on `serde_json`'s features.
/// `notes` are what is to be known of the run, each with its level; an error keeps it from being complete.
fn log(results: Vec<Value>, rules: Vec<Value>, notes: &[(&str, String)]) -> Result<String, String> {
    let driver = json!({
        "name": "reshape-conformance",
        "rules": rules,
        "version": env!("CARGO_PKG_VERSION"),
    });
    let notifications: Vec<_> = notes
        .iter()
        .map(|(level, says)| json!({ "level": level, "message": message(says) }))
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
    serde_json::to_string_pretty(&log)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}
