//! The terminal report: failures grouped by clause first, then the open questions, then integers that add up.

use super::diff;
use super::style::{BAD, DIM, GOOD, NOTE, STRONG, out, paint, tame};
use crate::event::Cause;
use crate::event::VerdictKind;
use crate::event::{
    self, Answer, BackendStarted, CaseOperator, CaseRecord, ClauseRecord, Counts, Event, Place,
    Reporter, TrialRecord, UnattributedRecord,
};
use std::collections::{BTreeMap, HashMap};

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Counts only.
    Quiet,
    /// One whole story a clause and kind of failure, and the names of some others.
    Normal,
    /// Every failure whole, and every skipped or recorded trial by name.
    Verbose,
}

/// Names listed under a story.
const MOST_NAMES: usize = 3;

/// Collects what failed, and prints when a backend is done.
pub(crate) struct Text {
    verbosity: Verbosity,
    clauses: HashMap<String, ClauseRecord>,
    cases: HashMap<String, CaseRecord>,
    failures: Vec<TrialRecord>,
    findings: Vec<Cause>,
    recorded: BTreeMap<String, BTreeMap<&'static str, usize>>,
    skipped: BTreeMap<String, usize>,
    known: BTreeMap<String, usize>,
    /// Trials that are not red and yet want to be seen, by what they are counted as.
    noted: BTreeMap<VerdictKind, Vec<String>>,
}

impl Text {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let (cases, failures, findings, recorded) =
            (HashMap::new(), Vec::new(), Vec::new(), BTreeMap::new());
        let (skipped, known, noted) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self {
            verbosity,
            clauses: HashMap::new(),
            cases,
            failures,
            findings,
            recorded,
            skipped,
            known,
            noted,
        }
    }

    fn trial(&mut self, trial: &TrialRecord) {
        let name = &trial.trial;
        match trial.verdict {
            VerdictKind::Known => {
                *self
                    .known
                    .entry(trial.known_failure.clone().unwrap_or_default())
                    .or_default() += 1
            }
            VerdictKind::Fixed => {
                let reason = trial.known_failure.as_deref().unwrap_or_default();
                self.noted
                    .entry(trial.verdict)
                    .or_default()
                    .push(format!("{name} (known to fail: {reason})"));
            }
            VerdictKind::Flaky => {
                let attempts: Vec<_> = trial.attempts.iter().map(|kind| kind.name()).collect();
                self.noted
                    .entry(trial.verdict)
                    .or_default()
                    .push(format!("{name} ({})", attempts.join(", then ")));
            }
            VerdictKind::Unchanged | VerdictKind::Advisory => {
                self.noted
                    .entry(trial.verdict)
                    .or_default()
                    .push(name.clone());
            }
            VerdictKind::Skipped => *self.skipped.entry(trial.operator.clone()).or_default() += 1,
            _ if trial.verdict.is_red() => {
                if self.verbosity == Verbosity::Verbose {
                    self.failure(trial);
                }
                self.failures.push(trial.clone());
                return;
            }
            _ => {}
        }
        if let Some(Answer { id, answer }) = &trial.question {
            // The shapes differ from case to case; what is of interest is whether it took the request.
            let answer = if answer == "rejected" {
                "rejected"
            } else {
                "reshaped"
            };
            *self
                .recorded
                .entry(id.clone())
                .or_default()
                .entry(answer)
                .or_default() += 1;
        }
        if self.verbosity == Verbosity::Verbose && trial.verdict != VerdictKind::Passed {
            out(format!("{} {name}", paint(DIM, trial.verdict.name())));
        }
    }

    /// What the failures have in common, as far as that is known; the others by what they break.
    fn print_failures(&mut self) {
        let (findings, mut failures) = (
            std::mem::take(&mut self.findings),
            std::mem::take(&mut self.failures),
        );
        if failures.is_empty() || self.verbosity == Verbosity::Quiet {
            return;
        }
        failures.sort_by_cached_key(|trial| {
            (
                trial.detail.as_ref().map(|story| story.size),
                trial.trial.clone(),
            )
        });
        if !findings.is_empty() {
            out(format!(
                "\n{}",
                paint(STRONG, "findings: what the failures have in common")
            ));
        }
        let mut explained: HashMap<&str, usize> = HashMap::new();
        for (index, finding) in findings.iter().enumerate() {
            explained.extend(finding.trials.iter().map(|trial| (trial.as_str(), index)));
        }
        let mut by_finding: Vec<Vec<&TrialRecord>> = findings.iter().map(|_| Vec::new()).collect();
        let mut rest: BTreeMap<(String, &'static str), Vec<&TrialRecord>> = BTreeMap::new();
        for trial in &failures {
            match explained.get(trial.trial.as_str()) {
                Some(index) => by_finding[*index].push(trial),
                None => rest
                    .entry((self.covers(trial), outcome_kind(trial)))
                    .or_default()
                    .push(trial),
            }
        }
        for (finding, results) in findings.iter().zip(&by_finding) {
            out(format!(
                "\n{} {}: {} failed",
                paint(BAD, "✗"),
                paint(STRONG, sentence(finding)),
                results.len()
            ));
            out(format!("  {}", paint(DIM, as_mutants(finding))));
            self.print_group(results);
        }
        if rest.is_empty() {
            return;
        }
        out(format!(
            "\n{}",
            paint(
                STRONG,
                if findings.is_empty() {
                    "failures by clause"
                } else {
                    "other failures, by clause"
                }
            )
        ));
        for ((covers, outcome), results) in &rest {
            out(format!(
                "\n{} {covers}: {} failed, {outcome}",
                paint(BAD, "✗"),
                results.len()
            ));
            self.print_group(results);
        }
    }

    /// The smallest whole, and the names of some others.
    fn print_group(&self, trials: &[&TrialRecord]) {
        let Some(first) = trials.first() else { return };
        if self.verbosity == Verbosity::Normal {
            self.failure(first);
        }
        for trial in trials.iter().skip(1).take(MOST_NAMES) {
            out(format!("  also {}", trial.trial));
        }
        if trials.len() > 1 + MOST_NAMES {
            out(format!(
                "  and {} more (--verbose shows all)",
                trials.len() - 1 - MOST_NAMES
            ));
        }
    }

    /// What the known failures explain, and which of them do not hold any more.
    fn print_known(&mut self, stale: &[Place]) {
        let (known, noted) = (
            std::mem::take(&mut self.known),
            std::mem::take(&mut self.noted),
        );
        if self.verbosity != Verbosity::Quiet && !known.is_empty() {
            out(format!("\n{}", paint(STRONG, "known failures")));
            known
                .iter()
                .for_each(|(reason, count)| out(format!("  {count:5}  {reason}")));
        }
        for (kind, mut trials) in noted {
            let says = match kind {
                VerdictKind::Fixed => {
                    "fixed: these do not fail any more; `known-failures update` drops them"
                }
                VerdictKind::Flaky => {
                    "flaky: these failed, and did something else when they were run again"
                }
                VerdictKind::Unchanged => "unchanged: these fail just as they did in the baseline",
                _ => {
                    "advisory: these fail against what the text advises; --level should makes them red"
                }
            };
            if kind != VerdictKind::Fixed && self.verbosity == Verbosity::Quiet {
                continue;
            }
            trials.sort();
            out(format!("\n{}", paint(NOTE, says)));
            let most = if kind == VerdictKind::Unchanged {
                MOST_NAMES
            } else {
                20
            };
            trials
                .iter()
                .take(most)
                .for_each(|trial| out(format!("  {trial}")));
            if trials.len() > most {
                out(format!("  and {} more", trials.len() - most));
            }
        }
        stale
            .iter()
            .for_each(|place| out(super::fault::render_place(place)));
    }

    /// A failure from beginning to end, and the command that runs it again.
    fn failure(&self, trial: &TrialRecord) {
        let Some(story) = &trial.detail else { return };
        out(format!(
            "  {} {}",
            paint(BAD, trial.judged().name()),
            paint(STRONG, &trial.trial)
        ));
        let ids = self
            .operator_of(trial)
            .into_iter()
            .flat_map(|operator| &operator.clauses);
        let clauses = ids.map(|id| {
            let clause = self.clauses.get(id);
            clause.map_or_else(|| id.clone(), ToString::to_string)
        });
        out(diff::indent(&diff::with_clauses(&story.diff, clauses)));
        if let Some(reason) = &trial.known_failure {
            out(format!(
                "    {} {reason}",
                paint(NOTE, "known to fail in another way:")
            ));
        }
        if let Some(before) = trial.before {
            out(format!(
                "    {} {}",
                paint(NOTE, "in the baseline:"),
                before.name()
            ));
        }
        out(format!(
            "    again: {}",
            story.again.replacen("reshape-conformance", program(), 1)
        ));
    }

    fn operator_of(&self, trial: &TrialRecord) -> Option<&CaseOperator> {
        self.cases
            .get(&trial.case)?
            .operators
            .iter()
            .find(|one| one.operator == trial.operator)
    }

    /// What a trial's case tests.
    fn covers(&self, trial: &TrialRecord) -> String {
        self.cases
            .get(&trial.case)
            .map_or_else(|| trial.case.clone(), |case| case.covers.join(", "))
    }

    fn print_rest(&mut self) {
        let recorded = std::mem::take(&mut self.recorded);
        let skipped = std::mem::take(&mut self.skipped);
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        if !recorded.is_empty() {
            out(format!(
                "\n{}",
                paint(
                    STRONG,
                    "where the texts leave it open (recorded, not judged)"
                )
            ));
            for (question, answers) in recorded {
                let answers: Vec<_> = answers
                    .iter()
                    .map(|(answer, count)| format!("{answer} in {count}"))
                    .collect();
                out(format!("  {question}: {}", answers.join(", ")));
            }
        }
        if !skipped.is_empty() {
            let parts: Vec<_> = skipped
                .iter()
                .map(|(operator, count)| format!("{operator} {count}"))
                .collect();
            out(format!(
                "\n{} {}",
                paint(STRONG, "skipped (the manifest does not claim them):"),
                parts.join(", ")
            ));
        }
    }
}

fn outcome_kind(trial: &TrialRecord) -> &'static str {
    trial
        .outcome
        .as_ref()
        .map_or("none", event::OutcomeRecord::kind)
}

/// A finding in a sentence.
pub(super) fn sentence(cause: &Cause) -> String {
    let only = if cause.only.is_empty() {
        String::new()
    } else {
        format!(" ({})", cause.only.join(", "))
    };
    format!("it {}{only}", cause.says)
}

/// The mutants that behave so.
pub(super) fn as_mutants(cause: &Cause) -> String {
    let or = if cause.or.is_empty() {
        String::new()
    } else {
        format!(", or {}", cause.or.join(", "))
    };
    let against = match cause.against {
        0 => String::new(),
        1 => "; 1 trial speaks against it".to_owned(),
        several => format!("; {several} trials speak against it"),
    };
    format!(
        "as the mutant {}{or}{against}",
        cause.mutants.join(" with ")
    )
}

/// How this program was started, as far as a person would type it.
pub(crate) fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() {
        "cargo run --release --"
    } else {
        "reshape-conformance"
    }
}

impl Reporter for Text {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Clause(clause) => {
                self.clauses.insert(clause.id.clone(), clause.clone());
            }
            Event::Case(case) => drop(self.cases.insert(case.case.clone(), case.clone())),
            Event::BackendStarted(started) => {
                if self.verbosity != Verbosity::Quiet {
                    let BackendStarted {
                        backend,
                        name,
                        version,
                        trials,
                        ..
                    } = started;
                    out(format!(
                        "{} ({} {}): {trials} trials",
                        paint(STRONG, backend),
                        tame(name),
                        tame(version)
                    ));
                }
            }
            Event::Trial(trial) => self.trial(trial),
            Event::Finding(finding) => self.findings.push(finding.cause.clone()),
            Event::BackendFinished(finished) => {
                self.print_failures();
                self.print_rest();
                self.print_known(&finished.stale);
                finished
                    .unattributed
                    .iter()
                    .for_each(|unattributed| print_unattributed(&finished.backend, unattributed));
                if self.verbosity != Verbosity::Quiet {
                    out("");
                }
                out(format!(
                    "{}: {}",
                    paint(STRONG, &finished.backend),
                    verdicts(&finished.counts)
                ));
            }
            Event::RunStarted(_)
            | Event::Question(_)
            | Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::Unknown => {}
        }
    }
}

/// What went wrong beside the trials, with its last words.
pub(crate) fn print_unattributed(backend: &str, unattributed: &UnattributedRecord) {
    out(format!(
        "\n{} {}",
        paint(NOTE, backend),
        tame(&unattributed.to_string())
    ));
    unattributed
        .last
        .log
        .lines()
        .for_each(|line| out(format!("  {}", tame(line))));
}

/// A backend's counts in a line.
pub(crate) fn summary(started: &BackendStarted, counts: &Counts) {
    out(format!(
        "{}: {}",
        paint(STRONG, &started.backend),
        verdicts(counts)
    ));
}

pub(super) fn verdicts(counts: &Counts) -> String {
    let style = |kind: VerdictKind| match kind {
        VerdictKind::Passed => GOOD,
        VerdictKind::Recorded
        | VerdictKind::Skipped
        | VerdictKind::Known
        | VerdictKind::Quarantined
        | VerdictKind::Flaky
        | VerdictKind::Unchanged
        | VerdictKind::Advisory => NOTE,
        VerdictKind::Failed
        | VerdictKind::Crashed
        | VerdictKind::TimedOut
        | VerdictKind::OutOfMemory
        | VerdictKind::ProtocolError
        | VerdictKind::Lost
        | VerdictKind::Fixed => BAD,
    };
    let shown = VerdictKind::ALL.iter().filter(|kind| {
        matches!(kind, VerdictKind::Passed | VerdictKind::Failed) || counts.of(**kind) > 0
    });
    let paint_one = |kind: &VerdictKind| {
        let text = format!("{} {}", counts.of(*kind), kind.name());
        if counts.of(*kind) == 0 {
            text
        } else {
            paint(style(*kind), text)
        }
    };
    let parts: Vec<_> = shown.map(paint_one).collect();
    format!("{} trials = {}", counts.total(), parts.join(" + "))
}
