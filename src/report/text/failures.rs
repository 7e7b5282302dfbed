//! The red trials of a backend: by the cause that explains them, and the others by what their cases cite.

use super::verbosity::Verbosity;
use crate::event::{
    BackendStarted, CaseOperator, CaseRecord, Cause, ClauseRecord, OutcomeRecord, TrialRecord,
};
use crate::report::cause::{again, as_mutants, as_started, sentence};
use crate::report::diff;
use crate::report::known_failure::reason;
use crate::report::style::{BAD, DIM, NOTE, STRONG, out, paint};
use std::collections::{BTreeMap, HashMap};

/// Names listed below the failure that is shown in full.
const MOST_NAMES: usize = 3;

/// What is printed of failures: the records they refer to, and those of the backend that is running.
#[derive(Default)]
pub(super) struct Failures {
    clauses: HashMap<String, ClauseRecord>,
    cases: HashMap<String, CaseRecord>,
    causes: Vec<Cause>,
    trials: Vec<TrialRecord>,
    /// Whether the backend that is running is only similar to the operators.
    only_similar: bool,
}

/// Failures of one group, smallest first.
type Group<'a> = Vec<&'a TrialRecord>;

/// Failures by what their cases cite and by the kind of their outcomes.
type Others<'a> = BTreeMap<(String, &'static str), Group<'a>>;

impl Failures {
    pub(super) fn take_clause(&mut self, clause: &ClauseRecord) {
        self.clauses.insert(clause.id.clone(), clause.clone());
    }

    pub(super) fn take_case(&mut self, case: &CaseRecord) {
        self.cases.insert(case.case.clone(), case.clone());
    }

    pub(super) fn take_backend(&mut self, started: &BackendStarted) {
        self.only_similar = started.only_similar;
    }

    pub(super) fn take_cause(&mut self, cause: &Cause) {
        self.causes.push(cause.clone());
    }

    pub(super) fn take(&mut self, trial: &TrialRecord) {
        self.trials.push(trial.clone());
    }

    /// Prints the failures of a backend, and forgets them; the first one, too, unless it ran to its end.
    pub(super) fn print(&mut self, verbosity: Verbosity, is_whole: bool) {
        let causes = std::mem::take(&mut self.causes);
        let mut trials = std::mem::take(&mut self.trials);
        if trials.is_empty() || verbosity == Verbosity::Quiet {
            return;
        }
        let first = trials.first().filter(|_| !is_whole).cloned();
        trials.sort_by_cached_key(|trial| {
            let size = trial.detail.as_ref().map(|detail| detail.size);
            (size, trial.trial.clone())
        });
        let (explained, others) = self.group(&causes, &trials);
        let explained_count: usize = explained.iter().map(Vec::len).sum();
        // What explains a small part of the failures does not come first, unless it is no fault of the backend.
        let is_misjudged = causes.iter().any(|cause| cause.lint.is_some());
        if explained_count * 2 < trials.len() && !is_misjudged {
            self.print_others(&others, causes.is_empty(), verbosity);
            self.print_findings(&causes, &explained, verbosity);
        } else {
            self.print_findings(&causes, &explained, verbosity);
            self.print_others(&others, causes.is_empty(), verbosity);
        }
        let groups = explained.iter().chain(others.values());
        let shown: Vec<_> = groups.filter_map(|group| group.first()).collect();
        if let Some(first) = first.filter(|first| shown.iter().all(|of| of.trial != first.trial))
            && verbosity == Verbosity::Normal
        {
            title("the first trial that failed");
            self.print_one(&first);
        }
    }

    fn print_findings(&self, causes: &[Cause], explained: &[Group<'_>], verbosity: Verbosity) {
        if !causes.is_empty() {
            title("findings: what the failures have in common");
        }
        for (cause, trials) in causes.iter().zip(explained) {
            let (mark, says) = (paint(BAD, "✗"), paint(STRONG, sentence(cause)));
            out(format!("\n{mark} {says}: {} failed", trials.len()));
            out(format!("  {}", paint(DIM, as_mutants(cause))));
            self.print_group(trials, Some(cause), verbosity);
        }
    }

    /// The failures that no cause explains.
    fn print_others(&self, others: &Others<'_>, alone: bool, verbosity: Verbosity) {
        if !others.is_empty() {
            title(match (self.only_similar, alone) {
                (true, _) => "where this similar function differs, by case",
                (false, true) => "failures by clause",
                (false, false) => "other failures, by clause",
            });
        }
        for ((covers, outcome), trials) in others {
            let (mark, count) = (paint(BAD, "✗"), trials.len());
            out(format!("\n{mark} {covers}: {count} failed, {outcome}"));
            self.print_group(trials, None, verbosity);
        }
    }

    /// The failures of each cause; and the others, by what their cases cite and by the kind of their outcomes.
    fn group<'a>(
        &self,
        causes: &[Cause],
        trials: &'a [TrialRecord],
    ) -> (Vec<Group<'a>>, Others<'a>) {
        let mut cause_of: HashMap<&str, (usize, bool)> = HashMap::new();
        for (index, cause) in causes.iter().enumerate() {
            let trials = cause.trials.iter().enumerate();
            cause_of.extend(trials.map(|(at, trial)| (trial.as_str(), (index, at == 0))));
        }
        let mut explained = vec![Group::new(); causes.len()];
        let mut others: BTreeMap<_, Group<'a>> = BTreeMap::new();
        for trial in trials {
            match cause_of.get(trial.trial.as_str()) {
                Some((index, true)) => explained[*index].insert(0, trial),
                Some((index, false)) => explained[*index].push(trial),
                None => others
                    .entry((self.covers(trial), outcome_kind(trial)))
                    .or_default()
                    .push(trial),
            }
        }
        (explained, others)
    }

    /// The smallest failure in full, and the names of a few others.
    fn print_group(&self, trials: &[&TrialRecord], cause: Option<&Cause>, verbosity: Verbosity) {
        let Some((first, others)) = trials.split_first() else {
            return;
        };
        if verbosity == Verbosity::Normal {
            let shown = cause.map_or_else(|| first.again(), |cause| again(cause, first));
            self.print_with(first, shown);
        }
        for trial in others.iter().take(MOST_NAMES) {
            out(format!("  also {}", trial.trial));
        }
        if let Some(more @ 1..) = others.len().checked_sub(MOST_NAMES) {
            out(format!("  and {more} more (--verbose shows all)"));
        }
    }

    /// A failure in full, and the command that runs it again.
    pub(super) fn print_one(&self, trial: &TrialRecord) {
        self.print_with(trial, trial.again());
    }

    /// A failure in full, and this command, if there is one.
    fn print_with(&self, trial: &TrialRecord, again: Option<&str>) {
        let Some(detail) = &trial.detail else { return };
        let verdict = paint(BAD, trial.judged().name());
        out(format!("  {verdict} {}", paint(STRONG, &trial.trial)));
        let lines = diff::with_clauses(&detail.diff, self.clauses_of(trial));
        out(diff::indent(&lines));
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

    /// The clauses that a trial's case tests: their statements, or the ids of those that the stream does not describe.
    fn clauses_of(&self, trial: &TrialRecord) -> impl Iterator<Item = String> {
        let ids = self.operator_of(trial).filter(|_| !self.only_similar);
        let ids = ids.into_iter();
        ids.flat_map(|operator| &operator.clauses).map(|id| {
            let clause = self.clauses.get(id);
            clause.map_or_else(|| id.clone(), ToString::to_string)
        })
    }

    fn operator_of(&self, trial: &TrialRecord) -> Option<&CaseOperator> {
        let case = self.cases.get(&trial.case)?;
        case.operators
            .iter()
            .find(|operator| operator.operator == trial.operator)
    }

    /// What a trial's case cites, or the case's name if nothing is to be cited or the stream does not describe it.
    fn covers(&self, trial: &TrialRecord) -> String {
        let case = self.cases.get(&trial.case).filter(|_| !self.only_similar);
        case.map_or_else(|| trial.case.clone(), |case| case.covers.join(", "))
    }
}

fn title(text: &str) {
    out(format!("\n{}", paint(STRONG, text)));
}

fn outcome_kind(trial: &TrialRecord) -> &'static str {
    let outcome = trial.outcome.as_ref();
    outcome.map_or("none", OutcomeRecord::kind)
}
