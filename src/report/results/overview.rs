//! The first screen: a sentence, and a row for each backend that counts causes.

use super::backend::{self, ACCIDENT, accidents};
use super::cause::{Adapter, Cause, is_right, label, unjudged};
use super::questions::{answers, is_inconsistent, limits};
use crate::event::stream::Stream;
use crate::event::{RunStarted, Severity};
use crate::report::ONLY_SIMILAR;
use crate::report::digest::Digest;
use crate::report::markdown::text;
use crate::report::number::{counted, day};
use std::cmp::Reverse;

/// What the columns of the table count, after the backend and what it was asked.
const COLUMNS: [(Severity, &str); 6] = [
    (Severity::Memory, "memory or crash"),
    (Severity::WrongResult, "wrong on a valid node"),
    (Severity::AcceptsInvalid, "accepts invalid"),
    (Severity::RefusesValid, "refuses valid"),
    (Severity::WrongInference, "infers wrong"),
    (Severity::BesideReshape, "beside Reshape"),
];

/// Writes the sentence, the table, and what the run was.
pub(super) fn write(
    page: &mut String,
    stream: &Stream,
    adapters: &[Adapter<'_>],
    not_available: &[String],
) {
    sentence(page, adapters);
    for backend in adapters.iter().flat_map(|of| &of.configurations) {
        for why in unjudged(backend) {
            *page += &format!("{} {why}.\n\n", label(backend));
        }
    }
    let (similar, implementing): (Vec<_>, Vec<_>) =
        adapters.iter().partition(|adapter| adapter.only_similar);
    table(page, &implementing);
    if !similar.is_empty() {
        *page += &format!("Each of these is {ONLY_SIMILAR}:\n\n");
        table(page, &similar);
    }
    let run = &stream.run;
    *page += &format!(
        "Up to *beside Reshape*, each number counts causes, not trials, and leads to them; the sentence above counts a cause that shows through another \
         backend once, and none of the columns from *beside Reshape* on. **asked**: the share of its operators' trials that the adapter can pass on. \
         **wrong on a valid node**: also a result that no reading of the text allows. **accepts invalid**: it runs a node that the text calls invalid; [why that counts](oracle.md#decided-and-why). \
         **refuses valid**: it refuses a valid node. **infers wrong**: the inferred shape contradicts \
         the text, or the result of the same model. **beside Reshape**: faults of other nodes, of constants or of its API, which stand around \
         the node. **inconsistent**: questions that the texts leave open, which \
         the backend answers in different ways for different bindings, or its inference and its run of one model. **limits**: sizes past what any text promises, which it \
         refuses, in how many cases, and nodes for which a trial's time is too short. **by accident**: internal errors by which it rejects what it should; no failures. No number \
         is a fault of an adapter.\n\nSuite {}{}, {}.\n\n",
        text(&suites(stream)),
        facts(run),
        text(&run.system)
    );
    if !not_available.is_empty() {
        let names = not_available.join(", ");
        *page += &format!("Not available when this was written: {names}.\n\n");
    }
}

/// The suite; of several, each with the backends that were run with it.
fn suites(stream: &Stream) -> String {
    let mut suites: Vec<(&str, Vec<&str>)> = Vec::new();
    for of in stream.backends.iter().map(|backend| &backend.started) {
        let Some(suite) = of.suite.as_deref() else {
            continue;
        };
        match suites.iter_mut().find(|(known, _)| *known == suite) {
            Some((_, backends)) => backends.push(&of.backend),
            None => suites.push((suite, vec![&of.backend])),
        }
    }
    if suites.is_empty() {
        return stream.run.suite_in_full();
    }
    let suites = suites.iter();
    let suites = suites.map(|(suite, backends)| format!("{suite} for {}", backends.join(", ")));
    let suites: Vec<_> = suites.collect();
    format!(
        "{} (each was asked what its own suite has)",
        suites.join("; suite ")
    )
}

/// The commit, the day and the processor, as far as the stream has them.
fn facts(run: &RunStarted) -> String {
    let commit = run.job.commit.as_ref();
    let commit =
        commit.map(|commit| format!("commit {}", text(commit.get(..12).unwrap_or(commit))));
    let day = (run.started > 0).then(|| day(run.started));
    let processor = run.processor.as_ref().map(|model| text(model));
    let facts = [commit, day, processor].into_iter().flatten();
    facts.map(|fact| format!(", {fact}")).collect()
}

fn sentence(page: &mut String, all: &[Adapter<'_>]) {
    let adapters: Vec<_> = all.iter().filter(|of| !of.only_similar).collect();
    let configurations = || adapters.iter().flat_map(|of| &of.configurations);
    let right = configurations().filter(|of| is_right(of)).count();
    let does = if right == 1 { "does" } else { "do" };
    let causes = adapters.iter().flat_map(|of| &of.causes);
    let causes = causes.filter(|cause| cause.told_by(all).is_none());
    let causes = causes.filter(|cause| cause.severity.is_of_the_text());
    let memory = causes
        .clone()
        .filter(|cause| cause.severity == Severity::Memory);
    *page += &format!(
        "**Of {}, {right} {does} everything that the texts demand of what was asked; the others deviate for {}, of which {} read or \
         write out of bounds, end the process or hang.**\n\n",
        counted(configurations().count(), "configuration"),
        counted(causes.count(), "cause"),
        memory.count(),
    );
}

fn table<'a>(page: &mut String, adapters: &[&'a Adapter<'a>]) {
    page.push_str("| backend | asked of its operators |");
    COLUMNS.iter().for_each(|(_, column)| {
        *page += &format!(" {column} |");
    });
    page.push_str(" inconsistent | limits | by accident |\n|---|--:|");
    page.push_str(&"--:|".repeat(COLUMNS.len() + 3));
    page.push('\n');
    let mut rows: Vec<_> = adapters
        .iter()
        .flat_map(|of| of.configurations.iter().map(move |backend| (of, *backend)))
        .collect();
    rows.sort_by_cached_key(|(of, backend)| {
        let counts = COLUMNS.map(|(severity, _)| causes(of, backend, severity).count());
        (counts, Reverse(asked(backend).0))
    });
    for (of, backend) in rows {
        row(page, of, backend);
    }
    page.push('\n');
}

fn row<'a>(page: &mut String, of: &'a Adapter<'a>, backend: &'a Digest<'a>) {
    let (asked, all) = asked(backend);
    let percent = asked * 100 / all.max(1);
    let sampled = backend.verdicts.sampled();
    let sampled = sampled.map_or_else(String::new, |of| format!(", {}", text(&of.to_string())));
    *page += &format!("| {} | {percent} %{sampled} |", label(backend));
    for (severity, _) in COLUMNS {
        let count = causes(of, backend, severity).count();
        cell(page, count, &backend::anchor(of.name, severity.name()));
    }
    let answers = answers(backend);
    let inconsistent = answers.values().filter(|of| is_inconsistent(of)).count();
    for (severity, answered) in [
        (Severity::Inconsistent, inconsistent),
        (Severity::Limit, limits(&answers)),
    ] {
        let (count, link) = match causes(of, backend, severity).count() {
            0 => (answered, "open-questions".to_owned()),
            more => (answered + more, backend::anchor(of.name, severity.name())),
        };
        cell(page, count, &link);
    }
    cell(
        page,
        accidents(backend).len(),
        &backend::anchor(of.name, ACCIDENT),
    );
    page.push('\n');
}

fn cell(page: &mut String, count: usize, anchor: &str) {
    *page += &match count {
        0 => " 0 |".to_owned(),
        _ => format!(" [{count}](#{anchor}) |"),
    };
}

/// The causes of this severity of which a configuration has trials.
fn causes<'a>(
    of: &'a Adapter<'a>,
    backend: &'a Digest<'a>,
    severity: Severity,
) -> impl Iterator<Item = &'a Cause<'a>> {
    let causes = of.causes.iter();
    causes.filter(move |cause| cause.severity == severity && cause.of(backend).next().is_some())
}

/// The trials that a backend was asked, and all trials of the operators of which it was asked any.
fn asked(backend: &Digest<'_>) -> (usize, usize) {
    let operators = backend::operators(backend);
    let of_those = backend.records.trials.iter();
    let of_those = of_those.filter(|trial| operators.contains(trial.operator.as_str()));
    let asked = of_those.clone().filter(|trial| trial.verdict.is_asked());
    (asked.count(), of_those.count())
}
