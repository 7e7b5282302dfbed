//! The results page: what every backend does, in Markdown.

use super::ONLY_SIMILAR;
use super::diff;
use super::markdown::{code, text};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Answer, Counts, TrialRecord, VerdictKind};
use crate::spec::operator::Level;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Lines of a failure's diff that are shown.
const MOST_LINES: usize = 14;

/// The page. `not_available` names the adapters that could not take part.
pub(crate) fn render(stream: &Stream, not_available: &[String]) -> String {
    let mut page = String::new();
    head(&mut page, stream, not_available);
    matrix(&mut page, stream);
    page.push_str("## Deviations\n");
    let (implementing, similar) = stream.by_claim();
    for backend in implementing {
        deviations(&mut page, stream, backend);
    }
    if !similar.is_empty() {
        let _ = writeln!(page, "\n## Similar functions\n\nEach is {ONLY_SIMILAR}.");
    }
    for backend in similar {
        deviations(&mut page, stream, backend);
    }
    questions(&mut page, stream);
    page
}

/// A backend's name and version.
fn label(backend: &BackendRecords) -> String {
    let started = &backend.started;
    format!("{} {}", text(&started.backend), text(&started.version))
}

fn head(page: &mut String, stream: &Stream, not_available: &[String]) {
    page.push_str("# Results\n\n<!-- Written by `run --results`; not by hand. -->\n\n");
    let backends: Vec<_> = stream.backends.iter().map(label).collect();
    let run = &stream.run;
    let _ = writeln!(
        page,
        "The suite {} ({} cases, {} trials for each backend) on {}, {}.\n",
        text(&run.suite_version),
        run.cases,
        run.trials,
        backends.join(", "),
        text(&run.system)
    );
    for missing in stream.missing() {
        let _ = writeln!(page, "**Incomplete**: {}\n", text(&missing));
    }
    if !not_available.is_empty() {
        let names = not_available.join(", ");
        let _ = writeln!(page, "Not available when this was written: {names}.\n");
    }
    page.push_str(
        "**passed**: as the text says. **recorded**: the text leaves it open. **deviates**: not as the text says (a crash, \
         a hang and the like among them). **skipped**: the adapter does not claim it. They add up to the trials.\n\n",
    );
}

/// A row for each backend and operator.
fn matrix(page: &mut String, stream: &Stream) {
    page.push_str("## Backends and operators\n\n| backend | operator | trials | passed | recorded | deviates | skipped |\n");
    page.push_str("|---|---|--:|--:|--:|--:|--:|\n");
    let order = operators(stream);
    for backend in &stream.backends {
        let mut rows: BTreeMap<usize, (&str, Counts)> = BTreeMap::new();
        for trial in &backend.trials {
            let at = order.iter().position(|name| *name == trial.operator);
            let (_, counts) = rows
                .entry(at.unwrap_or(order.len()))
                .or_insert_with(|| (&trial.operator, Counts::default()));
            counts.count(trial.verdict);
        }
        for (operator, counts) in rows.into_values() {
            row(page, backend, operator, &counts);
        }
    }
    page.push('\n');
}

/// The operators of the run: those that the clauses name, in that order, then the others as the cases name them.
fn operators(stream: &Stream) -> Vec<&str> {
    let of_clauses = stream.clauses.iter().map(|clause| clause.operator());
    let cases = stream.cases.iter().flat_map(|case| &case.operators);
    let of_cases = cases.map(|operator| operator.operator.as_str());
    let mut seen = BTreeSet::new();
    of_clauses
        .chain(of_cases)
        .filter(|name| seen.insert(*name))
        .collect()
}

fn row(page: &mut String, backend: &BackendRecords, operator: &str, counts: &Counts) {
    let of = |kind| counts.of(kind);
    let (total, skipped) = (counts.total(), of(VerdictKind::Skipped));
    // An operator that the backend does not have at all is left out.
    if skipped == total {
        return;
    }
    let (passed, recorded) = (of(VerdictKind::Passed), of(VerdictKind::Recorded));
    let deviates = match total - skipped - passed - recorded {
        0 => "0".to_owned(),
        count => format!("**{count}**"),
    };
    let _ = writeln!(
        page,
        "| {} | {} | {total} | {passed} | {recorded} | {deviates} | {skipped} |",
        label(backend),
        text(operator)
    );
}

/// A backend's failures by reason, the most frequent first.
fn deviations(page: &mut String, stream: &Stream, backend: &BackendRecords) {
    let _ = writeln!(page, "\n### {}\n", label(backend));
    let mut by_reason: BTreeMap<String, Vec<&TrialRecord>> = BTreeMap::new();
    for trial in &backend.trials {
        if trial.judged().is_red() {
            by_reason.entry(reason(trial)).or_default().push(trial);
        }
    }
    if by_reason.is_empty() {
        page.push_str("None found.\n");
    }
    let mut deviations: Vec<_> = by_reason.into_iter().collect();
    deviations.sort_by_key(|(_, trials)| std::cmp::Reverse(trials.len()));
    for (at, (reason, trials)) in deviations.iter().enumerate() {
        deviation(page, stream, at + 1, reason, trials);
    }
    for (reason, count) in backend.unavailable() {
        let reason = text(reason);
        let _ = writeln!(
            page,
            "\nSkipped because of the machine: {count} trials: {reason}\n"
        );
    }
    if let Some((first, words)) = backend.accidents().next() {
        let (count, trial) = (backend.accidents().count(), code(&first.trial));
        let _ = writeln!(
            page,
            "\nRejected by accident, by an internal error and not by a check: {count} trials, such as `{trial}`: {}\n",
            text(words)
        );
    }
}

/// The known failure's reason, or that there is none yet.
fn reason(trial: &TrialRecord) -> String {
    match (&trial.known_failure, trial.verdict) {
        (Some(reason), VerdictKind::Known) => reason.clone(),
        _ => format!("not explained yet: {}", trial.case),
    }
}

fn deviation(
    page: &mut String,
    stream: &Stream,
    number: usize,
    reason: &str,
    trials: &[&TrialRecord],
) {
    let Some(smallest) = trials.iter().copied().min_by_key(|trial| size(trial)) else {
        return;
    };
    let case = stream.case(smallest).map(|(_, operator)| operator);
    let level = case.map_or(Level::Open, |case| case.level);
    let clauses = stream.clauses_of(smallest).iter();
    let clauses: Vec<_> = clauses.map(|id| format!("`{}`", code(id))).collect();
    let (reason, count, trial) = (text(reason), trials.len(), code(&smallest.trial));
    let level = match clauses.is_empty() {
        true => String::new(),
        false => format!("{level}, "),
    };
    let _ = writeln!(page, "{number}. {reason} ({level}{count} trials)\n");
    if !clauses.is_empty() {
        let _ = writeln!(page, "   - clauses: {}", clauses.join(", "));
    }
    let _ = writeln!(page, "   - smallest trial: `{trial}`\n\n   ```text");
    let detail = smallest.detail.as_ref();
    let lines = detail.map_or_else(Vec::new, |detail| diff::without_colour(&detail.diff));
    for line in lines.iter().flat_map(|line| line.lines()).take(MOST_LINES) {
        let _ = writeln!(page, "   {line}");
    }
    let again = format!(
        "cargo run --release -- run --adapter {} --no-known-failures --exact '{trial}'",
        code(&smallest.backend)
    );
    let _ = writeln!(page, "   ```\n\n   - again: `{again}`\n");
}

/// Small trials first; among equals the name decides, so that the page is the same every time.
fn size(trial: &TrialRecord) -> (u64, usize, &str) {
    let (rank, elements) = trial.detail.as_ref().map_or((0, 0), |detail| detail.size);
    (elements, rank, &trial.trial)
}

/// The answers to each open question, then what each question is.
fn questions(page: &mut String, stream: &Stream) {
    page.push_str("\n## Open questions\n\nWhat each backend does where the texts leave it open: how many situations (case, operator, element type) it ");
    page.push_str("answered in which way, whatever the binding; **inconsistent** where it answered one situation differently under two bindings.\n\n");
    let labels: Vec<_> = stream
        .backends
        .iter()
        .map(|backend| text(&backend.started.backend))
        .collect();
    let _ = writeln!(
        page,
        "| question | {} |\n|---|{}",
        labels.join(" | "),
        "---|".repeat(labels.len())
    );
    let answers: Vec<_> = stream.backends.iter().map(answers).collect();
    for question in asked(stream, &answers) {
        let cells: Vec<_> = answers
            .iter()
            .map(|answers| answers.get(question).map_or("–".to_owned(), profile))
            .collect();
        let _ = writeln!(page, "| `{}` | {} |", code(question), cells.join(" | "));
    }
    if stream.questions.is_empty() {
        return;
    }
    page.push_str("\nWhat is asked, and what the reference does:\n\n");
    for question in &stream.questions {
        let _ = writeln!(
            page,
            "- `{}`: {} Allowed: {}. The reference: {}.",
            code(&question.id),
            text(&question.asks),
            text(&question.allowed),
            text(&question.choice)
        );
    }
}

/// A backend's answers: by question, then by case, operator and element type, whatever the binding.
type Answers<'a> = BTreeMap<&'a str, BTreeMap<(&'a str, &'a str, &'a str), BTreeSet<&'a str>>>;

fn answers(backend: &BackendRecords) -> Answers<'_> {
    let mut answers = Answers::new();
    for trial in &backend.trials {
        let Some(Answer { id, answer }) = &trial.question else {
            continue;
        };
        let request = (&*trial.case, &*trial.operator, &*trial.element_type);
        let of_question = answers.entry(id).or_default();
        of_question.entry(request).or_default().insert(answer);
    }
    answers
}

/// The questions that a backend answered: those that the stream describes, in that order, then the others.
fn asked<'a>(stream: &'a Stream, answers: &[Answers<'a>]) -> Vec<&'a str> {
    let described = stream.questions.iter().map(|question| question.id.as_str());
    let answered: BTreeSet<&str> = answers.iter().flat_map(|of| of.keys().copied()).collect();
    let mut seen = BTreeSet::new();
    described
        .chain(answered.iter().copied())
        .filter(|id| answered.contains(id) && seen.insert(*id))
        .collect()
}

/// How often a backend gave which answer to a question.
fn profile(requests: &BTreeMap<(&str, &str, &str), BTreeSet<&str>>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answers in requests.values() {
        let answers: Vec<_> = answers.iter().copied().collect();
        let answer = match answers.as_slice() {
            ["rejected"] => "rejects",
            [_] => "reshapes",
            _ => "**inconsistent**",
        };
        *counts.entry(answer).or_default() += 1;
    }
    let counts: Vec<_> = counts
        .iter()
        .map(|(answer, count)| format!("{answer} {count}"))
        .collect();
    counts.join(", ")
}
