//! The digest of each backend's results for all reports: verdicts, findings and notes. A new kind of note is made here,
//! and every report shows it.

use super::number::grouped;
use super::verdicts::Verdicts;
use crate::error::as_started;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Cause, Counts, OutcomeRecord, TrialRecord};
use crate::names::{Grouped, Joined, columns, named_enum};

/// The description of a backend that is only similar to the operators.
pub(super) const ONLY_SIMILAR: &str = "a similar function: it does not claim to implement the operators, so its differences \
    violate no clause";

pub(crate) struct RunDigest<'a> {
    pub(super) stream: &'a Stream,
    /// What the run lacks, a sentence each.
    pub(super) missing: Vec<String>,
    pub(super) backends: Vec<Digest<'a>>,
}

/// The digest of a backend's results.
pub(super) struct Digest<'a> {
    pub(super) records: &'a BackendRecords,
    /// Its name on the command line.
    pub(super) name: &'a str,
    pub(super) verdicts: Verdicts,
    pub(super) conclusion: Conclusion,
    /// Its findings, each with its example, if the stream has that trial.
    pub(super) findings: Vec<(&'a Cause, Option<&'a TrialRecord>)>,
    /// The red trials that no finding explains, smallest first.
    pub(super) unexplained: Vec<&'a TrialRecord>,
    pub(super) notes: Vec<Note>,
}

/// The conclusion about a backend or a run, in the same word in every report. The first that holds counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conclusion {
    /// Trials failed.
    Failed,
    /// Its process died more often than known failures allow, where no trial can be blamed.
    Died,
    /// It did not run to its end.
    Incomplete,
    /// Nothing failed, but known failures are stale.
    Stale,
    /// Everything is as expected.
    AsExpected,
}

/// A remark about a backend, in addition to the verdicts of its trials.
pub(super) struct Note {
    pub(super) kind: NoteKind,
    pub(super) weight: Weight,
    /// The remark, on one or more lines, to be read after the backend's name.
    pub(super) description: String,
    /// The file, the line, and the column if it is known; `None` if it concerns no file.
    pub(super) place: Option<(String, usize, Option<usize>)>,
    /// The text shown below it: a line of the file, or of a log.
    pub(super) quote: String,
    /// The command that updates the file; `None` if it concerns no file, or no command line can name the backend.
    pub(super) update: Option<String>,
    /// The backend.
    name: String,
}

columns! {
    Row of NoteKind {
        /// Its subject, in a word or two.
        pub(super) about: &'static str,
        /// The fault.
        pub(super) title: &'static str,
        /// The expectation; empty if the place shows it.
        pub(super) wanted: &'static str,
    }
}

named_enum! {
    /// The kinds of notes.
    pub(super) enum NoteKind: Row, "kind of note" {
        Died = "died" => row("process", "the backend's process failed", "its process ran without a failure"),
        Growth = "memory-grows" => row("memory", "memory grows with the number of trials",
            "its memory does not grow with the trials"),
        Leak = "resource-grows" => row("resources", "resources in use grow with the number of trials",
            "its use of resources does not grow with the trials"),
        Shortened = "many-failures" => row("failures", "too many failures to show each in detail", "fewer failures"),
        Stale = "stale" => row("known failures", "stale known failure", ""),
        Fixed = "fixed" => row("known failures", "stale known failure", "fixed"),
    }
}

named_enum! {
    /// The weight of a note, with its name at GitHub and in SARIF.
    pub(super) enum Weight, "weight of a note" {
        /// It makes the run red.
        Error = "error",
        Warning = "warning",
        /// It is as expected.
        Info = "note",
    }
}

impl NoteKind {
    /// Whether it concerns an entry of the known failures.
    pub(super) fn is_of_an_entry(self) -> bool {
        matches!(self, Self::Stale | Self::Fixed)
    }

    /// Its id, for CI systems.
    pub(super) fn id(self) -> &'static str {
        match self.is_of_an_entry() {
            true => "stale-known-failure",
            false => self.name(),
        }
    }

    /// A short form, for reports that show its place and its text next.
    pub(super) fn in_short(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Fixed => "fixed, so `known-failures update` removes it",
            Self::Died | Self::Growth | Self::Leak | Self::Shortened => self.about(),
        }
    }
}

impl Note {
    /// The remark, after the backend's name if it concerns no file.
    pub(super) fn message(&self) -> String {
        match self.kind.is_of_an_entry() {
            true => self.description.clone(),
            false => format!("{} {}", self.name, self.description),
        }
    }

    /// The backend's name and the remark, in a line.
    pub(super) fn heading(&self) -> String {
        match self.kind.is_of_an_entry() {
            true => format!("{}: {}", self.name, self.description),
            false => {
                let first = self.description.lines().next().unwrap_or_default();
                format!("{} {first}", self.name)
            }
        }
    }

    /// The lines of the remark, then those that are shown below it.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.description.lines().chain(self.quote.lines())
    }

    /// The lines of the remark after the first.
    pub(super) fn more_lines(&self) -> impl Iterator<Item = &str> {
        self.description.lines().skip(1)
    }

    /// `file:line`; empty for a note without a file.
    pub(super) fn file_and_line(&self) -> String {
        let place = self.place.as_ref();
        place.map_or_else(String::new, |(file, line, _)| format!("{file}:{line}"))
    }
}

impl<'a> RunDigest<'a> {
    pub(crate) fn of(stream: &'a Stream) -> Self {
        let backends = stream.backends.iter().map(|records| {
            let mut verdicts = Verdicts::default();
            records.trials.iter().for_each(|of| verdicts.add(of));
            Digest::of(stream, records, verdicts)
        });
        Self {
            stream,
            missing: stream.missing(),
            backends: backends.collect(),
        }
    }

    /// The backends that claim to implement the operators, then those that are only similar to them.
    pub(super) fn by_claim(&self) -> (Vec<&Digest<'a>>, Vec<&Digest<'a>>) {
        let backends = self.backends.iter();
        backends.partition(|backend| !backend.records.started.only_similar)
    }

    /// The verdicts of all backends together.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let backends = self.backends.iter();
        backends.for_each(|backend| counts.add(&backend.verdicts.counts));
        counts
    }

    /// The conclusion about the run.
    pub(super) fn conclusion(&self) -> Conclusion {
        let backends = self.backends.iter().map(|backend| backend.conclusion);
        let missing = (!self.missing.is_empty()).then_some(Conclusion::Incomplete);
        let worst = backends.chain(missing).min();
        worst.unwrap_or(Conclusion::AsExpected)
    }
}

impl<'a> Digest<'a> {
    /// The digest of a backend's records. Its trials have these verdicts.
    pub(super) fn of(stream: &Stream, records: &'a BackendRecords, verdicts: Verdicts) -> Self {
        let findings = records.findings.iter().map(|finding| {
            let first = finding.cause.trials.first();
            (&finding.cause, first.and_then(|name| records.trial(name)))
        });
        Self {
            name: &records.started.backend,
            conclusion: conclusion(stream, records, &verdicts),
            findings: findings.collect(),
            unexplained: records.unexplained(),
            notes: notes(stream, records, &verdicts),
            verdicts,
            records,
        }
    }

    /// The notes that are not as expected.
    pub(super) fn alerts(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.weight != Weight::Info)
    }

    /// The failures that no finding explains, by what their cases cite.
    pub(super) fn unexplained_by_clause(&self, stream: &Stream) -> Vec<Alike<'a>> {
        by_clause(stream, self.records, self.unexplained.iter().copied())
    }

    /// Whether one of its processes died where no trial can be blamed.
    pub(super) fn has_died(&self) -> bool {
        self.notes.iter().any(|note| note.kind == NoteKind::Died)
    }
}

/// Failures that no finding explains, with one heading.
pub(super) struct Alike<'a> {
    /// What their cases cite.
    pub(super) covers: String,
    /// The kind of their outcomes.
    pub(super) outcome: &'a str,
    /// The smallest first.
    pub(super) trials: Vec<&'a TrialRecord>,
}

impl Alike<'_> {
    /// In a line: `zero-copies: 3 failed, reshaped`.
    pub(super) fn heading(&self) -> String {
        let (covers, outcome) = (&self.covers, self.outcome);
        format!("{covers}: {} failed, {outcome}", self.trials.len())
    }
}

/// Failures by what their cases cite, and by the kind of their outcomes. They come smallest first.
pub(super) fn by_clause<'a>(
    stream: &Stream,
    backend: &BackendRecords,
    failures: impl IntoIterator<Item = &'a TrialRecord>,
) -> Vec<Alike<'a>> {
    let groups = failures.into_iter().map(|trial| {
        // Without a description in the stream, or a claim, the case's name says it.
        let case = stream.case(trial).filter(|_| !backend.started.only_similar);
        let covers = case.map(|(case, _)| case.covers.join(", "));
        let covers = covers.unwrap_or_else(|| trial.case().to_owned());
        let outcome = trial.outcome.as_ref().map_or("none", OutcomeRecord::kind);
        ((covers, outcome), trial)
    });
    let groups = groups.sorted().into_iter();
    let groups = groups.map(|((covers, outcome), trials)| Alike {
        covers,
        outcome,
        trials,
    });
    groups.collect()
}

fn conclusion(stream: &Stream, records: &BackendRecords, verdicts: &Verdicts) -> Conclusion {
    let unmatched = records.finished.iter().flat_map(|end| &end.stale);
    // With a baseline, stale known failures are not red.
    let is_stale =
        stream.run.baseline.is_none() && (!verdicts.fixed.is_empty() || unmatched.count() > 0);
    match records.finished {
        _ if verdicts.counts.red() > 0 => Conclusion::Failed,
        _ if records.died() => Conclusion::Died,
        None => Conclusion::Incomplete,
        Some(_) if is_stale => Conclusion::Stale,
        Some(_) => Conclusion::AsExpected,
    }
}

/// The command that updates a backend's file of known failures, on the whole suite.
fn update_command(of: &BackendRecords, file: &str) -> Option<String> {
    let more = match of.started.arguments.as_str() {
        gate if gate.starts_with(" --gate") => format!("{gate} --core=false"),
        own if own.starts_with(" --adapter-command ") => format!("{own} --known-failures {file}"),
        _ => return None,
    };
    let command = format!("reshape-conformance known-failures update{more}");
    Some(as_started(&command))
}

fn notes(stream: &Stream, records: &BackendRecords, verdicts: &Verdicts) -> Vec<Note> {
    let note = |kind, weight, description| Note {
        kind,
        weight,
        description,
        place: None,
        quote: String::new(),
        update: None,
        name: records.started.backend.to_string(),
    };
    let finished = records.finished.as_ref();
    let stale = finished.iter().flat_map(|end| &end.stale).map(|of| Note {
        place: Some((of.file.clone(), of.line, Some(of.column))),
        quote: of.text.clone(),
        update: update_command(records, &of.file),
        ..note(NoteKind::Stale, Weight::Error, of.message.clone())
    });
    // With a baseline they are not red.
    let weight = match stream.run.baseline {
        Some(_) => Weight::Info,
        None => Weight::Error,
    };
    let fixed = verdicts.fixed.iter().map(|((entry, reason), trials)| {
        let example = trials.iter().min().map_or("", String::as_str);
        let description = match trials.len() {
            1 => format!("a known failure no longer fails, {example}: {reason}"),
            count => format!(
                "{count} trials of a known failure no longer fail, such as {example}: {reason}"
            ),
        };
        let place = entry.as_ref();
        Note {
            place: place.map(|entry| (entry.file.clone(), entry.line, None)),
            update: place.and_then(|entry| update_command(records, &entry.file)),
            ..note(NoteKind::Fixed, weight, description)
        }
    });
    let died = records.unattributed().map(|description| {
        let weight = match records.died() {
            true => Weight::Error,
            false => Weight::Warning,
        };
        let last = finished.and_then(|end| end.unattributed.as_ref());
        Note {
            quote: last.map_or_else(String::new, |of| of.last.log.clone()),
            ..note(NoteKind::Died, weight, description)
        }
    });
    let grows = |kind, description| note(kind, Weight::Warning, description);
    let growth = records.memory().and_then(|memory| memory.growth);
    let growth = growth.map(|of| grows(NoteKind::Growth, of.to_string()));
    let leaks = records.memory().into_iter().flat_map(|of| &of.leaks);
    let leaks = Some(leaks.joined("; ")).filter(|leaks| !leaks.is_empty());
    let leaks = leaks.map(|of| grows(NoteKind::Leak, format!("seems to leak: {of}")));
    let without = records.without_details();
    let shortened = (without > 0).then(|| {
        let description = format!(
            "has too many failures to show each in detail: of the largest {}, only the name and the kind are kept",
            grouped(without)
        );
        note(NoteKind::Shortened, Weight::Warning, description)
    });
    let ran = died.into_iter().chain(growth).chain(leaks).chain(shortened);
    ran.chain(stale).chain(fixed).collect()
}
