//! The known failures of one backend, for comparison with the verdicts of a run.

use super::entry::Entry;
use crate::error::{Error, Fault, Source};
use crate::event::{AllowedDeaths, EntryRecord, Place, Severity, VerdictKind};
use crate::names::{did_you_mean, nearest};
use crate::suite::case::Expectation;
use crate::verdict::judge::{Verdict, is_possible};
use crate::yaml;
use crate::yaml::{Faults, Value};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The entries of one file.
#[derive(Debug, Clone)]
pub(crate) struct KnownFailures {
    pub(crate) source: Source,
    pub(super) entries: Vec<Entry>,
}

/// The entries of a file that apply to one version of the backend, in a run.
#[derive(Debug)]
pub(crate) struct OfVersion<'a> {
    pub(super) known: &'a KnownFailures,
    /// Each entry with a flag for each of its patterns: whether it has matched a trial of this run.
    pub(super) entries: Vec<(&'a Entry, Vec<Cell<bool>>)>,
}

impl KnownFailures {
    /// Reads a file. The error has every fault: an unknown field, a missing reason, a pattern that is not a glob, …
    pub(crate) fn read(source: &Source) -> Result<Self, Error> {
        let document = yaml::tree(source)?;
        let mut faults = Faults::new(source, "docs/known-failures.md");
        let items = match &document.value {
            Value::List(items) => items.as_slice(),
            // A file that contains only comments.
            Value::Nothing => &[],
            Value::Scalar(_) | Value::Map(_) => {
                let message = format!("a list of entries, not {}", document.what());
                faults.note(&document, message, "each entry begins with `- trials: …`");
                &[]
            }
        };
        let entries = faults.each(items, Entry::read).unwrap_or_default();
        faults.found.sort_by_key(|fault| fault.span.start);
        Error::if_any(faults.found)?;
        Ok(Self {
            source: source.clone(),
            entries,
        })
    }

    /// The entries that apply to this version. No pattern has matched a trial yet.
    pub(crate) fn of_version(&self, version: &str) -> OfVersion<'_> {
        let entries = self.entries.iter().filter(|entry| entry.applies(version));
        let flags = |entry: &Entry| vec![Cell::new(false); entry.patterns.len()];
        OfVersion {
            known: self,
            entries: entries.map(|entry| (entry, flags(entry))).collect(),
        }
    }

    /// Whether any entry is a quarantine.
    pub(crate) fn quarantines(&self) -> bool {
        self.entries.iter().any(|entry| entry.quarantine)
    }

    /// The reason for which a trial is expected to fail, the entry, and the pattern of its versions if it holds only in
    /// some; `None` if the trial is expected to pass.
    pub(crate) fn expected(
        &self,
        trial: &str,
        expectation: &Expectation,
    ) -> Option<(&str, EntryRecord, Option<&str>)> {
        let entry = self.applying(trial, expectation)?;
        let versions = entry.version.as_ref().map(|of| &*of.pattern);
        Some((&entry.reason, self.record(entry), versions))
    }

    /// The first entry that applies to a trial, in whatever version.
    fn applying(&self, trial: &str, expectation: &Expectation) -> Option<&Entry> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.is_about(trial, expectation))
    }

    /// The causes of the entries that are about trials that run; an entry without a cause is one by itself.
    pub(crate) fn causes(&self) -> BTreeSet<String> {
        let run = self.entries.iter();
        let run = run.filter(|entry| !entry.quarantine && entry.deaths.is_none());
        run.map(|entry| self.cause_of(entry)).collect()
    }

    /// The cause by which a trial is expected to fail, in any version; `None` if it should pass, or does not run.
    pub(crate) fn cause(&self, trial: &str, expectation: &Expectation) -> Option<String> {
        let entry = self.applying(trial, expectation)?;
        (!entry.quarantine).then(|| self.cause_of(entry))
    }

    fn cause_of(&self, entry: &Entry) -> String {
        let place = || format!("line {}", self.source.line_and_column(entry.span.start).0);
        entry.cause.clone().unwrap_or_else(place)
    }

    fn record(&self, entry: &Entry) -> EntryRecord {
        // One entry of a cause is enough to name its example, its rules and its threads.
        let is_of_cause = |other: &&Entry| entry.cause.is_some() && other.cause == entry.cause;
        let of_cause = || std::iter::once(entry).chain(self.entries.iter().filter(is_of_cause));
        let rules = of_cause()
            .map(|of| &of.rules)
            .find(|rules| !rules.is_empty());
        let rules = rules.into_iter().flatten();
        let related = of_cause()
            .map(|of| &of.related)
            .find(|related| !related.is_empty());
        EntryRecord {
            file: self.source.file.to_string(),
            line: self.source.line_and_column(entry.span.start).0,
            link: entry.link.clone(),
            related: related.cloned().unwrap_or_default(),
            searched: of_cause().find_map(|of| of.searched.clone()),
            disputed: of_cause().find_map(|of| of.disputed.clone()),
            absent_in: of_cause().find_map(|of| of.absent_in.clone()),
            cause: entry.cause.clone(),
            severity: entry.severity,
            outcome: entry.quarantine.then_some(entry.outcome),
            example: of_cause().find_map(|of| of.example.clone()),
            rules: rules.map(|rule| rule.name().to_owned()).collect(),
        }
    }

    /// The patterns, each with the reason of its entry.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().flat_map(|entry| {
            let patterns = entry.patterns.iter();
            patterns.map(|pattern| (entry.reason.as_str(), pattern.text.as_str()))
        })
    }
}

impl<'a> OfVersion<'a> {
    /// Whether a trial is expected to end the process, or to hang.
    pub(crate) fn expects_death(&self, trial: &str, expectation: &Expectation) -> bool {
        let mut entries = self.entries.iter().map(|(entry, _)| entry);
        entries.any(|entry| {
            let is_of_death = !entry.quarantine && entry.outcome != VerdictKind::Failed;
            is_of_death && entry.is_about(trial, expectation)
        })
    }

    /// The quarantine of a trial, wherever it is among the entries; `None` if the trial may run.
    pub(crate) fn quarantined(&self, trial: &str) -> Option<Classification> {
        let entry = self.find(trial, &|entry| entry.quarantine)?;
        Some(Classification::Quarantined(entry.reason.clone()))
    }

    /// The entry with this reason that applies to a trial, in the form of the records.
    pub(crate) fn entry_record(&self, trial: &str, reason: &str) -> Option<EntryRecord> {
        let mut entries = self.entries.iter().map(|(entry, _)| entry);
        let entry = entries.find(|entry| {
            let mut patterns = entry.patterns.iter();
            entry.reason == reason && patterns.any(|pattern| pattern.matcher.matches_trial(trial))
        });
        Some(self.known.record(entry?))
    }

    /// What the entries say about deaths for which no trial can be blamed.
    pub(crate) fn allowed_deaths(&self) -> Vec<AllowedDeaths> {
        let allowed = self.entries.iter().filter_map(|(entry, _)| {
            let message = "this entry expects deaths, but none occurred in this run";
            let fault = Fault::new(&self.known.source, entry.span.clone(), message);
            Some(AllowedDeaths {
                most: entry.deaths?,
                message: entry.message.clone(),
                reason: entry.reason.clone(),
                place: Place::of(&fault.hint("remove it, or mark it `flaky: true`")),
                flaky: entry.flaky,
            })
        });
        allowed.collect()
    }

    /// Records which patterns match a trial's name.
    pub(crate) fn record_match(&self, trial: &str) {
        self.find(trial, &|_| false);
    }

    /// Classifies a trial's verdict. An entry applies only to trials that can fail with its failure.
    pub(crate) fn classify(
        &self,
        trial: &str,
        expectation: &Expectation,
        verdict: &Verdict,
    ) -> Classification {
        let can_fail = |entry: &Entry| entry.failure.is_none_or(|of| is_possible(of, expectation));
        let Some(entry) = self.find(trial, &can_fail) else {
            return Classification::Unknown;
        };
        let kind = verdict.kind();
        let reason = entry.reason.clone();
        if kind == VerdictKind::Skipped {
            return Classification::Unknown;
        }
        let is_listed = kind == entry.outcome
            && (entry.failure.is_none() || entry.failure == verdict.failure());
        // A process that reads out of bounds can also end.
        let is_memory = entry.severity == Some(Severity::Memory);
        let as_expected = is_listed || is_memory && kind == VerdictKind::Crashed;
        match (kind.is_red(), as_expected, entry.flaky) {
            (true, true, _) | (false, _, true) => Classification::Known(reason),
            (true, false, _) => Classification::Changed(reason),
            (false, _, false) => Classification::Fixed(reason),
        }
    }

    /// The first entry that matches a trial and satisfies `condition`. Records every pattern that matches.
    fn find(&self, trial: &str, condition: &dyn Fn(&Entry) -> bool) -> Option<&'a Entry> {
        let mut found = None;
        for (entry, flags) in &self.entries {
            for (pattern, flag) in entry.patterns.iter().zip(flags) {
                // A pattern that has matched is asked only for an entry to be found.
                let is_wanted = found.is_none() && condition(entry);
                if (is_wanted || !flag.get()) && pattern.matcher.matches_trial(trial) {
                    flag.set(true);
                    found = found.or(is_wanted.then_some(*entry));
                }
            }
        }
        found
    }

    /// The patterns that matched no trial, with their places. `cases` are the names of the suite's cases.
    pub(crate) fn stale(&self, cases: &[&str]) -> Vec<Fault> {
        let entries = self.entries.iter();
        let patterns = entries.flat_map(|(entry, flags)| entry.patterns.iter().zip(flags));
        let unmatched = patterns
            .filter(|(_, flag)| !flag.get())
            .map(|(pattern, _)| {
                let mut message = format!("no trial has a name like '{}'", pattern.text);
                let case = pattern.text.split('/').next().unwrap_or_default();
                if !cases.contains(&case) {
                    let near = nearest(case, cases.iter().copied());
                    if !near.is_empty() {
                        message = format!("{message}; {}", did_you_mean(&near));
                    }
                }
                Fault::new(&self.known.source, pattern.span.clone(), message)
                    .hint("a pattern matches the full name, such as 'two-minus-ones/**'; remove the line, or let \
                        `known-failures update` do it")
            });
        unmatched.collect()
    }
}

/// How a verdict compares with the known failures, the baseline and the retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Classification {
    /// No entry applies to it.
    Unknown,
    /// It fails as an entry expects, for this reason.
    Known(String),
    /// It fails, but an entry expects another failure, for this reason.
    Changed(String),
    /// It does not fail, but an entry expects that it does, for this reason.
    Fixed(String),
    /// It is not run because an entry quarantines it, for this reason.
    Quarantined(String),
    /// It passed when run again in the same circumstances.
    Flaky,
    /// It failed when run again in the same circumstances, and passed when run alone.
    Stateful,
    /// It fails as it did in the baseline.
    Unchanged,
    /// It violates only a `should` clause, and the run's level is `must`.
    Advisory,
    /// It fails, and is newer than the suite of the gate's file.
    New,
    /// It is skipped now, but passed in the baseline.
    Lost,
}

impl Classification {
    /// The reason of the known failure behind it; `None` if there is no such entry.
    pub(crate) fn reason(&self) -> Option<&str> {
        if let Self::Known(reason)
        | Self::Changed(reason)
        | Self::Fixed(reason)
        | Self::Quarantined(reason) = self
        {
            Some(reason)
        } else {
            None
        }
    }

    /// The kind that a trial with this verdict counts as.
    pub(crate) fn kind(&self, verdict: &Verdict) -> VerdictKind {
        match self {
            Self::Unknown | Self::Changed(_) => verdict.kind(),
            Self::Known(_) => VerdictKind::Known,
            Self::Fixed(_) => VerdictKind::Fixed,
            Self::Quarantined(_) => VerdictKind::Quarantined,
            Self::Flaky => VerdictKind::Flaky,
            Self::Stateful => VerdictKind::Stateful,
            Self::Unchanged => VerdictKind::Unchanged,
            Self::Advisory => VerdictKind::Advisory,
            Self::New => VerdictKind::New,
            Self::Lost => VerdictKind::Lost,
        }
    }
}
