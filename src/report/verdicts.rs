//! The verdicts of a backend's trials, as reports count them. They are added one by one, so no trial is kept.

use super::number::grouped;
use crate::event::shorten::without_numbers;
use crate::event::{Counts, EntryRecord, OutcomeRecord, TrialRecord, VerdictKind};
use crate::semantics::operator::Question;
use std::collections::BTreeMap;
use std::fmt;

/// The verdicts of a backend's trials.
#[derive(Default)]
pub(super) struct Verdicts {
    pub(super) counts: Counts,
    /// For each open question, the number of rejections and of shapes among its answers.
    pub(super) recorded: BTreeMap<String, BTreeMap<&'static str, usize>>,
    /// Messages of rejections past the suite's bar of sizes, by their texts without numbers; two at most.
    pub(super) limits: BTreeMap<String, String>,
    /// Trials that the manifest does not claim, by operator.
    pub(super) skipped: BTreeMap<String, usize>,
    /// Those of them that the backend was asked, by the reason.
    pub(super) declined: BTreeMap<String, usize>,
    /// Trials that this machine cannot run, by the reason.
    pub(super) unavailable: BTreeMap<String, usize>,
    sampled: Sampled,
    /// The number of rejections by accident, by the backend's message, and the first of their trials.
    pub(super) accidents: BTreeMap<String, (usize, String)>,
    /// Known failures by reason.
    pub(super) known: BTreeMap<String, usize>,
    /// The names of flaky, unchanged, advisory, new and quarantined trials, with their attempts.
    pub(super) named: BTreeMap<VerdictKind, Vec<(String, Vec<VerdictKind>)>>,
    /// Trials that no longer fail, by the entry of the known failures, which streams of old versions lack, and its reason.
    pub(super) fixed: BTreeMap<(Option<EntryRecord>, String), Vec<String>>,
}

impl Verdicts {
    /// Adds the verdict of a trial.
    pub(super) fn add(&mut self, trial: &TrialRecord) {
        use VerdictKind::{Advisory, Crashed, Failed, Fixed, Flaky, Known, Lost, New, OutOfMemory};
        use VerdictKind::{Passed, ProtocolError, Quarantined, Recorded, Skipped, Stateful};
        use VerdictKind::{TimedOut, Unchanged};
        let name = &trial.trial;
        self.counts.count(trial.verdict);
        self.sampled.add(trial);
        match trial.verdict {
            Fixed => {
                let entry = trial.known_failure_entry.clone();
                let entry = (entry, reason(trial).unwrap_or_default());
                self.fixed.entry(entry).or_default().push(name.clone());
            }
            Flaky | Unchanged | Advisory | New | Quarantined => {
                let named = self.named.entry(trial.verdict).or_default();
                named.push((name.clone(), trial.attempts.to_vec()));
            }
            Known => {
                let reason = reason(trial).unwrap_or_default();
                *self.known.entry(reason).or_default() += 1;
            }
            Skipped if trial.is_declined() => {
                *self.skipped.entry(trial.operator().to_owned()).or_default() += 1;
                if let Some(why) = why_declined(trial) {
                    *self.declined.entry(why).or_default() += 1;
                }
            }
            Skipped | Passed | Recorded | Failed | Lost | Stateful => {}
            Crashed | TimedOut | OutOfMemory | ProtocolError => {}
        }
        if let Some(reason) = &trial.unavailable {
            *self.unavailable.entry(reason.to_string()).or_default() += 1;
        }
        if let Some(words) = trial.accident() {
            let first = || (0, name.clone());
            let (count, _) = self.accidents.entry(words.to_owned()).or_insert_with(first);
            *count += 1;
        }
        if let Some(answer) = &trial.question {
            // Shapes differ from case to case, so show only whether it was accepted, or what became of the elements.
            let mut kinds = ["rejected", "kept", "changed"].into_iter();
            let kind = kinds.find(|of| *of == answer.answer).unwrap_or("reshaped");
            let answers = self.recorded.entry(answer.id.clone()).or_default();
            *answers.entry(kind).or_default() += 1;
            if let Some(OutcomeRecord::Rejected { message, .. }) = &trial.outcome
                && answer.id == Question::Capacity.name()
                && self.limits.len() < 2
            {
                let first = self.limits.entry(without_numbers(message));
                first.or_insert_with(|| message.clone());
            }
        }
    }

    /// How much of the manifest's claim was asked, if a sample leaves trials out.
    pub(super) fn sampled(&self) -> Option<&Sampled> {
        Some(&self.sampled).filter(|of| of.left_out > 0)
    }

    /// The number of rejections by accident, the name of the first trial, and the backend's message there; `None`
    /// without such a rejection.
    pub(super) fn accident(&self) -> Option<(usize, &str, &str)> {
        let all = self.accidents.values().map(|(count, _)| count).sum();
        let first = self.accidents.iter().min_by_key(|(_, (_, trial))| trial);
        first.map(|(words, (_, trial))| (all, trial.as_str(), words.as_str()))
    }
}

/// Why a trial is skipped that the backend was asked; `None` if it was not.
pub(super) fn why_declined(trial: &TrialRecord) -> Option<String> {
    let OutcomeRecord::Unsupported { message } = trial.outcome.as_ref()? else {
        return Some("nothing shows whether the output shares memory with the data".to_owned());
    };
    let line = message.lines().next().unwrap_or_default();
    Some(format!("the backend declined: {line}"))
}

/// The reason of a trial's known failure, followed by its link; `None` without a known failure.
pub(super) fn reason(trial: &TrialRecord) -> Option<String> {
    let reason = trial.known_failure.as_ref()?;
    let entry = trial.known_failure_entry.as_ref();
    Some(match entry.and_then(|entry| entry.link.as_ref()) {
        Some(link) => format!("{reason} ({link})"),
        None => reason.to_string(),
    })
}

/// How much of its claim a backend was asked, if its manifest states a sample: the trials asked, those that known
/// failures quarantine, and those outside the sample.
#[derive(Default)]
pub(super) struct Sampled {
    asked: usize,
    quarantined: usize,
    pub(super) left_out: usize,
    /// The sample, such as 1/16; empty if it leaves nothing out.
    sample: String,
}

impl Sampled {
    fn add(&mut self, trial: &TrialRecord) {
        if let Some(sample) = &trial.outside_sample {
            self.left_out += 1;
            str::clone_into(sample, &mut self.sample);
        } else if trial.verdict.is_asked() {
            self.asked += 1;
        } else if trial.verdict == VerdictKind::Quarantined {
            self.quarantined += 1;
        }
    }
}

impl fmt::Display for Sampled {
    /// `asked 1,200 of 17,594 that it claims (75 more are quarantined), a sample of 1/16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.asked + self.quarantined + self.left_out;
        let (asked, all) = (grouped(self.asked), grouped(all));
        write!(f, "asked {asked} of {all} that it claims")?;
        match self.quarantined {
            0 => {}
            1 => f.write_str(" (1 more is quarantined)")?,
            several => write!(f, " ({} more are quarantined)", grouped(several))?,
        }
        write!(f, ", the core and a sample of {}", self.sample)
    }
}
