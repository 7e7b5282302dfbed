//! The difference between two recorded runs: the verdicts that a change of the suite alters.

use super::number::counted;
use super::style::{DIM, STRONG, paint};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{RunStarted, TrialRecord};
use std::collections::BTreeMap;

/// The most lines about the cases of one backend.
const MAX: usize = 20;

/// The differences between two runs.
pub(crate) struct SuiteDiff {
    pub(crate) lines: Vec<String>,
    /// Whether no verdict differs, and both runs have the same trials.
    pub(crate) is_same: bool,
    /// The backends that both have.
    pub(crate) compared: usize,
}

/// The differences of two runs, by backend and case.
pub(crate) fn lines(before: &Stream, after: &Stream) -> SuiteDiff {
    let suites = (suite(&before.run), suite(&after.run));
    let mut lines = vec![format!("suite {} -> {}", suites.0, suites.1)];
    let (mut is_same, mut compared) = (true, 0);
    for backend in &after.backends {
        let name = &backend.started.backend;
        let Some(earlier) = before.backend(name) else {
            lines.push(format!("{}: only in the second run", paint(STRONG, name)));
            continue;
        };
        let (own, same) = of_backend(earlier, backend);
        is_same &= same;
        compared += 1;
        lines.extend(own);
    }
    let gone = before.backends.iter().map(|of| &of.started.backend);
    for name in gone.filter(|name| after.backend(name).is_none()) {
        lines.push(format!("{}: only in the first run", paint(STRONG, name)));
    }
    SuiteDiff {
        lines,
        is_same,
        compared,
    }
}

fn suite(run: &RunStarted) -> String {
    match &run.cases_version {
        Some(version) => format!("{version} of {}", run.suite()),
        None => run.suite(),
    }
}

/// A trial's verdict and expectation before and after; `None` if it did not exist.
type Change = (Option<&'static str>, Option<&'static str>);

fn of_backend(before: &BackendRecords, after: &BackendRecords) -> (Vec<String>, bool) {
    let mut changes: BTreeMap<(Change, &str), usize> = BTreeMap::new();
    let is_in = |run: &BackendRecords, trial: &&TrialRecord| run.trial(&trial.trial).is_some();
    let gone = before.trials.iter().filter(|trial| !is_in(after, trial));
    for trial in after.trials.iter().chain(gone) {
        let verdict_in = |run: &BackendRecords| Some(run.trial(&trial.trial)?.verdict.name());
        let change = (verdict_in(before), verdict_in(after));
        if change.0 != change.1 {
            *changes.entry((change, trial.case())).or_default() += 1;
        }
    }
    let seen = after.trials.iter().filter(|trial| is_in(before, trial));
    let (name, version) = (&after.started.backend, &after.started.version);
    let changed = |which: fn(&Change) -> bool| -> usize {
        let changes = changes.iter().filter(|((change, _), _)| which(change));
        changes.map(|(_, count)| count).sum()
    };
    let mut lines = vec![format!(
        "{}: {} in both runs, {} with another verdict; {} only in the first, {} only in the second",
        paint(STRONG, format!("{name} ({version})")),
        counted(seen.count(), "trial"),
        changed(|(was, is)| was.is_some() && is.is_some()),
        changed(|(_, is)| is.is_none()),
        changed(|(was, _)| was.is_none()),
    )];
    for (((was, is), case), count) in changes.iter().take(MAX) {
        let (was, is) = (was.unwrap_or("absent"), is.unwrap_or("absent"));
        let trials = counted(*count, "trial");
        lines.push(format!("  {was} -> {is}: {case} ({trials})"));
    }
    if changes.len() > MAX {
        lines.push(paint(DIM, format!("  … and {} more", changes.len() - MAX)));
    }
    (lines, changes.is_empty())
}
