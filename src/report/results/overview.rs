//! The first screen: a sentence, and a row with the number of causes for each backend.

use super::backend::{self, ACCIDENT, accidents};
use super::cause::{Adapter, Cause, adapter_of, is_right, unjudged};
use super::questions::{Answers, answers, is_inconsistent, limits};
use crate::event::stream::Stream;
use crate::event::{RunStarted, Severity, TrialRecord};
use crate::names::Joined;
use crate::report::digest::{Digest, ONLY_SIMILAR};
use crate::report::markdown::{label, text};
use crate::report::number::{counted, day};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The columns that count faults, after the backend and its share of trials.
const FAULTS: [(Severity, &str); 4] = [
    (Severity::Memory, "memory or crash"),
    (Severity::WrongResult, "wrong result"),
    (Severity::RefusesValid, "refuses valid"),
    (Severity::WrongInference, "infers wrong"),
];
/// The columns after the faults and a line.
const OTHERS: [(Severity, &str); 6] = [
    (Severity::AcceptsInvalid, "accepts invalid"),
    (Severity::Lenient, "lenient"),
    (Severity::Undefined, "undefined"),
    (Severity::Inconsistent, "inconsistent"),
    (Severity::Limit, "limits"),
    (Severity::BesideReshape, "beside Reshape"),
];
/// The percentage of its operators' trials that a backend needs for a row among the others. Below it, and for a sample,
/// the row stands apart.
const LEAST_SHARE: usize = 20;

/// Writes the sentence, the table, and the facts of the run.
pub(super) fn write(
    page: &mut String,
    stream: &Stream,
    adapters: &[Adapter<'_>],
    not_available: &[String],
) {
    sentence(page, adapters);
    page.push_str(POLICY);
    for backend in adapters.iter().flat_map(|of| &of.configurations) {
        for why in unjudged(backend) {
            *page += &format!("{} {why}.\n\n", label(backend));
        }
    }
    let rows = |similar: bool| {
        let of = adapters.iter().filter(move |of| of.only_similar == similar);
        let rows = of.flat_map(|of| of.configurations.iter().map(move |backend| (of, *backend)));
        rows.partition::<Vec<_>, _>(|(_, backend)| similar || is_asked_most(backend))
    };
    let ((whole, part), (similar, _)) = (rows(false), rows(true));
    table(page, stream, "", whole);
    table(
        page,
        stream,
        "These were asked only a sample or a small share, so a 0 says little",
        part,
    );
    table(
        page,
        stream,
        &format!("Each of these is {ONLY_SIMILAR}"),
        similar,
    );
    let run = &stream.run;
    *page += &format!(
        "{LEGEND}\n\nSuite {}{}, {}.\n\n",
        text(&suites(stream)),
        facts(run),
        text(&run.system)
    );
    if !not_available.is_empty() {
        let names = not_available.join(", ");
        *page += &format!("Not available when this was written: {names}.\n\n");
    }
}

/// What a reader has to know before the numbers.
const POLICY: &str = "This suite's policy is that an implementation refuses invalid input; no text defines what it \
    does then ([why](oracle.md#decided-and-why)). Do you read a text differently? [Dispute a \
    line](../.github/ISSUE_TEMPLATE/dispute.md): it is [answered with the clause, or \
    withdrawn](../CONTRIBUTING.md#disputes).\n\n";

/// What the tables count.
const LEGEND: &str = "A number counts causes, not trials, and links to them: a cause is one fault or \
    deviation, however many trials show it. A cause that does two things counts in both columns. The rows with the \
    fewest faults come first, column by column from the left; among equal rows, those that were asked more. \
    **asked**: the share of its operators' trials that the adapter can pass on. Faults, up to the line: **wrong \
    result** of a valid node; **refuses valid**: it refuses a valid node; **infers wrong**: the inferred shape \
    contradicts the text, or the result of the same model. After the line: **accepts invalid**: it runs a node that \
    the text calls invalid; **lenient**: it does not check a type or a required attribute, and gives the intended \
    result; **undefined**: it honors an attribute that the version does not have; **inconsistent**: open questions \
    that it answers differently for different bindings, or in its inference and its run; **limits**: sizes past what \
    any text promises, which it refuses (the number of cases) or cuts, and nodes that need more than a trial's time; \
    **beside Reshape**: faults of other nodes, of constants or of its API; **by accident**: internal errors, by \
    message, by which it rejects what it should reject. No number counts a fault of an adapter.";

/// The suite; if there are several, each with the backends that ran with it.
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
    let suites = suites.joined("; suite ");
    format!("{suites} (each was asked its own suite)")
}

/// The commit, the day and the processor, if the stream has them.
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
    let tracker = |of: &Digest<'_>| of.records.started.tracker.clone();
    let projects: BTreeSet<_> = configurations()
        .map(|of| tracker(of).unwrap_or_else(|| adapter_of(of.name).to_owned()))
        .collect();
    // A cause that shows through another backend counts once.
    let causes = || {
        let causes = adapters.iter().flat_map(|of| &of.causes);
        causes.filter(|cause| cause.told_by(all).is_none())
    };
    let of = |is: fn(Severity) -> bool| {
        let is = |cause: &&Cause<'_>| cause.severities.iter().any(|of| is(*of));
        causes().filter(is).count()
    };
    let faulty = of(Severity::is_fault);
    let accepts = of(|of| of.is_fault() || of.is_of_invalid()) - faulty;
    *page += &format!(
        "**In {}, this suite finds {}: {} end the process or harm its memory, {} give a wrong result for a valid node, {} \
         refuse a valid node, and {} infer a wrong shape; some do two of these. Apart from those, {} deviations accept what \
         the text calls invalid, for which no text defines the behavior.**",
        counted(projects.len(), "project"),
        counted(faulty, "fault"),
        of(|of| of == Severity::Memory),
        of(|of| of == Severity::WrongResult),
        of(|of| of == Severity::RefusesValid),
        of(|of| of == Severity::WrongInference),
        accepts,
    );
    let what = |of: &&Digest<'_>| match &of.records.started.about {
        Some(about) => format!("{}: {}", label(of), text(about)),
        None => label(of),
    };
    let right = configurations().filter(|of| is_right(of));
    *page += &match right.map(what).joined("; ") {
        of if of.is_empty() => " Each backend deviates in something.\n\n".to_owned(),
        right => format!(" Without any deviation: {right}.\n\n"),
    };
}

/// A row of a table: an adapter, and a configuration of it.
type Row<'a> = (&'a Adapter<'a>, &'a Digest<'a>);

fn table(page: &mut String, stream: &Stream, heading: &str, mut rows: Vec<Row<'_>>) {
    if rows.is_empty() {
        return;
    }
    if !heading.is_empty() {
        *page += &format!("{heading}:\n\n");
    }
    let names = |of: &[(Severity, &str)]| -> String {
        of.iter()
            .map(|(_, column)| format!(" {column} |"))
            .collect()
    };
    let (faults, others) = (names(&FAULTS), names(&OTHERS));
    *page += &format!("| backend | asked |{faults} │ |{others} by accident |\n");
    let aligned = |count: usize| "--:|".repeat(count);
    let (before, after) = (aligned(FAULTS.len() + 1), aligned(OTHERS.len() + 1));
    *page += &format!("|---|{before}:-:|{after}\n");
    rows.sort_by_cached_key(|(of, backend)| {
        let count = |(severity, _): (Severity, &str)| causes(of, backend, severity).count();
        (
            FAULTS.map(count),
            OTHERS.map(count),
            Reverse(asked(backend).0),
        )
    });
    for (of, backend) in rows {
        row(page, stream, of, backend);
    }
    page.push('\n');
}

fn row(page: &mut String, stream: &Stream, of: &Adapter<'_>, backend: &Digest<'_>) {
    let sampled = backend.verdicts.sampled();
    let sampled = sampled.map_or_else(String::new, |of| format!(", {}", text(&of.to_string())));
    *page += &format!("| {} | {} %{sampled} |", label(backend), share(backend));
    for (severity, _) in FAULTS {
        let count = causes(of, backend, severity).count();
        cell(page, count, &backend::anchor(of.name, severity.name()));
    }
    page.push_str(" │ |");
    let answers = answers(backend);
    for (severity, _) in OTHERS {
        let answered = if severity == Severity::Inconsistent {
            inconsistent(stream, of, backend, &answers)
        } else if severity == Severity::Limit {
            limits(&answers)
        } else {
            0
        };
        let count = causes(of, backend, severity).count();
        let link = match count {
            0 => "open-questions".to_owned(),
            _ => backend::anchor(of.name, severity.name()),
        };
        cell(page, answered + count, &link);
    }
    cell(
        page,
        accidents(backend).len(),
        &backend::anchor(of.name, ACCIDENT),
    );
    page.push('\n');
}

/// The questions that a backend answers in different ways, except those that a cause already describes.
fn inconsistent(
    stream: &Stream,
    of: &Adapter<'_>,
    backend: &Digest<'_>,
    answers: &Answers<'_>,
) -> usize {
    let described: BTreeSet<&str> = causes(of, backend, Severity::Inconsistent)
        .flat_map(|cause| cause.of(backend))
        .filter_map(|trial| stream.case(trial)?.1.question())
        .collect();
    let others = answers.iter().filter(|(id, _)| !described.contains(*id));
    others.filter(|(_, of)| is_inconsistent(of)).count()
}

/// Whether a backend was asked enough for a row among the others.
fn is_asked_most(backend: &Digest<'_>) -> bool {
    backend.verdicts.sampled().is_none() && share(backend) >= LEAST_SHARE
}

/// The percentage of its operators' trials that it was asked.
fn share(backend: &Digest<'_>) -> usize {
    let (asked, all) = asked(backend);
    asked * 100 / all.max(1)
}

fn cell(page: &mut String, count: usize, anchor: &str) {
    *page += &match count {
        0 => " 0 |".to_owned(),
        _ => format!(" [{count}](#{anchor}) |"),
    };
}

/// The causes with trials of this kind in a configuration.
fn causes<'a>(
    of: &'a Adapter<'a>,
    backend: &'a Digest<'a>,
    severity: Severity,
) -> impl Iterator<Item = &'a Cause<'a>> {
    let shows = move |trial: &TrialRecord| trial.severities().any(|of| of == severity);
    let causes = of.causes.iter();
    causes.filter(move |cause| cause.of(backend).any(shows))
}

/// The number of trials that a backend was asked, and of all trials of the operators with at least one of them.
fn asked(backend: &Digest<'_>) -> (usize, usize) {
    let operators = backend::operators(backend);
    let of_those = backend.records.trials.iter();
    let of_those = of_those.filter(|trial| operators.contains(trial.operator()));
    let asked = of_those.clone().filter(|trial| trial.verdict.is_asked());
    (asked.count(), of_those.count())
}
