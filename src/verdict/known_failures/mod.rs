//! Known failures: what a backend is known to get wrong, so that a run is red on a change and on nothing else.
//!
//! Pure: a file's text in, standings out, and for `update` the file's new text. Entries always run; one that no longer
//! holds is as loud as a regression, or the list would only ever grow. The format is described in
//! `docs/known-failures.md`.

#[cfg(test)]
mod tests;
mod update;

pub use update::{Addition, Seen, update};

use crate::error::{Fault, Source};
use crate::event::VerdictKind;
use crate::suite::case::Expectation;
use crate::suite::glob::Glob;
use crate::verdict::judge::{Failure, Verdict};
use crate::yaml::{self, Spanned};
use serde::Deserialize;
use std::cell::Cell;

/// The entries of one file.
#[derive(Debug, Clone)]
pub struct KnownFailures {
    source: Source,
    entries: Vec<Entry>,
}

/// One reason, with the trials it explains.
#[derive(Debug, Clone)]
struct Entry {
    span: std::ops::Range<usize>,
    patterns: Vec<Pattern>,
    version: Option<Glob>,
    os: Option<String>,
    outcome: VerdictKind,
    failure: Option<String>,
    reason: String,
    flaky: bool,
    quarantine: bool,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    span: std::ops::Range<usize>,
    matcher: Glob,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    trials: Vec<Spanned<String>>,
    #[serde(default)]
    when: FileWhen,
    outcome: Spanned<String>,
    failure: Option<Spanned<String>>,
    reason: Spanned<String>,
    #[serde(rename = "link")]
    _link: Option<String>,
    #[serde(default)]
    flaky: bool,
    #[serde(default)]
    quarantine: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct FileWhen {
    version: Option<Spanned<String>>,
    os: Option<String>,
}

/// How a verdict stands against the known failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classification {
    /// No entry speaks of it.
    Unknown,
    /// It fails as an entry says, for this reason.
    Known(String),
    /// An entry says that it fails in another way.
    Changed(String),
    /// An entry says that it fails, and it does not.
    Fixed(String),
    /// It is not run, because an entry says that it does harm.
    Quarantined(String),
    /// It did something else when it was run again.
    Flaky,
    /// It fails just as it did in the baseline.
    Unchanged,
    /// It fails against advice alone, and only a must is asked for.
    Advisory,
    /// It is not asked any more, and passed in the baseline.
    Lost,
}

impl Classification {
    /// As what a trial of this verdict is counted.
    #[must_use]
    pub fn kind(&self, verdict: &Verdict) -> VerdictKind {
        match self {
            Self::Unknown | Self::Changed(_) => verdict.kind(),
            Self::Known(_) => VerdictKind::Known,
            Self::Fixed(_) => VerdictKind::Fixed,
            Self::Quarantined(_) => VerdictKind::Quarantined,
            Self::Flaky => VerdictKind::Flaky,
            Self::Unchanged => VerdictKind::Unchanged,
            Self::Advisory => VerdictKind::Advisory,
            Self::Lost => VerdictKind::Lost,
        }
    }
}

/// Which patterns of a file have met a trial, for one run.
#[derive(Debug, Default)]
pub struct Matched(Vec<Vec<Cell<bool>>>);

impl KnownFailures {
    /// Reads a file.
    ///
    /// # Errors
    /// Its first fault: an unknown field, no reason, a pattern that is no glob, …
    pub fn read(source: &Source) -> Result<Self, Fault> {
        let text = source.text.trim();
        let only_comments = text
            .lines()
            .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        let file: Vec<Spanned<FileEntry>> = if only_comments {
            Vec::new()
        } else {
            yaml::read(source)?
        };
        let entries = file
            .into_iter()
            .map(|entry| Entry::read(source, entry))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            source: source.clone(),
            entries,
        })
    }

    /// A list of what has been met, empty at first.
    #[must_use]
    pub fn unmatched(&self) -> Matched {
        Matched(
            self.entries
                .iter()
                .map(|entry| vec![Cell::new(false); entry.patterns.len()])
                .collect(),
        )
    }

    /// Whether any entry keeps trials from running.
    pub(crate) fn quarantines(&self) -> bool {
        self.entries.iter().any(|entry| entry.quarantine)
    }

    /// Whether a trial is not to be run, and why.
    #[must_use]
    pub fn quarantined(&self, trial: &str, version: &str, met: &Matched) -> Option<Classification> {
        let entry = self
            .find(trial, version, met, &|_| true)
            .filter(|entry| entry.quarantine)?;
        Some(Classification::Quarantined(entry.reason.clone()))
    }

    /// Notes which patterns a trial's name meets.
    pub fn meet(&self, trial: &str, version: &str, met: &Matched) {
        self.find(trial, version, met, &|_| true);
    }

    /// How a trial's verdict stands. An entry with a failure that the trial cannot fail with does not speak of it, so that
    /// a wide pattern takes in just the trials that it can be true of.
    #[must_use]
    pub fn standing(
        &self,
        trial: &str,
        expectation: &Expectation,
        version: &str,
        verdict: &Verdict,
        met: &Matched,
    ) -> Classification {
        let possible = |entry: &Entry| {
            entry
                .failure
                .as_deref()
                .is_none_or(|name| Failure::is_possible(name, expectation))
        };
        let Some(entry) = self.find(trial, version, met, &possible) else {
            return Classification::Unknown;
        };
        let kind = verdict.kind();
        let reason = entry.reason.clone();
        if kind == VerdictKind::Skipped {
            return Classification::Unknown;
        }
        let failure = match verdict {
            Verdict::Failed(failure) => Some(failure.name()),
            _ => None,
        };
        let as_said = kind == entry.outcome
            && entry
                .failure
                .as_deref()
                .is_none_or(|said| Some(said) == failure);
        match (kind.is_red(), as_said, entry.flaky) {
            (true, true, _) | (false, _, true) => Classification::Known(reason),
            (true, false, _) => Classification::Changed(reason),
            (false, _, false) => Classification::Fixed(reason),
        }
    }

    fn find(
        &self,
        trial: &str,
        version: &str,
        met: &Matched,
        speaks: &dyn Fn(&Entry) -> bool,
    ) -> Option<&Entry> {
        let mut found = None;
        for (entry, seen) in self
            .entries
            .iter()
            .zip(&met.0)
            .filter(|(entry, _)| entry.holds(version))
        {
            for (pattern, seen) in entry.patterns.iter().zip(seen) {
                if pattern.matcher.is_match(trial) {
                    seen.set(true);
                    if speaks(entry) {
                        found.get_or_insert(entry);
                    }
                }
            }
        }
        found
    }

    /// The patterns that met no trial, with their places: their entries say nothing any more.
    #[must_use]
    pub fn stale(&self, version: &str, met: &Matched) -> Vec<Fault> {
        let entries = self
            .entries
            .iter()
            .zip(&met.0)
            .filter(|(entry, _)| entry.holds(version));
        let patterns = entries.flat_map(|(entry, seen)| entry.patterns.iter().zip(seen));
        let unmatched = patterns
            .filter(|(_, seen)| !seen.get())
            .map(|(pattern, _)| {
                let message = format!("no trial has a name like '{}'", pattern.text);
                Fault::new(&self.source, pattern.span.clone(), message)
                    .hint("drop the line, or `known-failures update` does")
            });
        unmatched.collect()
    }
}

impl Entry {
    fn read(source: &Source, placed: Spanned<FileEntry>) -> Result<Self, Fault> {
        let span = yaml::span(source, &placed);
        let file = placed.value;
        let fault = |span, message: String| Fault::new(source, span, message);
        if file.reason.value.trim().is_empty() {
            return Err(fault(
                yaml::span(source, &file.reason),
                "an empty reason".to_owned(),
            )
            .hint("say why it fails, in a sentence"));
        }
        if file.trials.is_empty() {
            return Err(fault(span, "an entry without trials".to_owned()));
        }
        let glob = |text: &Spanned<String>| {
            Glob::new(&text.value).map_err(|error| fault(yaml::span(source, text), error))
        };
        // What is lost was not asked, so no entry can expect it.
        let red: Vec<_> = VerdictKind::ALL
            .iter()
            .filter(|kind| kind.is_red() && **kind != VerdictKind::Lost)
            .collect();
        let outcome = **red
            .iter()
            .find(|kind| kind.name() == file.outcome.value)
            .ok_or_else(|| {
                let red: Vec<_> = red.iter().map(|kind| kind.name()).collect();
                fault(
                    yaml::span(source, &file.outcome),
                    format!("there is no outcome '{}'", file.outcome.value),
                )
                .hint(format!("one of {}", red.join(", ")))
            })?;
        if let Some(failure) = &file.failure
            && !Failure::NAMES.contains(&failure.value.as_str())
        {
            let fault = fault(
                yaml::span(source, failure),
                format!("there is no failure '{}'", failure.value),
            );
            return Err(fault.hint(format!("one of {}", Failure::NAMES.join(", "))));
        }
        let pattern = |text: &Spanned<String>| {
            Ok(Pattern {
                text: text.value.clone(),
                span: yaml::span(source, text),
                matcher: glob(text)?,
            })
        };
        Ok(Self {
            patterns: file
                .trials
                .iter()
                .map(pattern)
                .collect::<Result<_, Fault>>()?,
            version: file.when.version.as_ref().map(glob).transpose()?,
            os: file.when.os,
            outcome,
            failure: file.failure.map(|failure| failure.value),
            reason: file.reason.value,
            flaky: file.flaky,
            quarantine: file.quarantine,
            span,
        })
    }

    fn holds(&self, version: &str) -> bool {
        self.version
            .as_ref()
            .is_none_or(|glob| glob.is_match(version))
            && self.os.as_ref().is_none_or(|os| os == std::env::consts::OS)
    }
}
