//! The terminal report: failures grouped by clause first, then the open questions, then integers that add up.

use super::diff;
use super::style::{BAD, DIM, GOOD, NOTE, STRONG, out, paint};
use crate::case::Cover;
use crate::diagnosis::Finding;
use crate::error::Fault;
use crate::event::{Counts, Event, Label, Reporter, TrialResult};
use crate::judge::{Verdict, VerdictKind};
use crate::known_failures::Standing;
use crate::plan::Trial;
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
    failures: Vec<TrialResult>,
    findings: Vec<Finding>,
    recorded: BTreeMap<&'static str, BTreeMap<String, usize>>,
    skipped: BTreeMap<String, usize>,
    known: BTreeMap<String, usize>,
    fixed: Vec<String>,
}

impl Text {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let (failures, recorded, skipped) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let findings = Vec::new();
        Self { verbosity, failures, findings, recorded, skipped, known: BTreeMap::new(), fixed: Vec::new() }
    }

    fn trial(&mut self, label: &Label, result: &TrialResult) {
        if let Standing::Known(reason) = &result.standing {
            *self.known.entry(reason.clone()).or_default() += 1;
        }
        if let Standing::Fixed(reason) = &result.standing {
            self.fixed.push(format!("{} (known to fail: {reason})", result.trial));
        }
        if result.kind().is_red() {
            if self.verbosity == Verbosity::Verbose {
                story(label, result);
            }
            self.failures.push(result.clone());
            return;
        }
        if let Verdict::Recorded { question, answer } = &result.verdict {
            // The shapes differ from case to case; what is of interest is whether it took the request.
            let answer = if answer == "rejected" { "rejected" } else { "reshaped" };
            *self.recorded.entry(question.name()).or_default().entry(answer.to_owned()).or_default() += 1;
        }
        if result.kind() == VerdictKind::Skipped {
            *self.skipped.entry(result.trial.operator.to_string()).or_default() += 1;
        }
        if self.verbosity == Verbosity::Verbose && result.verdict != Verdict::Passed {
            out(format!("{} {}", paint(DIM, result.kind().name()), result.trial));
        }
    }

    /// What the failures have in common, as far as that is known; the others by what they break.
    fn print_failures(&mut self, label: &Label) {
        let (findings, mut failures) = (std::mem::take(&mut self.findings), std::mem::take(&mut self.failures));
        if failures.is_empty() || self.verbosity == Verbosity::Quiet {
            return;
        }
        failures.sort_by_cached_key(|result| (result.trial.size(), result.trial.to_string()));
        if !findings.is_empty() {
            out(format!("\n{}", paint(STRONG, "findings: what the failures have in common")));
        }
        let mut explained: HashMap<&str, usize> = HashMap::new();
        for (index, finding) in findings.iter().enumerate() {
            explained.extend(finding.trials.iter().map(|trial| (trial.as_str(), index)));
        }
        let mut by_finding: Vec<Vec<&TrialResult>> = findings.iter().map(|_| Vec::new()).collect();
        let mut rest: BTreeMap<(String, &'static str), Vec<&TrialResult>> = BTreeMap::new();
        for result in &failures {
            match explained.get(result.trial.to_string().as_str()) {
                Some(index) => by_finding[*index].push(result),
                None => rest.entry((covers(&result.trial), outcome_kind(result))).or_default().push(result),
            }
        }
        for (finding, results) in findings.iter().zip(&by_finding) {
            out(format!("\n{} {}: {} failed", paint(BAD, "✗"), paint(STRONG, sentence(finding)), results.len()));
            out(format!("  {}", paint(DIM, as_mutants(finding))));
            self.print_group(label, results);
        }
        if rest.is_empty() {
            return;
        }
        out(format!("\n{}", paint(STRONG, if findings.is_empty() { "failures by clause" } else { "other failures, by clause" })));
        for ((covers, outcome), results) in &rest {
            out(format!("\n{} {covers}: {} failed, {outcome}", paint(BAD, "✗"), results.len()));
            self.print_group(label, results);
        }
    }

    /// The smallest whole, and the names of some others.
    fn print_group(&self, label: &Label, results: &[&TrialResult]) {
        let Some(first) = results.first() else { return };
        if self.verbosity == Verbosity::Normal {
            story(label, first);
        }
        for result in results.iter().skip(1).take(MOST_NAMES) {
            out(format!("  also {}", result.trial));
        }
        if results.len() > 1 + MOST_NAMES {
            out(format!("  and {} more (--verbose shows all)", results.len() - 1 - MOST_NAMES));
        }
    }

    /// What the known failures explain, and which of them do not hold any more.
    fn print_known(&mut self, stale: &[Fault]) {
        let (known, fixed) = (std::mem::take(&mut self.known), std::mem::take(&mut self.fixed));
        if self.verbosity != Verbosity::Quiet && !known.is_empty() {
            out(format!("\n{}", paint(STRONG, "known failures")));
            known.iter().for_each(|(reason, count)| out(format!("  {count:5}  {reason}")));
        }
        if !fixed.is_empty() {
            out(format!("\n{}", paint(NOTE, "fixed: these do not fail any more; `known-failures update` drops them")));
            fixed.iter().take(20).for_each(|trial| out(format!("  {trial}")));
            if fixed.len() > 20 {
                out(format!("  and {} more", fixed.len() - 20));
            }
        }
        for fault in stale {
            out(super::fault::render(fault));
        }
    }

    fn print_rest(&mut self) {
        let recorded = std::mem::take(&mut self.recorded);
        let skipped = std::mem::take(&mut self.skipped);
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        if !recorded.is_empty() {
            out(format!("\n{}", paint(STRONG, "where the texts leave it open (recorded, not judged)")));
            for (question, answers) in recorded {
                let answers: Vec<_> = answers.iter().map(|(answer, count)| format!("{answer} in {count}")).collect();
                out(format!("  {question}: {}", answers.join(", ")));
            }
        }
        if !skipped.is_empty() {
            let parts: Vec<_> = skipped.iter().map(|(operator, count)| format!("{operator} {count}")).collect();
            out(format!("\n{} {}", paint(STRONG, "skipped (the manifest does not claim them):"), parts.join(", ")));
        }
    }
}

/// What a trial's case tests.
fn covers(trial: &Trial) -> String {
    let name = |cover: &Cover| match cover {
        Cover::Rule(rule) => rule.name().to_owned(),
        Cover::Clause(clause) => clause.to_string(),
    };
    trial.case.covers.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn outcome_kind(result: &TrialResult) -> &'static str {
    result.outcome.as_ref().map_or("none", |outcome| outcome.kind())
}

/// A finding in a sentence.
pub(super) fn sentence(finding: &Finding) -> String {
    let only = if finding.only.is_empty() { String::new() } else { format!(" ({})", finding.only.join(", ")) };
    format!("it {}{only}", finding.says)
}

/// The mutants that behave so.
pub(super) fn as_mutants(finding: &Finding) -> String {
    let or = if finding.or.is_empty() { String::new() } else { format!(", or {}", finding.or.join(", ")) };
    let against = match finding.against {
        0 => String::new(),
        1 => "; 1 trial speaks against it".to_owned(),
        several => format!("; {several} trials speak against it"),
    };
    format!("as the mutant {}{or}{against}", finding.mutants.join(" with "))
}

/// A failure from beginning to end, and the command that runs it again.
fn story(label: &Label, result: &TrialResult) {
    out(format!("  {} {}", paint(BAD, result.verdict.kind().name()), paint(STRONG, &result.trial)));
    out(diff::describe(&result.trial, &result.verdict, result.outcome.as_ref()));
    if let Standing::Changed(reason) = &result.standing {
        out(format!("    {} {reason}", paint(NOTE, "known to fail in another way:")));
    }
    out(format!("    again: {} run{} --exact '{}'", program(), label.arguments, result.trial));
}

/// How this program was started, as far as a person would type it.
pub(crate) fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() { "cargo run --release --" } else { "reshape-conformance" }
}

impl Reporter for Text {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::RunStarted { .. } => {}
            Event::BackendStarted { label, about, trials } => {
                if self.verbosity != Verbosity::Quiet {
                    out(format!("{} ({} {}): {trials} trials", paint(STRONG, &label.name), about.name, about.version));
                }
            }
            Event::Trial { label, result } => self.trial(label, result),
            Event::Finding { finding, .. } => self.findings.push((*finding).clone()),
            Event::BackendFinished { label, counts, stale, .. } => {
                self.print_failures(label);
                self.print_rest();
                self.print_known(stale);
                if self.verbosity != Verbosity::Quiet {
                    out("");
                }
                out(format!("{}: {}", paint(STRONG, &label.name), verdicts(counts)));
            }
            Event::RunFinished { .. } => {}
        }
    }
}

pub(super) fn verdicts(counts: &Counts) -> String {
    let style = |kind: VerdictKind| match kind {
        VerdictKind::Passed => GOOD,
        VerdictKind::Recorded | VerdictKind::Skipped | VerdictKind::Known | VerdictKind::Quarantined => NOTE,
        VerdictKind::Failed
        | VerdictKind::Crashed
        | VerdictKind::TimedOut
        | VerdictKind::OutOfMemory
        | VerdictKind::ProtocolError
        | VerdictKind::Fixed => BAD,
    };
    let shown =
        VerdictKind::ALL.iter().filter(|kind| matches!(kind, VerdictKind::Passed | VerdictKind::Failed) || counts.of(**kind) > 0);
    let paint_one = |kind: &VerdictKind| {
        let text = format!("{} {}", counts.of(*kind), kind.name());
        if counts.of(*kind) == 0 { text } else { paint(style(*kind), text) }
    };
    let parts: Vec<_> = shown.map(paint_one).collect();
    format!("{} trials = {}", counts.total(), parts.join(" + "))
}
