//! The page: one HTML file that needs nothing else, to be opened from where it lies.
//!
//! The counts and the findings stand in it as text; the rest is data, which its script shows. What a backend said can get
//! into the page in two ways, and both escape it: through the template, and through the data block, which holds no `<`.
//! The policy in its head lets nothing run but its own script, and nothing be fetched.

mod data;

use super::diff;
use super::style::tame;
use super::text::{as_mutants, sentence};
use crate::event::VerdictKind;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Line, LineKind, TrialRecord};
use base64::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Findings of a backend that stand in the page as text; the others are behind a link.
const MOST: usize = 12;

/// The page of a run, and what changed since another.
pub(crate) fn render(stream: &Stream, before: Option<&Stream>) -> Result<String, String> {
    let data = data::block(stream, before)?;
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title(stream)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#trials" { "Skip to the trials" }
                header { (head(stream)) }
                main {
                    (verdicts(stream))
                    (findings(stream))
                    noscript { p.note { "The matrix, the trials and the open questions need JavaScript; nothing is fetched." } }
                    section #changes hidden aria-labelledby="changes-title" { h2 #changes-title { "What changed" } div {} }
                    section #matrix hidden aria-labelledby="matrix-title" { h2 #matrix-title { "Where" } div {} }
                    section #trials hidden aria-labelledby="trials-title" tabindex="-1" { h2 #trials-title { "Trials" } div {} }
                    section #known hidden aria-labelledby="known-title" { h2 #known-title { "Known failures" } div {} }
                    section #profiles hidden aria-labelledby="profiles-title" { h2 #profiles-title { "Where the texts leave it open" } div {} }
                }
                script type="application/json" #data { (PreEscaped(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(page.into_string() + "\n")
}

fn hash(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
}

fn title(stream: &Stream) -> String {
    let red: usize = stream
        .backends
        .iter()
        .map(|backend| backend.counts().red())
        .sum();
    let names: Vec<_> = stream
        .backends
        .iter()
        .map(|backend| tame(&backend.started.backend))
        .collect();
    let names = if names.len() > 3 {
        format!("{} backends", names.len())
    } else {
        names.join(", ")
    };
    match (stream.finished.is_some(), red) {
        (false, _) => format!("Reshape conformance of {names}: cut short"),
        (true, 0) => format!("Reshape conformance of {names}"),
        (true, red) => format!("{red} failed: Reshape conformance of {names}"),
    }
}

fn head(stream: &Stream) -> Markup {
    let run = &stream.run;
    html! {
        h1 { "Reshape conformance" }
        p.sub {
            "Suite " (tame(&run.suite_version)) " (" code { (run.suite_hash.get(..8).unwrap_or_default()) } "), "
            (run.cases) " cases, " (run.trials) " trials for each backend, on " (tame(&run.system)) ", "
            time data-started=(run.started) { "at " (run.started) " ms since 1970" }
            @if let Some(part) = &run.partition { ", part " (tame(part)) }
            "."
        }
        @if stream.finished.is_none() {
            p.note.bad { "This run was cut short: what is here is what it came to." }
        }
    }
}

/// What each backend comes to.
fn verdicts(stream: &Stream) -> Markup {
    let kinds: Vec<VerdictKind> = VerdictKind::ALL
        .iter()
        .copied()
        .filter(|kind| {
            *kind == VerdictKind::Passed
                || stream
                    .backends
                    .iter()
                    .any(|backend| backend.counts().of(*kind) > 0)
        })
        .collect();
    html! {
        section #backends aria-labelledby="backends-title" {
            h2 #backends-title { "Backends" }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "backend" }
                        th scope="col" { "result" }
                        @for kind in &kinds { th.number scope="col" { (kind.name()) } }
                        th.number scope="col" { "trials" }
                    } }
                    tbody { @for backend in &stream.backends {
                        @let counts = backend.counts();
                        tr {
                            th scope="row" { (tame(&backend.started.backend)) " " span.version { (tame(&backend.started.version)) } }
                            td { (sign(stream, backend)) }
                            @for kind in &kinds {
                                td.number {
                                    @if counts.of(*kind) == 0 { span.none { "0" } } @else {
                                        a.(class(*kind)) href=(link(&[("backend", &backend.started.backend), ("verdict", kind.name())])) { (counts.of(*kind)) }
                                    }
                                }
                            }
                            td.number { (counts.total()) }
                        }
                    } }
                }
            }
        }
    }
}

fn sign(stream: &Stream, backend: &BackendRecords) -> Markup {
    let counts = backend.counts();
    let fixed =
        counts.of(VerdictKind::Fixed) + backend.finished.as_ref().map_or(0, |end| end.stale.len());
    match (
        counts.red(),
        backend.finished.is_none(),
        fixed > 0 && stream.run.baseline.is_none(),
    ) {
        (1.., ..) => html! { strong.bad { "✗ " (counts.red()) " failed" } },
        (0, true, _) => html! { strong.bad { "cut short" } },
        (0, false, true) => html! { strong.bad { "✗ stale known failures" } },
        (0, false, false) => html! { span.good { "✓ as expected" } },
    }
}

fn class(kind: VerdictKind) -> &'static str {
    match kind {
        _ if kind.is_red() => "bad",
        VerdictKind::Passed => "good",
        VerdictKind::Fixed => "bad",
        _ => "other",
    }
}

/// What failed and why: the causes, then what no cause explains, then what is known.
fn findings(stream: &Stream) -> Markup {
    let any = stream.backends.iter().any(|backend| {
        !backend.findings.is_empty()
            || !backend.unexplained().is_empty()
            || backend
                .finished
                .iter()
                .any(|end| !end.stale.is_empty() || end.unattributed.is_some())
    });
    html! {
        @if any {
            section #findings aria-labelledby="findings-title" {
                h2 #findings-title { "What failed, and why" }
                @for backend in &stream.backends { (of_backend(stream, backend)) }
            }
        }
    }
}

fn of_backend(stream: &Stream, backend: &BackendRecords) -> Markup {
    let (name, unexplained) = (&backend.started.backend, backend.unexplained());
    let mut apart: Vec<(&str, usize, &TrialRecord)> = Vec::new();
    for trial in &unexplained {
        match apart.iter_mut().find(|(case, ..)| *case == trial.case) {
            Some((_, count, _)) => *count += 1,
            None => apart.push((&trial.case, 1, trial)),
        }
    }
    html! {
        @for (index, finding) in backend.findings.iter().enumerate().take(MOST) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&sentence(&finding.cause))) }
                p { a href=(link(&[("backend", name), ("finding", &index.to_string())])) { (finding.cause.trials.len()) " trials" }
                    " " span.dim { (tame(&as_mutants(&finding.cause))) } }
                @if let Some(trial) = finding.cause.trials.first().and_then(|name| backend.trial(name)) { (smallest(stream, trial)) }
            }
        }
        @if backend.findings.len() > MOST { p { "… and " (backend.findings.len() - MOST) " more findings." } }
        @for (case, count, trial) in apart.iter().take(MOST) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(case)) " " (trial.judged().name()) }
                p { a href=(link(&[("backend", name), ("case", case), ("verdict", trial.verdict.name())])) { (count) " trials" } " that no mutant explains" }
                (smallest(stream, trial))
            }
        }
        @if apart.len() > MOST { p { a href=(link(&[("backend", name), ("verdict", "red")])) { "… and " (apart.len() - MOST) " more cases" } } }
        @for unattributed in backend.finished.iter().filter_map(|end| end.unattributed.as_ref()) {
            article.finding {
                h3 { (tame(name)) " " (tame(&unattributed.to_string())) }
                @if !unattributed.last.log.is_empty() { pre { (tame(&unattributed.last.log)) } }
            }
        }
        @for place in backend.finished.iter().flat_map(|end| &end.stale) {
            article.finding {
                h3 { span.bad { "✗ " } (tame(name)) ": " (tame(&place.message)) }
                pre { (tame(&place.file)) ":" (place.line) "\n" (tame(&place.text)) }
            }
        }
    }
}

/// A finding's smallest trial.
fn smallest(stream: &Stream, trial: &TrialRecord) -> Markup {
    let Some(story) = &trial.detail else {
        return html! {};
    };
    let case = stream.case(trial);
    html! {
        p.name { a href=(link(&[("backend", &trial.backend), ("trial", &trial.trial)])) { code { (tame(&trial.trial)) } }
            @if let Some((case, _)) = case { " " span.dim { (tame(&case.file)) ":" (case.line) } } }
        pre.diff { @for line in &story.diff { (shown(line)) } }
        @if let Some((_, operator)) = case { @for id in &operator.clauses {
            p.clause { code { (id) } @if let Some(of) = crate::spec::operator::Operator::clause(id) { " (" (of.clause.level) "): " (of.clause.says) } }
        } }
        p.again { code { (tame(&story.again)) } }
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

/// A link to the trials that these filters take.
fn link(filters: &[(&str, &str)]) -> String {
    let encode = |text: &str| {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        text.bytes()
            .map(|b| {
                if safe(b) {
                    char::from(b).to_string()
                } else {
                    format!("%{b:02X}")
                }
            })
            .collect::<String>()
    };
    let pairs: Vec<_> = filters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    format!("#{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        BackendFinished, BackendStarted, Counts, Event, FailureDetail, OutcomeRecord, RunFinished,
        RunStarted,
    };

    fn stream(words: &str, turned: bool) -> Stream {
        let trial = |name: &str| {
            let line = |kind, text: &str| Line {
                kind,
                text: text.to_owned(),
            };
            let diff = vec![
                line(LineKind::Text, "f32[1] to [1]"),
                line(LineKind::Got, words),
            ];
            let story = FailureDetail {
                size: (1, 1),
                diff,
                trace: Vec::new(),
                again: format!("run --exact '{name}'"),
            };
            let outcome = OutcomeRecord::Rejected {
                phase: crate::spec::outcome::Phase::Run,
                message: words.to_owned(),
            };
            Event::Trial(Box::new(TrialRecord {
                backend: words.into(),
                trial: name.to_owned(),
                case: "a-case".to_owned(),
                operator: "onnx.Reshape-14".to_owned(),
                element_type: "f32".to_owned(),
                binding: "constant-static".to_owned(),
                verdict: VerdictKind::Failed,
                microseconds: 0,
                outcome: Some(outcome),
                failure: Some("rejected".to_owned()),
                question: None,
                known_failure: Some(words.to_owned()),
                attempts: Vec::new(),
                before: None,
                detail: Some(Box::new(story)),
            }))
        };
        let mut names = [
            "a-case/onnx.Reshape-14/f32/constant-static",
            "a-case/onnx.Reshape-14/f32/constant-dynamic",
        ];
        if turned {
            names.reverse();
        }
        let started = BackendStarted {
            backend: words.into(),
            name: words.to_owned(),
            version: words.to_owned(),
            trials: 2,
            arguments: String::new(),
        };
        let run = RunStarted {
            format: 1,
            suite_hash: "0".repeat(32),
            backends: vec![words.to_owned()],
            ..RunStarted::default()
        };
        let mut counts = Counts::default();
        names.iter().for_each(|_| counts.count(VerdictKind::Failed));
        let finished = BackendFinished {
            backend: words.into(),
            counts: counts.clone(),
            stale: Vec::new(),
            unmatched: Vec::new(),
            unattributed: None,
        };
        let events = [
            Event::RunStarted(run),
            Event::BackendStarted(started),
            trial(names[0]),
            trial(names[1]),
        ];
        let mut stream = Stream::default();
        for event in events.into_iter().chain([
            Event::BackendFinished(finished),
            Event::RunFinished(RunFinished { counts }),
        ]) {
            stream.append(event).expect("in order");
        }
        stream.sort();
        stream
    }

    #[test]
    fn what_a_backend_says_is_text_wherever_it_stands() {
        let hostile = "</script><script>alert(1)</script><!--\u{1b}[31m\u{202e}&amp;\"'<img src=x onerror=alert(2)>";
        let page = render(&stream(hostile, false), None).expect("a page");
        assert_eq!(
            page.matches("<script").count(),
            2,
            "the data and the script"
        );
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\u{1b}'));
        let harmless = render(&stream("harmless", false), None).expect("a page");
        assert_eq!(page.matches("<a ").count(), harmless.matches("<a ").count());
    }

    #[test]
    fn the_order_in_which_trials_ended_changes_nothing() {
        assert_eq!(
            render(&stream("mine", false), None),
            render(&stream("mine", true), None)
        );
    }
}
