//! The page itself: its head, the counts of each backend, and the places that the script fills.

use super::data;
use super::findings::findings;
use super::overview::{headline, history, rules};
use crate::event::VerdictKind;
use crate::event::stream::Stream;
use crate::names::Joined;
use crate::report::digest::{Conclusion, Digest, RunDigest};
use crate::report::location::link;
use crate::report::number::grouped;
use crate::report::style::tame;
use crate::report::totals::peak;
use base64::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The place of the data.
const DATA: &str = "DATA";

/// Writes the page of a run, with the changes since the run `before`, if it is given.
pub(crate) fn render(
    run: &RunDigest<'_>,
    before: Option<&Stream>,
    out: &mut dyn Write,
) -> io::Result<()> {
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
                title { (title(run)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#trials" { "Skip to the trials" }
                header { (head(run)) }
                main { (sections(run)) }
                script type="application/json" #data { (DATA) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    // The data is long, so it is written into the page where it belongs.
    let page = page.into_string();
    let parts = page.rsplit_once(DATA);
    let (start, end) = parts.ok_or_else(|| io::Error::other("a page without data"))?;
    out.write_all(start.as_bytes())?;
    data::write(out, run.stream, before)?;
    writeln!(out, "{end}")
}

/// The text sections of the page, then the sections that the script fills.
fn sections(run: &RunDigest<'_>) -> Markup {
    html! {
        (verdicts(run))
        section #changes hidden aria-labelledby="changes-title" { h2 #changes-title { "What changed" } div {} }
        (notes(run))
        (findings(run))
        (history(run))
        (rules(run.stream))
        noscript { p.note { "The matrix, the trials and the open questions need JavaScript. The page fetches nothing." } }
        section #matrix hidden aria-labelledby="matrix-title" { h2 #matrix-title { "Where" } div {} }
        section #trials hidden aria-labelledby="trials-title" tabindex="-1" { h2 #trials-title { "Trials" } div {} }
        section #known hidden aria-labelledby="known-title" { h2 #known-title { "Known failures" } div {} }
        section #profiles hidden aria-labelledby="profiles-title" { h2 #profiles-title { "Where the texts leave it open" } div {} }
    }
}

fn hash(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
}

fn title(run: &RunDigest<'_>) -> String {
    let backends = run.backends.iter();
    let names = match backends.len() > 3 {
        true => format!("{} backends", backends.len()),
        false => backends.map(|of| tame(of.name)).joined(", "),
    };
    match (run.stream.finished.is_some(), run.counts().red()) {
        (false, _) => format!("Incomplete: Reshape conformance of {names}"),
        (true, 0) => format!("Reshape conformance of {names}"),
        (true, red) => format!("{red} failed: Reshape conformance of {names}"),
    }
}

fn head(digest: &RunDigest<'_>) -> Markup {
    let (stream, run) = (digest.stream, &digest.stream.run);
    html! {
        h1 { "Reshape conformance" }
        (headline(digest))
        p.sub {
            "Suite " (tame(run.version())) (run.judged().unwrap_or_default()) " (" code { (run.short_hash()) } "), "
            (grouped(run.cases)) " cases, " (grouped(run.trials)) " trials for each backend, on " (tame(&run.system)) ", "
            time data-started=(run.started) { "at " (run.started) " ms since 1970" }
            @if let Some(part) = &run.partition { ", part " (tame(part)) }
            @if let Some(commit) = &run.job.commit { ", commit " code { (tame(commit.get(..12).unwrap_or(commit))) } }
            @if let Some(took) = took(stream) { ", " (took) }
            @if let Some(link) = run.job.link.as_ref().filter(|link| link.starts_with("https://")) {
                ", " a href=(link) rel="noreferrer" { "the job" }
            }
            "."
        }
        @for missing in &digest.missing {
            p.note.bad { "Incomplete: " (tame(missing)) }
        }
    }
}

/// The duration of the run, if it ran to its end.
fn took(stream: &Stream) -> Option<String> {
    let seconds = stream.finished.as_ref()?.milliseconds?.div_ceil(1000);
    Some(match seconds {
        0..=119 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    })
}

/// What the counts do not show: what the backend cannot do here, what no sample has, and rejections by accident.
fn notes(run: &RunDigest<'_>) -> Markup {
    html! {
        @for of in &run.backends { @for (reason, count) in &of.verdicts.unavailable {
            p.note { (tame(of.name)) ": " (count) " skipped, not possible here: " (tame(reason)) }
        } }
        @for of in &run.backends { @if let Some(sampled) = of.verdicts.sampled() {
            p.note { (tame(of.name)) ": " (tame(&sampled.to_string())) }
        } }
        @for of in &run.backends { @if let Some((count, first, _)) = of.verdicts.accident() {
            p.note {
                (tame(of.name)) ": " (count) " rejected by accident, by an internal error and not by a check, such as "
                a href=(link(&[("backend", of.name), ("trial", first)])) { code { (tame(first)) } }
            }
        } }
    }
}

/// Each backend's result and counts.
fn verdicts(run: &RunDigest<'_>) -> Markup {
    let all = run.counts();
    let kinds = VerdictKind::ALL.iter().copied();
    let kinds = kinds.filter(|kind| *kind == VerdictKind::Passed || all.of(*kind) > 0);
    let kinds: Vec<_> = kinds.collect();
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
                    tbody { @for backend in &run.backends { (row(backend, &kinds)) } }
                }
            }
        }
    }
}

fn row(backend: &Digest<'_>, kinds: &[VerdictKind]) -> Markup {
    let (name, counts, records) = (backend.name, &backend.verdicts.counts, backend.records);
    html! {
        tr {
            th scope="row" { (tame(name)) " " span.version { (tame(&records.started.version)) }
                @if let Some(memory) = records.memory() { br; span.dim { (peak(memory)) } }
            }
            td { (sign(backend)) }
            @for kind in kinds {
                td.number {
                    @if counts.of(*kind) == 0 { span.none { "0" } } @else {
                        a.(class(*kind)) href=(link(&[("backend", name), ("verdict", kind.name())])) { (grouped(counts.of(*kind))) }
                    }
                }
            }
            td.number { (grouped(counts.total())) }
        }
    }
}

fn sign(backend: &Digest<'_>) -> Markup {
    let red = backend.verdicts.counts.red();
    html! {
        @match backend.conclusion {
            Conclusion::Failed => strong.bad { "✗ " (grouped(red)) " failed" },
            Conclusion::Died => strong.bad { "✗ its process died" },
            Conclusion::Incomplete => strong.bad { "cut short" },
            Conclusion::Stale => strong.bad { "✗ stale known failures" },
            Conclusion::AsExpected => span.good { "✓ as expected" },
        }
    }
}

fn class(kind: VerdictKind) -> &'static str {
    match kind.is_bad() {
        true => "bad",
        false if kind == VerdictKind::Passed => "good",
        false => "other",
    }
}
