//! SARIF: failures as results at the lines of their cases, for code-scanning pages.

use super::cause::sentence;
use super::diff;
use crate::error::Fault;
use crate::event::TrialRecord;
use crate::event::stream::{BackendRecords, Stream};
use crate::spec::operator::Level;
use serde_sarif::sarif::{
    ArtifactLocation, Location, Message, MultiformatMessageString, PhysicalLocation, Region,
    ReportingDescriptor, Result as Finding, ResultLevel, Run, Sarif, Tool, ToolComponent,
};
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
            let smallest = trials.iter().min_by_key(|trial| {
                (
                    trial.detail.as_ref().map(|detail| detail.size),
                    &trial.trial,
                )
            });
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
    }
    log(results, clauses.iter().map(|id| rule(stream, id)).collect())
}

/// The faults of case files.
pub(crate) fn of_faults(faults: &[Fault]) -> Result<String, String> {
    let one = |fault: &Fault| {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault.hint.as_ref().map_or_else(
            || fault.message.clone(),
            |hint| format!("{} ({hint})", fault.message),
        );
        finding(
            "lint",
            ResultLevel::Error,
            &text,
            &fault.source.file,
            line,
            Some(column),
        )
    };
    log(
        faults.iter().map(one).collect(),
        vec![described("lint", "A case file says something wrong.")],
    )
}

fn result(
    stream: &Stream,
    backend: &BackendRecords,
    trial: &TrialRecord,
    count: usize,
    cause: &str,
) -> (Finding, Option<String>) {
    let lines = trial
        .detail
        .as_ref()
        .map(|detail| diff::without_colour(&detail.diff))
        .unwrap_or_default();
    let started = &backend.started;
    let (name, version, operator) = (&started.backend, &started.version, &trial.operator);
    let text = format!(
        "{name} {version}, {operator}: {count} trials {}.{cause}\n{}\n{}",
        trial.judged().name(),
        trial.trial,
        lines.join("\n")
    );
    let case = stream.case(trial);
    let level = match case.map(|(_, operator)| operator.level) {
        Some(Level::Must) | None => ResultLevel::Error,
        Some(Level::Should) => ResultLevel::Warning,
        Some(Level::May | Level::Open) => ResultLevel::Note,
    };
    let clause = case.and_then(|(_, operator)| operator.clauses.first().cloned());
    let (file, line) = case.map_or(("", 1), |(case, _)| (case.file.as_str(), case.line));
    let mut result = finding(
        clause.as_deref().unwrap_or("failure"),
        level,
        &text,
        file,
        line,
        None,
    );
    // The same failure in another run is the same result.
    result.partial_fingerprints = Some(BTreeMap::from([(
        "reshapeTrial/v1".to_owned(),
        format!("{name}/{}/{operator}", trial.case),
    )]));
    (result, clause)
}

fn finding(
    rule: &str,
    level: ResultLevel,
    text: &str,
    file: &str,
    line: usize,
    column: Option<usize>,
) -> Finding {
    let place = |number: usize| i64::try_from(number.max(1)).unwrap_or(i64::MAX);
    let region = Region {
        start_line: Some(place(line)),
        start_column: column.map(place),
        ..empty_region()
    };
    let artifact = ArtifactLocation::builder().uri(uri(file)).build();
    let physical = PhysicalLocation::builder()
        .artifact_location(artifact)
        .region(region)
        .build();
    let location = Location::builder().physical_location(physical).build();
    Finding::builder()
        .rule_id(rule)
        .level(level)
        .message(Message::builder().text(super::style::tame(text)).build())
        .locations(vec![location])
        .build()
}

fn empty_region() -> Region {
    Region::builder().build()
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

fn rule(stream: &Stream, id: &str) -> ReportingDescriptor {
    let says = stream.clause(id).map_or(id, |clause| &clause.says);
    described(id, says)
}

fn described(id: &str, says: &str) -> ReportingDescriptor {
    let text = MultiformatMessageString::builder().text(says).build();
    ReportingDescriptor::builder()
        .id(id)
        .short_description(text)
        .build()
}

fn log(results: Vec<Finding>, rules: Vec<ReportingDescriptor>) -> Result<String, String> {
    let driver = ToolComponent::builder()
        .name("reshape-conformance")
        .version(env!("CARGO_PKG_VERSION"))
        .rules(rules)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .results(results)
        .build();
    let log = Sarif::builder()
        .version(serde_json::json!("2.1.0"))
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .runs(vec![run])
        .build();
    serde_json::to_string_pretty(&log)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}
