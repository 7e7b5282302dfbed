//! The red trials of a backend: by cause, and the others by what their cases cite.

use crate::error::as_started;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Cause, TrialRecord};
use crate::report::cause::{again, as_mutants, sentence};
use crate::report::diff;
use crate::report::digest::{Alike, by_clause};
use crate::report::style::{BAD, DIM, NOTE, STRONG, out, paint};
use crate::report::verdicts::reason;
use std::collections::HashMap;

/// The amount of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Counts only.
    Quiet,
    /// One failure in full for each cause or clause, and the names of a few others.
    Normal,
    /// Every failure in full, and every skipped or recorded trial by name.
    Verbose,
}

/// The most names listed below the failure that is shown in full.
const MAX_NAMES: usize = 3;

/// Failures of one group, smallest first.
type Group<'a> = Vec<&'a TrialRecord>;

/// The failures of a backend, for printing.
pub(crate) struct Failures<'a> {
    pub(crate) stream: &'a Stream,
    /// The backend, with only its red trials.
    pub(crate) backend: &'a BackendRecords,
    pub(crate) verbosity: Verbosity,
    /// What shows all failures.
    pub(crate) shows_all: &'static str,
}

impl<'a> Failures<'a> {
    /// Prints them, including the first one unless the backend ran to its end.
    pub(super) fn print(&self, is_whole: bool) {
        let (mut trials, verbosity) = (Vec::from_iter(&self.backend.trials), self.verbosity);
        let Some(first) = trials.first().copied() else {
            return;
        };
        if verbosity == Verbosity::Quiet {
            return;
        }
        trials.sort_by_key(|trial| trial.by_size());
        let causes = self.backend.findings.iter().map(|finding| &finding.cause);
        let causes: Vec<_> = causes.collect();
        let (explained, others) = self.group(&causes, &trials);
        let explained_count: usize = explained.iter().map(Vec::len).sum();
        // A cause of few failures does not come first, unless the backend is not at fault.
        let is_misjudged = causes.iter().any(|cause| cause.lint.is_some());
        if explained_count * 2 < trials.len() && !is_misjudged {
            self.print_others(&others, causes.is_empty(), is_whole);
            self.print_findings(&causes, &explained);
        } else {
            self.print_findings(&causes, &explained);
            self.print_others(&others, causes.is_empty(), is_whole);
        }
        let mut groups = explained.iter().chain(others.iter().map(|of| &of.trials));
        let is_shown = groups.any(|group| group.first().is_some_and(|of| of.trial == first.trial));
        if !is_whole && !is_shown && verbosity == Verbosity::Normal {
            title("the first trial that failed");
            print_one(self.stream, first, first.again());
        }
    }

    fn print_findings(&self, causes: &[&Cause], explained: &[Group<'_>]) {
        if !causes.is_empty() {
            title("findings: what the failures have in common");
        }
        for (cause, trials) in causes.iter().zip(explained) {
            self.print_finding(cause, trials);
        }
        let is_core = self.stream.run.selection.core.is_some();
        if is_core && explained.iter().any(|trials| trials.len() <= MAX_NAMES) {
            let more = "a finding of few failures is more exact after a run without --core";
            out(format!("\n{}", paint(DIM, more)));
        }
    }

    /// A finding and its failures, the smallest first.
    pub(crate) fn print_finding(&self, cause: &Cause, trials: &[&TrialRecord]) {
        let (mark, description) = (paint(BAD, "✗"), paint(STRONG, sentence(cause)));
        out(format!("\n{mark} {description}: {} failed", trials.len()));
        out(format!("  {}", paint(DIM, as_mutants(cause))));
        self.print_group(trials, Some(cause));
    }

    /// The failures that no cause explains.
    fn print_others(&self, others: &[Alike<'_>], alone: bool, is_whole: bool) {
        if !others.is_empty() {
            title(match (self.backend.started.only_similar, alone) {
                (true, _) => "where this similar function differs, by case",
                (false, true) if is_whole => "failures by clause",
                (false, true) => "failures by clause (causes are sought only when a run ends)",
                (false, false) => "other failures, by clause",
            });
        }
        for group in others {
            out(format!("\n{} {}", paint(BAD, "✗"), group.heading()));
            self.print_group(&group.trials, None);
        }
    }

    /// The failures of each cause. The others, by what their cases cite and by the kind of their outcomes.
    fn group(
        &self,
        causes: &[&Cause],
        trials: &[&'a TrialRecord],
    ) -> (Vec<Group<'a>>, Vec<Alike<'a>>) {
        let mut cause_of: HashMap<&str, (usize, bool)> = HashMap::new();
        for (index, cause) in causes.iter().enumerate() {
            let trials = cause.trials.iter().enumerate();
            cause_of.extend(trials.map(|(at, trial)| (trial.as_str(), (index, at == 0))));
        }
        let mut explained = vec![Group::new(); causes.len()];
        let mut others = Group::new();
        for trial in trials {
            match cause_of.get(trial.trial.as_str()) {
                Some((index, true)) => explained[*index].insert(0, trial),
                Some((index, false)) => explained[*index].push(trial),
                None => others.push(trial),
            }
        }
        (explained, by_clause(self.stream, self.backend, others))
    }

    /// The smallest failure in full, and the names of a few others.
    fn print_group(&self, trials: &[&TrialRecord], cause: Option<&Cause>) {
        let Some((first, others)) = trials.split_first() else {
            return;
        };
        if self.verbosity == Verbosity::Normal {
            let again = cause.map_or_else(|| first.again(), |cause| again(cause, first));
            print_one(self.stream, first, again);
        }
        let most = match self.verbosity {
            Verbosity::Verbose => others.len(),
            Verbosity::Normal | Verbosity::Quiet => MAX_NAMES,
        };
        for trial in others.iter().take(most) {
            out(format!("  also {}", trial.trial));
        }
        if let Some(more @ 1..) = others.len().checked_sub(most) {
            out(format!("  and {more} more ({} shows all)", self.shows_all));
        }
    }
}

/// Prints a failure in full, with this command, if there is one.
pub(super) fn print_one(stream: &Stream, trial: &TrialRecord, again: Option<&str>) {
    let Some(detail) = &trial.detail else { return };
    let verdict = paint(BAD, trial.judged().name());
    out(format!("  {verdict} {}", paint(STRONG, &trial.trial)));
    // Their statements, or the ids if the stream does not describe them.
    let clauses = stream.clauses_of(trial).iter().map(|id| {
        let clause = stream.clause(id);
        clause.map_or_else(|| id.clone(), ToString::to_string)
    });
    out(diff::indent(&diff::with_clauses(&detail.diff, clauses)));
    if let Some(reason) = reason(trial) {
        let head = paint(NOTE, "known to fail in another way:");
        out(format!("    {head} {reason}"));
    }
    if let Some(before) = trial.before {
        let head = paint(NOTE, "in the baseline:");
        out(format!("    {head} {}", before.name()));
    }
    if let Some(again) = again {
        out(format!("    again: {}", as_started(again)));
    }
}

/// Prints a heading.
pub(super) fn title(text: &str) {
    out(format!("\n{}", paint(STRONG, text)));
}
