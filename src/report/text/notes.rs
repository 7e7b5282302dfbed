//! The trials of a backend that are not red: open questions, skipped trials, known failures, and the like.

use super::verbosity::Verbosity;
use crate::event::shorten::shorten;
use crate::event::{Answer, TrialRecord, VerdictKind};
use crate::report::known_failure::{fixed_entries, reason};
use crate::report::sample::Sampled;
use crate::report::style::{NOTE, STRONG, out, paint, tame};
use std::collections::BTreeMap;

/// The most characters of a backend's words.
const MAX_WORDS: usize = 100;

/// The kinds whose trials are named: what is said of them, and how many names are listed at most.
const NAMED: [(VerdictKind, &str, usize); 3] = [
    (
        VerdictKind::Flaky,
        "flaky: these failed, and passed when they were run again in the same circumstances",
        20,
    ),
    (
        VerdictKind::Unchanged,
        "unchanged: these fail just as they did in the baseline",
        3,
    ),
    (
        VerdictKind::Advisory,
        "advisory: these fail against what the text advises; --level should makes them red",
        20,
    ),
];

/// What is printed of trials that are not red.
#[derive(Default)]
pub(super) struct Notes {
    /// For each open question, how often it was answered by a rejection or by a shape.
    recorded: BTreeMap<String, BTreeMap<&'static str, usize>>,
    /// Skipped trials by operator.
    skipped: BTreeMap<String, usize>,
    /// Trials that this machine cannot run, by the reason.
    unavailable: BTreeMap<String, usize>,
    /// How much was asked of what the manifest claims; red trials count, too.
    pub(super) sampled: Sampled,
    /// How many rejections were accidents, by the backend's words, and one of the trials.
    accidents: BTreeMap<String, (usize, String)>,
    /// Known failures by reason.
    known: BTreeMap<String, usize>,
    /// Trials that a known failure expects to fail, and that do not.
    fixed: Vec<TrialRecord>,
    /// The names of flaky, unchanged and advisory trials.
    named: BTreeMap<VerdictKind, Vec<String>>,
}

impl Notes {
    pub(super) fn take(&mut self, trial: &TrialRecord) {
        let name = &trial.trial;
        let named = match trial.verdict {
            VerdictKind::Fixed => {
                self.fixed.push(trial.clone());
                None
            }
            VerdictKind::Flaky => {
                let attempts: Vec<_> = trial.attempts.iter().map(|kind| kind.name()).collect();
                Some(format!("{name} ({})", attempts.join(", then ")))
            }
            VerdictKind::Unchanged | VerdictKind::Advisory => Some(name.clone()),
            VerdictKind::Known => {
                let reason = reason(trial).unwrap_or_default();
                *self.known.entry(reason).or_default() += 1;
                None
            }
            VerdictKind::Skipped => {
                if let Some(reason) = &trial.unavailable {
                    *self.unavailable.entry(reason.clone()).or_default() += 1;
                    return;
                }
                if trial.outside_sample.is_none() {
                    *self.skipped.entry(trial.operator.clone()).or_default() += 1;
                }
                None
            }
            VerdictKind::Passed
            | VerdictKind::Recorded
            | VerdictKind::Quarantined
            | VerdictKind::Failed
            | VerdictKind::Lost
            | VerdictKind::Stateful
            | VerdictKind::Crashed
            | VerdictKind::TimedOut
            | VerdictKind::OutOfMemory
            | VerdictKind::ProtocolError => None,
        };
        if let Some(named) = named {
            self.named.entry(trial.verdict).or_default().push(named);
        }
        if let Some(words) = trial.accident() {
            let first = || (0, name.clone());
            let (count, _) = self.accidents.entry(words.to_owned()).or_insert_with(first);
            *count += 1;
        }
        if let Some(answer) = &trial.question {
            self.take_answer(answer);
        }
    }

    /// Counts an answer. The shapes differ from case to case, so only whether the request was accepted is shown.
    fn take_answer(&mut self, answer: &Answer) {
        let kind = match answer.answer.as_str() {
            "rejected" => "rejected",
            _ => "reshaped",
        };
        let answers = self.recorded.entry(answer.id.clone()).or_default();
        *answers.entry(kind).or_default() += 1;
    }

    /// Prints the notes of the backend that has finished, and forgets them.
    pub(super) fn print(&mut self, verbosity: Verbosity) {
        let mut notes = std::mem::take(self);
        let quiet = verbosity == Verbosity::Quiet;
        if !quiet {
            notes.print_recorded();
            notes.print_accidents();
            notes.print_skipped();
            notes.print_known();
        }
        notes.print_fixed();
        for (kind, says, most) in NAMED {
            let names = notes.named.remove(&kind).unwrap_or_default();
            if !names.is_empty() && !quiet {
                print_names(says, names, most);
            }
        }
    }

    fn print_recorded(&self) {
        if self.recorded.is_empty() {
            return;
        }
        let title = "where the texts leave it open (recorded, not judged)";
        out(format!("\n{}", paint(STRONG, title)));
        for (question, answers) in &self.recorded {
            let answers: Vec<_> = answers
                .iter()
                .map(|(answer, count)| format!("{answer} in {count}"))
                .collect();
            out(format!("  {question}: {}", answers.join(", ")));
        }
    }

    fn print_accidents(&self) {
        if self.accidents.is_empty() {
            return;
        }
        let title = "rejected by accident: these did not fail, but an internal error refused them, not a check";
        out(format!("\n{}", paint(NOTE, title)));
        for (words, (count, trial)) in &self.accidents {
            let words = words.lines().next().unwrap_or_default();
            let words = shorten(words, MAX_WORDS);
            out(format!("  {count:5}  {} (such as {trial})", tame(&words)));
        }
    }

    fn print_skipped(&self) {
        if !self.unavailable.is_empty() {
            let title = "skipped (not on this machine, or not in this release):";
            out(format!("\n{}", paint(NOTE, title)));
        }
        for (reason, count) in &self.unavailable {
            out(format!("  {count:5}  {}", tame(reason)));
        }
        if let Some(sampled) = self.sampled.clone().some() {
            let title = paint(STRONG, "skipped (outside the sample):");
            let (count, sampled) = (sampled.left_out(), sampled.to_string());
            out(format!("\n{title} {count}; {}", tame(&sampled)));
        }
        if self.skipped.is_empty() {
            return;
        }
        let title = paint(STRONG, "skipped (the manifest does not claim them):");
        let operators: Vec<_> = self
            .skipped
            .iter()
            .map(|(operator, count)| format!("{operator} {count}"))
            .collect();
        out(format!("\n{title} {}", operators.join(", ")));
    }

    /// The entries of which trials do not fail any more, each once with its place.
    fn print_fixed(&self) {
        if self.fixed.is_empty() {
            return;
        }
        let title = "fixed: these do not fail any more; `known-failures update` drops them";
        out(format!("\n{}", paint(NOTE, title)));
        for fixed in fixed_entries(self.fixed.iter()) {
            out(format!("  {}{}", fixed.place(), fixed.says()));
        }
    }

    fn print_known(&self) {
        if self.known.is_empty() {
            return;
        }
        out(format!("\n{}", paint(STRONG, "known failures")));
        for (reason, count) in &self.known {
            out(format!("  {count:5}  {reason}"));
        }
    }
}

fn print_names(says: &str, mut names: Vec<String>, most: usize) {
    names.sort();
    out(format!("\n{}", paint(NOTE, says)));
    for name in names.iter().take(most) {
        out(format!("  {name}"));
    }
    if let Some(more @ 1..) = names.len().checked_sub(most) {
        out(format!("  and {more} more"));
    }
}
