//! What failed, and why.

use super::link::link;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Line, LineKind, TrialRecord, VerdictKind};
use crate::report::ONLY_SIMILAR;
use crate::report::cause::{again, as_mutants, sentence};
use crate::report::diff;
use crate::report::known_failure::{reason, red_fixed_entries};
use crate::report::number::grouped;
use crate::report::style::{tame, tame_to};
use maud::{Markup, html};

/// The most findings, and the most cases without a finding, that are shown for a backend; links lead to the others.
const MOST: usize = 12;

/// What failed and why: the causes, then what no cause explains, then stale known failures.
pub(super) fn findings(stream: &Stream) -> Markup {
    let any = stream.backends.iter().any(|backend| {
        !backend.findings.is_empty()
            || !backend.unexplained().is_empty()
            || (stream.run.baseline.is_none() && backend.counts().of(VerdictKind::Fixed) > 0)
            || backend.unattributed().is_some()
            || backend.growth().is_some()
            || backend.finished.iter().any(|end| !end.stale.is_empty())
    });
    let (implementing, similar) = stream.by_claim();
    html! {
        @if any {
            section #findings aria-labelledby="findings-title" {
                h2 #findings-title { "What failed, and why" }
                @for backend in implementing { (of_backend(stream, backend)) }
            }
            @if !similar.is_empty() {
                section #similar aria-labelledby="similar-title" {
                    h2 #similar-title { "Similar functions" }
                    p.note { "Each is " (ONLY_SIMILAR) "." }
                    @for backend in similar { (of_backend(stream, backend)) }
                }
            }
        }
    }
}

fn of_backend(stream: &Stream, backend: &BackendRecords) -> Markup {
    let name = &backend.started.backend;
    html! {
        @for (index, finding) in backend.findings.iter().enumerate().take(MOST) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&sentence(&finding.cause))) }
                p { a href=(link(&[("backend", name), ("finding", &index.to_string())])) { (grouped(finding.cause.trials.len())) " trials" }
                    " " span.dim { (tame(&as_mutants(&finding.cause))) } }
                @if let Some(trial) = finding.cause.trials.first().and_then(|name| backend.trial(name)) { (smallest(stream, trial, again(&finding.cause, trial))) }
            }
        }
        @if backend.findings.len() > MOST { p { "… and " (backend.findings.len() - MOST) " more findings." } }
        (unexplained(stream, backend))
        @if let Some(unattributed) = backend.unattributed() {
            article.finding {
                h3 { @if backend.died() { span.bad { "✗ " } } (tame(name)) " " (tame(unattributed.lines().next().unwrap_or_default())) }
                pre { @for line in unattributed.lines().skip(1).chain(log(backend).lines()) { (tame_to(line, 10_000)) "\n" } }
            }
        }
        @if let Some(growth) = backend.growth() { article.finding { h3 { (tame(name)) " " (growth.to_string()) } } }
        (fixed(stream, backend))
        @for place in backend.finished.iter().flat_map(|end| &end.stale) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&place.message)) }
                pre { (tame(&place.file)) ":" (place.line) "\n" (tame(&place.text)) }
            }
        }
    }
}

/// What a backend logged before it went wrong outside its trials the last time.
fn log(backend: &BackendRecords) -> &str {
    let finished = backend.finished.as_ref();
    let unattributed = finished.and_then(|end| end.unattributed.as_ref());
    unattributed.map_or("", |of| &of.last.log)
}

/// The entries of the known failures of which trials do not fail any more, each once.
fn fixed(stream: &Stream, backend: &BackendRecords) -> Markup {
    let name = &backend.started.backend;
    html! {
        @for entry in red_fixed_entries(stream, backend) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&entry.says())) }
                p { a href=(link(&[("backend", name), ("verdict", "fixed")])) { code { (tame(entry.place().trim_end_matches(": "))) } } }
            }
        }
    }
}

/// The cases with red trials that no finding explains.
fn unexplained(stream: &Stream, backend: &BackendRecords) -> Markup {
    let name = &backend.started.backend;
    let mut cases: Vec<(&str, usize, &TrialRecord)> = Vec::new();
    for trial in backend.unexplained() {
        match cases.iter_mut().find(|(case, ..)| *case == trial.case) {
            Some((_, count, _)) => *count += 1,
            None => cases.push((&trial.case, 1, trial)),
        }
    }
    html! {
        @for (case, count, trial) in cases.iter().take(MOST) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(case)) " " (trial.judged().name()) }
                p { a href=(link(&[("backend", name), ("case", case), ("verdict", trial.verdict.name())])) { (grouped(*count)) " trials" } " that no mutant explains" }
                (smallest(stream, trial, trial.again()))
            }
        }
        @if cases.len() > MOST { p { a href=(link(&[("backend", name), ("verdict", "red")])) { "… and " (cases.len() - MOST) " more cases" } } }
    }
}

/// The smallest trial of a finding or a case: its diff, its clauses, and this command, which shows it again.
fn smallest(stream: &Stream, trial: &TrialRecord, again: Option<&str>) -> Markup {
    let Some(detail) = &trial.detail else {
        return html! {};
    };
    let case = stream.case(trial);
    html! {
        p.name { a href=(link(&[("backend", &trial.backend), ("trial", &trial.trial)])) { code { (tame(&trial.trial)) } }
            @if let Some((case, _)) = case { " " span.dim { (tame(&case.file)) ":" (case.line) } } }
        @if let Some(reason) = reason(trial) { p { "known to fail in another way: " (tame(&reason)) } }
        pre.diff { @for line in &detail.diff { (shown(line)) } }
        @for id in stream.clauses_of(trial) {
            p.clause { code { (id) } @if let Some(clause) = stream.clause(id) { " (" (clause.level) "): " (tame(&clause.says)) } }
        }
        @if let Some(again) = again { p.again { code { (tame(again)) } } }
    }
}

fn shown(line: &Line) -> Markup {
    let class = match line.kind {
        LineKind::Expected | LineKind::Minus => "good",
        LineKind::Got | LineKind::Mark | LineKind::Plus => "bad",
        LineKind::Text | LineKind::Same | LineKind::Log => "",
    };
    let text = diff::without_colour(std::slice::from_ref(line)).join("\n");
    html! { span class=(class) { (text) "\n" } }
}
