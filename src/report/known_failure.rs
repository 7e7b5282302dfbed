//! The known failures that trials rest on, in words, and the entries of which trials no longer fail.

use crate::event::stream::{BackendRecords, Stream};
use crate::event::{EntryRecord, TrialRecord, VerdictKind};
use std::collections::BTreeMap;

/// The reason of a trial's known failure, followed by its link; `None` if none speaks of the trial.
pub(super) fn reason(trial: &TrialRecord) -> Option<String> {
    let reason = trial.known_failure.as_ref()?;
    let entry = trial.known_failure_entry.as_ref();
    Some(match entry.and_then(|entry| entry.link.as_ref()) {
        Some(link) => format!("{reason} ({link})"),
        None => reason.clone(),
    })
}

/// An entry of which some trials do not fail any more.
pub(super) struct FixedEntry<'a> {
    /// Where it stands; `None` in a stream of an old version.
    pub(super) entry: Option<&'a EntryRecord>,
    reason: String,
    trials: Vec<&'a str>,
}

impl FixedEntry<'_> {
    /// What became of it.
    pub(super) fn says(&self) -> String {
        let Self { reason, trials, .. } = self;
        let example = trials.iter().min().unwrap_or(&"");
        match trials.len() {
            1 => format!("a known failure does not fail any more, {example}: {reason}"),
            count => format!(
                "{count} trials of a known failure do not fail any more, such as {example}: {reason}"
            ),
        }
    }

    /// Its file and line, followed by a colon and a space.
    pub(super) fn place(&self) -> String {
        let place = |entry: &EntryRecord| format!("{}:{}: ", entry.file, entry.line);
        self.entry.map_or_else(String::new, place)
    }
}

/// The entries of a backend of which trials do not fail any more, where they make the run red: not beside a baseline.
pub(super) fn red_fixed_entries<'a>(
    stream: &Stream,
    backend: &'a BackendRecords,
) -> Vec<FixedEntry<'a>> {
    match stream.run.baseline {
        Some(_) => Vec::new(),
        None => fixed_entries(backend.trials.iter()),
    }
}

/// The entries of which some of these trials do not fail any more, in the order of their places.
pub(super) fn fixed_entries<'a>(
    trials: impl Iterator<Item = &'a TrialRecord>,
) -> Vec<FixedEntry<'a>> {
    let mut entries: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for trial in trials.filter(|trial| trial.verdict == VerdictKind::Fixed) {
        let entry = trial.known_failure_entry.as_ref();
        let key = (entry, reason(trial).unwrap_or_default());
        entries.entry(key).or_default().push(&trial.trial);
    }
    let fixed = |((entry, reason), trials)| FixedEntry {
        entry,
        reason,
        trials,
    };
    entries.into_iter().map(fixed).collect()
}
