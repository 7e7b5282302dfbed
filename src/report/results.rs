//! The results page: what every backend does, in Markdown, from the events of a real run and from nothing else.

use super::diff;
use super::summary::code;
use crate::event::VerdictKind;
use crate::event::{Answer, CaseRecord, Counts, Event, Reporter, RunStarted, TrialRecord};
use crate::spec::operator::{Level, OPERATORS, Question};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Collects a run, and renders it when it is over.
#[derive(Default)]
pub(crate) struct Results {
    run: RunStarted,
    cases: HashMap<String, CaseRecord>,
    backends: Vec<BackendResults>,
}

/// What one backend did.
struct BackendResults {
    label: String,
    version: String,
    operators: BTreeMap<usize, Counts>,
    /// Failures by why they happen, as far as that is known: how many, and the smallest.
    deviations: BTreeMap<String, (usize, TrialRecord)>,
    /// Answers to open questions, by question and then by the situation they answered.
    answers: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Reporter for Results {
    fn event(&mut self, event: &Event) {
        match event {
            Event::RunStarted(run) => self.run = run.clone(),
            Event::Case(case) => drop(self.cases.insert(case.case.clone(), case.clone())),
            Event::BackendStarted(started) => self.backends.push(BackendResults {
                label: started.backend.to_string(),
                version: started.version.clone(),
                operators: BTreeMap::new(),
                deviations: BTreeMap::new(),
                answers: BTreeMap::new(),
            }),
            Event::Trial(trial) => {
                if let Some(backend) = self.backends.last_mut() {
                    backend.trial(trial);
                }
            }
            Event::Finding(_)
            | Event::BackendFinished(_)
            | Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::Unknown => {}
        }
    }
}

impl BackendResults {
    fn trial(&mut self, trial: &TrialRecord) {
        let row = OPERATORS
            .iter()
            .position(|operator| operator.name == trial.operator)
            .unwrap_or(0);
        self.operators.entry(row).or_default().count(trial.verdict);
        if let Some(Answer { id, answer }) = &trial.question {
            let situation = format!("{}/{}/{}", trial.case, trial.operator, trial.element_type);
            self.answers
                .entry(id.clone())
                .or_default()
                .entry(situation)
                .or_default()
                .insert(answer.clone());
        }
        if trial.judged().is_red() {
            let why = match (&trial.known_failure, trial.verdict) {
                (Some(reason), VerdictKind::Known) => reason.clone(),
                _ => format!("not explained yet: {}", trial.case),
            };
            let (count, smallest) = self
                .deviations
                .entry(why)
                .or_insert_with(|| (0, trial.clone()));
            *count += 1;
            if size(trial) < size(smallest) {
                *smallest = trial.clone();
            }
        }
    }
}

/// Small trials first; among equals the name decides, so that the page is the same every time.
fn size(trial: &TrialRecord) -> (u64, usize, &str) {
    let (rank, elements) = trial.detail.as_ref().map_or((0, 0), |story| story.size);
    (elements, rank, &trial.trial)
}

impl Results {
    /// The page.
    pub(crate) fn render(&self, not_available: &[String]) -> String {
        let mut page = String::new();
        self.head(&mut page, not_available);
        self.matrix(&mut page);
        self.deviations(&mut page);
        self.profiles(&mut page);
        page
    }

    fn head(&self, page: &mut String, not_available: &[String]) {
        page.push_str("# Results\n\n<!-- Written by `run --results`; not by hand. -->\n\n");
        let backends: Vec<_> = self
            .backends
            .iter()
            .map(|backend| format!("{} {}", cell(&backend.label), cell(&backend.version)))
            .collect();
        let _ = writeln!(
            page,
            "The suite {} ({} cases, {} trials for each backend) on {}, {} {}.\n",
            env!("CARGO_PKG_VERSION"),
            self.run.cases,
            self.run.trials,
            backends.join(", "),
            std::env::consts::OS,
            std::env::consts::ARCH
        );
        if !not_available.is_empty() {
            let _ = writeln!(
                page,
                "Not available when this was written: {}.\n",
                not_available.join(", ")
            );
        }
        page.push_str(
            "**passed**: as the text says. **recorded**: the text leaves it open. **deviates**: not as the text says (a crash, \
             a hang and the like among them). **skipped**: the adapter does not claim it. They add up to the trials.\n\n",
        );
    }

    fn matrix(&self, page: &mut String) {
        page.push_str("## Backends and operators\n\n| backend | operator | trials | passed | recorded | deviates | skipped |\n");
        page.push_str("|---|---|--:|--:|--:|--:|--:|\n");
        for backend in &self.backends {
            for (row, counts) in &backend.operators {
                let skipped = counts.of(VerdictKind::Skipped);
                // An operator that the backend does not have at all is no row.
                if skipped == counts.total() {
                    continue;
                }
                let deviates = counts.total()
                    - skipped
                    - counts.of(VerdictKind::Passed)
                    - counts.of(VerdictKind::Recorded);
                let _ = writeln!(
                    page,
                    "| {} {} | {} | {} | {} | {} | {} | {skipped} |",
                    cell(&backend.label),
                    cell(&backend.version),
                    OPERATORS[*row].name,
                    counts.total(),
                    counts.of(VerdictKind::Passed),
                    counts.of(VerdictKind::Recorded),
                    if deviates == 0 {
                        "0".to_owned()
                    } else {
                        format!("**{deviates}**")
                    },
                );
            }
        }
        page.push('\n');
    }

    fn deviations(&self, page: &mut String) {
        page.push_str("## Deviations\n");
        for backend in &self.backends {
            let _ = writeln!(
                page,
                "\n### {} {}\n",
                cell(&backend.label),
                cell(&backend.version)
            );
            if backend.deviations.is_empty() {
                page.push_str("None found.\n");
            }
            let mut deviations: Vec<_> = backend.deviations.iter().collect();
            deviations.sort_by_key(|(why, (count, _))| (std::cmp::Reverse(*count), *why));
            for (number, (why, (count, smallest))) in deviations.into_iter().enumerate() {
                let trial = code(&smallest.trial);
                let case = self.cases.get(&smallest.case);
                let operator = case.and_then(|case| {
                    case.operators
                        .iter()
                        .find(|one| one.operator == smallest.operator)
                });
                let level = operator.map_or(Level::Open, |operator| operator.level);
                let ids: Vec<_> = operator
                    .iter()
                    .flat_map(|operator| &operator.clauses)
                    .map(|id| format!("`{}`", code(id)))
                    .collect();
                let _ = writeln!(
                    page,
                    "{}. {} ({}, {count} trials)\n",
                    number + 1,
                    escaped(why),
                    level
                );
                let story = smallest
                    .detail
                    .as_ref()
                    .map_or_else(Vec::new, |story| diff::without_colour(&story.diff));
                let _ = writeln!(page, "   - clauses: {}", ids.join(", "));
                let _ = writeln!(page, "   - smallest trial: `{trial}`\n\n   ```text");
                for line in story.iter().flat_map(|line| line.lines()).take(14) {
                    let _ = writeln!(page, "   {line}");
                }
                let again = format!(
                    "cargo run --release -- run --adapter {} --no-known-failures --exact '{trial}'",
                    code(&backend.label)
                );
                let _ = writeln!(page, "   ```\n\n   - again: `{again}`\n");
            }
        }
    }

    fn profiles(&self, page: &mut String) {
        page.push_str("\n## Open questions\n\nWhat each backend does where the texts leave it open: how many situations (case, operator, element type) it ");
        page.push_str("answered in which way, whatever the binding; **inconsistent** where it answered one situation differently under two bindings.\n\n");
        let labels: Vec<_> = self
            .backends
            .iter()
            .map(|backend| cell(&backend.label))
            .collect();
        let _ = writeln!(
            page,
            "| question | {} |\n|---|{}",
            labels.join(" | "),
            "---|".repeat(labels.len())
        );
        for question in Question::ALL {
            let cells: Vec<_> = self
                .backends
                .iter()
                .map(|backend| profile(backend.answers.get(question.name())))
                .collect();
            if cells.iter().any(|cell| cell != "–") {
                let _ = writeln!(page, "| `{question}` | {} |", cells.join(" | "));
            }
        }
        page.push_str("\nWhat is asked, and what the reference does:\n\n");
        for question in Question::ALL {
            let _ = writeln!(
                page,
                "- `{question}`: {} Allowed: {}. The reference: {}.",
                question.asks(),
                question.allowed(),
                question.choice()
            );
        }
    }
}

fn profile(situations: Option<&BTreeMap<String, BTreeSet<String>>>) -> String {
    let Some(situations) = situations else {
        return "–".to_owned();
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answers in situations.values() {
        let answer = match answers
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            ["rejected"] => "rejects",
            [_] => "reshapes",
            _ => "**inconsistent**",
        };
        *counts.entry(answer).or_default() += 1;
    }
    counts
        .iter()
        .map(|(answer, count)| format!("{answer} {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A name or a version: in one line, and nothing in it ends its place.
fn cell(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '|' | '[' | '<' | '`' => safe.extend(['\\', c]),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// Text that Markdown takes for nothing but text.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if "\\`*_{}[]<>#|".contains(c) {
            escaped.push('\\');
        }
        escaped.push(if c.is_control() { ' ' } else { c });
    }
    escaped
}
