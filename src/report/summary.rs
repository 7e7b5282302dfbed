//! The summary in Markdown, for a job's page or a comment: the counts, then the findings, then the other failures.

use super::ONLY_SIMILAR;
use super::cause::{again, as_mutants, sentence};
use super::conclusion::Conclusion;
use super::diff;
use super::known_failure::{fixed_entries, reason};
use super::markdown::{code, fenced, text};
use super::sample::Sampled;
use super::totals::peak;
use crate::event::TrialRecord;
use crate::event::VerdictKind;
use crate::event::stream::{BackendRecords, Stream};
use std::fmt::Write;

/// The most findings and unexplained failures shown for a backend; GitHub limits a summary to 1 MiB.
const MOST: usize = 20;

/// The summary of a run.
pub(crate) fn render(stream: &Stream) -> String {
    let mut page = String::from("## Reshape conformance\n\n");
    for missing in stream.missing() {
        let _ = writeln!(page, "**Incomplete**: {}\n", text(&missing));
    }
    page.push_str(
        "| backend | | passed | recorded | red | known | skipped | other | trials |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for backend in &stream.backends {
        row(&mut page, stream, backend);
    }
    let (implementing, similar) = stream.by_claim();
    for backend in implementing {
        failures(&mut page, stream, backend);
        notes(&mut page, backend);
    }
    if !similar.is_empty() {
        let _ = writeln!(page, "\n## Similar functions\n\nEach is {ONLY_SIMILAR}.");
    }
    for backend in similar {
        failures(&mut page, stream, backend);
        notes(&mut page, backend);
    }
    let run = &stream.run;
    let part = run.partition.as_ref();
    let part = part.map_or_else(String::new, |part| format!(", part {}", text(part)));
    let _ = writeln!(
        page,
        "\nSuite {} (`{}`), {} cases, {}{part}.",
        text(run.version()),
        code(run.suite_hash.get(..8).unwrap_or_default()),
        run.cases,
        text(&run.system),
    );
    page
}

fn row(page: &mut String, stream: &Stream, backend: &BackendRecords) {
    let counts = backend.counts();
    let [passed, recorded, known, skipped] = [
        VerdictKind::Passed,
        VerdictKind::Recorded,
        VerdictKind::Known,
        VerdictKind::Skipped,
    ]
    .map(|kind| counts.of(kind));
    let (red, total) = (counts.red(), counts.total());
    let other = total - passed - recorded - known - red - skipped;
    let started = &backend.started;
    let (name, version) = (text(&started.backend), text(&started.version));
    let sign = sign(stream, backend);
    let _ = writeln!(
        page,
        "| {name} {version} | {sign} | {passed} | {recorded} | {red} | {known} | {skipped} | {other} | {total} |"
    );
}

/// A backend's result in a word.
fn sign(stream: &Stream, backend: &BackendRecords) -> &'static str {
    match Conclusion::of(stream, backend) {
        Conclusion::Failed => "**failed**",
        Conclusion::Died => "**died**",
        Conclusion::Incomplete => "**incomplete**",
        Conclusion::Stale => "**stale known failures**",
        Conclusion::AsExpected => "as expected",
    }
}

fn failures(page: &mut String, stream: &Stream, backend: &BackendRecords) {
    let unexplained = backend.unexplained();
    if backend.findings.is_empty() && unexplained.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "\n### {} {}: {} red\n",
        text(&backend.started.backend),
        text(&backend.started.version),
        backend.counts().red()
    );
    for finding in backend.findings.iter().take(MOST) {
        let finding = &finding.cause;
        let _ = writeln!(
            page,
            "**{}**: {} failed  \n<sub>{}</sub>\n",
            text(&sentence(finding)),
            finding.trials.len(),
            text(&as_mutants(finding))
        );
        finding
            .trials
            .first()
            .and_then(|name| backend.trial(name))
            .into_iter()
            .for_each(|trial| failure(page, stream, trial, again(finding, trial)));
    }
    if backend.findings.len() > MOST {
        let _ = writeln!(
            page,
            "… and {} more findings\n",
            backend.findings.len() - MOST
        );
    }
    for trial in unexplained.iter().take(MOST) {
        failure(page, stream, trial, trial.again());
    }
    if unexplained.len() > MOST {
        let _ = writeln!(
            page,
            "… and {} more failures that no finding explains\n",
            unexplained.len() - MOST
        );
    }
}

/// A failure: its diff, the clauses, and the command that shows it again.
fn failure(page: &mut String, stream: &Stream, trial: &TrialRecord, again: Option<&str>) {
    let Some(detail) = &trial.detail else { return };
    let place = stream.case(trial).map_or_else(String::new, |(case, _)| {
        format!(" ({}:{})", case.file, case.line)
    });
    let _ = writeln!(
        page,
        "`{}` {}{}\n",
        code(&trial.trial),
        trial.judged().name(),
        text(&place)
    );
    if let Some(reason) = reason(trial) {
        let _ = writeln!(page, "known to fail in another way: {}\n", text(&reason));
    }
    let lines = diff::without_colour(&detail.diff).join("\n");
    let clauses = stream.clauses_of(trial).join(", ");
    let again = again.map_or_else(String::new, |again| format!("\nagain: {again}"));
    let _ = writeln!(page, "{}\n", fenced(&format!("{lines}\n{clauses}{again}")));
}

/// What is not red, and has to be noticed.
fn notes(page: &mut String, backend: &BackendRecords) {
    for fixed in fixed_entries(backend.trials.iter()).iter().take(MOST) {
        let (place, says) = (code(fixed.place().trim_end()), text(&fixed.says()));
        let place = match place.is_empty() {
            true => place,
            false => format!(" `{place}`"),
        };
        let _ = writeln!(
            page,
            "\nfixed, so `known-failures update` drops it:{place} {says}"
        );
    }
    for (kind, says) in [
        (VerdictKind::Flaky, "flaky"),
        (VerdictKind::Unchanged, "unchanged since the baseline"),
        (VerdictKind::Advisory, "against advice only"),
        (VerdictKind::Quarantined, "quarantined"),
    ] {
        let trials: Vec<_> = backend
            .trials
            .iter()
            .filter(|trial| trial.verdict == kind)
            .collect();
        let Some(first) = trials.first() else {
            continue;
        };
        let name = text(&backend.started.backend);
        let _ = writeln!(
            page,
            "\n{name}: {} {says}, such as `{}`",
            trials.len(),
            code(&first.trial)
        );
    }
    for (reason, count) in backend.unavailable() {
        let (name, reason) = (text(&backend.started.backend), text(reason));
        let _ = writeln!(
            page,
            "\n{name}: {count} skipped because of this machine: {reason}"
        );
    }
    if let Some(sampled) = Sampled::of(&backend.trials) {
        let (name, sampled) = (text(&backend.started.backend), text(&sampled.to_string()));
        let _ = writeln!(page, "\n{name}: {sampled}");
    }
    let accidents: Vec<_> = backend.accidents().collect();
    if let Some((first, words)) = accidents.first() {
        let _ = writeln!(
            page,
            "\n{}: {} rejected by accident (an internal error, not a check), such as `{}`: {}",
            text(&backend.started.backend),
            accidents.len(),
            code(&first.trial),
            text(words)
        );
    }
    if let Some(unattributed) = backend.unattributed() {
        let (first, more) = unattributed.split_once('\n').unwrap_or((&unattributed, ""));
        let name = text(&backend.started.backend);
        let _ = writeln!(page, "\n**{name} {}**", text(first));
        if !more.is_empty() {
            let _ = writeln!(page, "\n{}", fenced(more));
        }
    }
    for memory in backend.finished.iter().filter_map(|end| end.memory) {
        let name = text(&backend.started.backend);
        let _ = writeln!(page, "\n{name}: {}", peak(memory));
        if let Some(growth) = memory.growth {
            let _ = writeln!(page, "\n**{name} {growth}**");
        }
    }
    for place in backend
        .finished
        .iter()
        .flat_map(|end| &end.stale)
        .take(MOST)
    {
        let _ = writeln!(
            page,
            "\nstale: `{}:{}` {}",
            code(&place.file),
            place.line,
            text(&place.message)
        );
    }
}
