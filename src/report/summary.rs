//! The summary in Markdown, for a job's page or a comment: counts, findings, then other failures.

use super::cause::{again, as_mutants, sentence};
use super::diff;
use super::digest::{Conclusion, Digest, ONLY_SIMILAR, RunDigest};
use super::markdown::{code, fenced, label, text};
use super::totals::peak;
use super::verdicts::reason;
use crate::event::stream::Stream;
use crate::event::{TrialRecord, VerdictKind};
use crate::names::Joined;

/// The most findings and unexplained failures shown for a backend; GitHub limits a summary to 1 MiB.
const MAX: usize = 20;

/// The summary of a run, with the changes since the run `before`, if it is given.
pub(crate) fn render(run: &RunDigest<'_>, before: Option<&Stream>) -> String {
    let mut page = String::from("## Reshape conformance\n\n");
    for missing in &run.missing {
        page += &format!("**Incomplete**: {}\n\n", text(missing));
    }
    page.push_str(
        "| backend | | passed | recorded | red | known | skipped | other | trials |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    run.backends.iter().for_each(|of| row(&mut page, of));
    if let Some(before) = before {
        page += "\n### Changes since the baseline\n\n";
        let backends = run.backends.iter();
        backends.for_each(|of| changes(&mut page, of, before));
    }
    let (implementing, similar) = run.by_claim();
    for (at, backend) in implementing.iter().chain(&similar).enumerate() {
        if at == implementing.len() {
            page += &format!("\n## Similar functions\n\nEach is {ONLY_SIMILAR}.\n");
        }
        failures(&mut page, run.stream, backend);
        notes(&mut page, backend);
    }
    let run = &run.stream.run;
    let part = run.partition.as_ref();
    let part = part.map_or_else(String::new, |part| format!(", part {}", text(part)));
    if let Some(core) = run.selection.core_in_words() {
        page += &format!("\nThis is {}.\n", text(&core));
    }
    page += &format!(
        "\nSuite {}{} (`{}`), {} cases, {}{part}.\n",
        text(run.version()),
        run.judged().map_or_else(String::new, |of| text(&of)),
        code(run.short_hash()),
        run.cases,
        text(&run.system),
    );
    page
}

fn row(page: &mut String, backend: &Digest<'_>) {
    use VerdictKind::{Known, Passed, Recorded, Skipped};
    let counts = &backend.verdicts.counts;
    let [passed, recorded, known, skipped] =
        [Passed, Recorded, Known, Skipped].map(|kind| counts.of(kind));
    let (red, total) = (counts.red(), counts.total());
    let other = total - passed - recorded - known - red - skipped;
    let sign = match backend.conclusion {
        Conclusion::Failed => "**failed**",
        Conclusion::Died => "**died**",
        Conclusion::Incomplete => "**incomplete**",
        Conclusion::Stale => "**stale known failures**",
        Conclusion::AsExpected => "as expected",
    };
    *page += &format!(
        "| {} | {sign} | {passed} | {recorded} | {red} | {known} | {skipped} | {other} | {total} |\n",
        label(backend)
    );
}

/// The kinds of changes, in the order of [`changes`].
const CHANGES: [&str; 4] = ["worse", "better", "changed answers", "new failures"];

/// What changed since an earlier run, whatever the known failures say.
fn changes(page: &mut String, backend: &Digest<'_>, before: &Stream) {
    let mut changed: [Vec<&str>; 4] = Default::default();
    for trial in &backend.records.trials {
        let was = before.trial(backend.name, &trial.trial);
        let is_bad = |of: &TrialRecord| of.judged().is_red();
        let is_lost = trial.verdict == VerdictKind::Lost || !trial.verdict.is_asked();
        let kind = match was {
            None if is_bad(trial) => 3,
            Some(was) if is_lost && was.verdict == VerdictKind::Passed => 0,
            Some(was) if !is_bad(was) && is_bad(trial) => 0,
            Some(was) if is_bad(was) && !is_bad(trial) && trial.verdict.is_asked() => 1,
            Some(was) if is_bad(was) && is_bad(trial) && was.failure != trial.failure => 2,
            Some(was) if was.question.is_some() && was.question != trial.question => 2,
            None | Some(_) => continue,
        };
        changed[kind].push(&trial.trial);
    }
    *page += &format!("{}: ", label(backend));
    if before.backend(backend.name).is_none() {
        *page += "not in the baseline\n\n";
        return;
    }
    let counts = CHANGES.iter().zip(&changed);
    let counts = counts.map(|(kind, trials)| format!("{} {kind}", trials.len()));
    *page += &format!("{}\n\n", counts.joined(", "));
    for (kind, trials) in CHANGES.iter().zip(&changed) {
        for trial in trials.iter().take(MAX / 4) {
            *page += &format!("- {kind}: `{}`\n", code(trial));
        }
        if let Some(more @ 1..) = trials.len().checked_sub(MAX / 4) {
            *page += &format!("- {kind}: {more} more\n");
        }
    }
    *page += "\n";
}

fn failures(page: &mut String, stream: &Stream, backend: &Digest<'_>) {
    let findings = &backend.findings;
    if findings.is_empty() && backend.unexplained.is_empty() {
        return;
    }
    let red = backend.verdicts.counts.red();
    *page += &format!("\n### {}: {red} red\n\n", label(backend));
    for (cause, first) in findings.iter().take(MAX) {
        let (description, mutants) = (text(&sentence(cause)), text(&as_mutants(cause)));
        let count = cause.trials.len();
        *page += &format!("**{description}**: {count} failed  \n<sub>{mutants}</sub>\n\n");
        if let Some(trial) = first {
            failure(page, stream, trial, again(cause, trial));
        }
    }
    if let Some(more @ 1..) = findings.len().checked_sub(MAX) {
        *page += &format!("… and {more} more findings\n\n");
    }
    let groups = backend.unexplained_by_clause(stream);
    for group in groups.iter().take(MAX) {
        *page += &format!("**{}**\n\n", text(&group.heading()));
        if let Some(first) = group.trials.first() {
            failure(page, stream, first, first.again());
        }
    }
    if let Some(more @ 1..) = groups.len().checked_sub(MAX) {
        *page += &format!("… and {more} more groups of failures that no finding explains\n\n");
    }
}

/// A failure: its diff, the clauses, and the command that repeats it.
fn failure(page: &mut String, stream: &Stream, trial: &TrialRecord, again: Option<&str>) {
    let Some(detail) = &trial.detail else { return };
    let place = stream.case(trial);
    let place = place.map(|(case, _)| format!(" ({}:{})", case.file, case.line));
    let (name, place) = (code(&trial.trial), text(&place.unwrap_or_default()));
    *page += &format!("`{name}` {}{place}\n\n", trial.judged().name());
    if let Some(reason) = reason(trial) {
        *page += &format!("known to fail in another way: {}\n\n", text(&reason));
    }
    let lines = diff::without_colour(&detail.diff).join("\n");
    let clauses = stream.clauses_of(trial).join(", ");
    let again = again.map_or_else(String::new, |again| format!("\nagain: {again}"));
    *page += &format!("{}\n\n", fenced(&format!("{lines}\n{clauses}{again}")));
}

/// Remarks in addition to the failures.
fn notes(page: &mut String, backend: &Digest<'_>) {
    let (name, verdicts) = (text(backend.name), &backend.verdicts);
    for (kind, description) in [
        (VerdictKind::Flaky, "flaky"),
        (VerdictKind::Unchanged, "unchanged since the baseline"),
        (VerdictKind::Advisory, "against advice only"),
        (VerdictKind::New, "newer than the gate's `suite` and failed"),
        (VerdictKind::Quarantined, "quarantined"),
    ] {
        if let Some(trials) = verdicts.named.get(&kind) {
            let first = trials.first().map_or("", |(name, _)| name);
            let (count, first) = (trials.len(), code(first));
            *page += &format!("\n{name}: {count} {description}, such as `{first}`\n");
        }
    }
    for (reason, count) in &verdicts.unavailable {
        let reason = text(reason);
        *page += &format!("\n{name}: {count} skipped, not possible here: {reason}\n");
    }
    if let Some(sampled) = verdicts.sampled() {
        *page += &format!("\n{name}: {}\n", text(&sampled.to_string()));
    }
    if let Some((count, first, words)) = verdicts.accident() {
        let (first, words) = (code(first), text(words));
        *page += &format!(
            "\n{name}: {count} rejected by accident (an internal error, not a check), such as `{first}`: {words}\n"
        );
    }
    if let Some(memory) = backend.records.memory() {
        *page += &format!("\n{name}: {}\n", peak(memory));
    }
    for note in backend.notes.iter().take(2 * MAX) {
        if note.kind.is_of_an_entry() {
            let place = match note.file_and_line() {
                nowhere if nowhere.is_empty() => nowhere,
                place => format!(" `{}`", code(&place)),
            };
            let (kind, description) = (note.kind.in_short(), text(&note.message()));
            *page += &format!("\n{kind}:{place} {description}\n");
            continue;
        }
        *page += &format!("\n**{}**\n", text(&note.heading()));
        let more: Vec<_> = note.more_lines().collect();
        if !more.is_empty() {
            *page += &format!("\n{}\n", fenced(&more.join("\n")));
        }
    }
}
