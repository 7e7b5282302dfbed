//! The page's section on what failed, and why.

use crate::event::stream::Stream;
use crate::event::{Line, LineKind, TrialRecord};
use crate::names::Grouped;
use crate::report::cause::{again, as_mutants, sentence};
use crate::report::diff;
use crate::report::digest::{Digest, Note, NoteKind, ONLY_SIMILAR, RunDigest, Weight};
use crate::report::location::link;
use crate::report::number::grouped;
use crate::report::style::{tame, tame_to};
use crate::report::verdicts::reason;
use maud::{Markup, html};

/// The most findings, and the most cases without a finding, to show for a backend. Links lead to the others.
const MAX: usize = 12;

/// What failed and why: the causes, then the failures without a cause, then the notes.
pub(super) fn findings(run: &RunDigest<'_>) -> Markup {
    let any = run.backends.iter().any(|of| {
        !of.findings.is_empty() || !of.unexplained.is_empty() || of.alerts().next().is_some()
    });
    let (implementing, similar) = run.by_claim();
    html! {
        @if any {
            section #findings aria-labelledby="findings-title" {
                h2 #findings-title { "What failed, and why" }
                @for backend in implementing { (of_backend(run.stream, backend)) }
            }
            @if !similar.is_empty() {
                section #similar aria-labelledby="similar-title" {
                    h2 #similar-title { "Similar functions" }
                    p.note { "Each is " (ONLY_SIMILAR) "." }
                    @for backend in similar { (of_backend(run.stream, backend)) }
                }
            }
        }
    }
}

fn of_backend(stream: &Stream, backend: &Digest<'_>) -> Markup {
    let name = backend.name;
    let more = backend.findings.len().saturating_sub(MAX);
    html! {
        @for (index, (cause, first)) in backend.findings.iter().enumerate().take(MAX) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&sentence(cause))) }
                p { a href=(link(&[("backend", name), ("finding", &index.to_string())])) { (grouped(cause.trials.len())) " trials" }
                    " " span.dim { (tame(&as_mutants(cause))) } }
                @if let Some(trial) = first { (smallest(stream, trial, again(cause, trial))) }
            }
        }
        @if more > 0 { p { "… and " (more) " more findings." } }
        (unexplained(stream, backend))
        @for of in backend.alerts() { (note(of, name)) }
    }
}

fn note(of: &Note, name: &str) -> Markup {
    let place = of.file_and_line();
    let lines = of.more_lines().chain(of.quote.lines());
    let place_first = std::iter::once(place.as_str()).filter(|place| !place.is_empty());
    let lines: Vec<_> = place_first.chain(lines).collect();
    html! {
        article.finding {
            h3 { @if of.weight == Weight::Error { span.bad { "✗ " } } (tame(&of.heading())) }
            @if of.kind == NoteKind::Fixed {
                p { a href=(link(&[("backend", name), ("verdict", "fixed")])) { code { (tame(&place)) } } }
            } @else if !lines.is_empty() {
                pre { @for line in lines { (tame_to(line, 10_000)) "\n" } }
            }
        }
    }
}

/// The cases with red trials that no finding explains.
fn unexplained(stream: &Stream, backend: &Digest<'_>) -> Markup {
    let name = backend.name;
    let trials = backend.unexplained.iter();
    let cases = trials.map(|trial| (trial.case(), *trial)).grouped();
    html! {
        @for (case, trials) in cases.iter().take(MAX) {
            @let trial = trials[0];
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(case)) " " (trial.judged().name()) }
                p { a href=(link(&[("backend", name), ("case", case), ("verdict", trial.verdict.name())])) { (grouped(trials.len())) " trials" } " that no mutant explains" }
                (smallest(stream, trial, trial.again()))
            }
        }
        @if cases.len() > MAX { p { a href=(link(&[("backend", name), ("verdict", "red")])) { "… and " (cases.len() - MAX) " more cases" } } }
    }
}

/// The smallest trial of a finding or a case: its diff, its clauses, and this command, which repeats it.
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
            p.clause { code { (id) } @if let Some(clause) = stream.clause(id) { " (" (clause.level) "): " (tame(&clause.description)) } }
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
