//! The new failures of a run by finding, and the reasons that the user gives for them.

use super::question::{ask, is_attended};
use super::selection::selection;
use crate::error::Error;
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Cause, FailureKind, TrialRecord};
use crate::names::Joined;
use crate::report::number::counted;
use crate::report::style::out;
use crate::report::text::{Failures, Verbosity};
use crate::verdict::known_failures::{Addition, Explanation};
use clap::Args;
use std::collections::HashMap;

/// What failures have in common that no finding explains.
const NO_FINDING: &str = "fails in ways that no finding explains";

/// Why new failures fail, and which.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// Explain only new failures whose names contain one of these texts, or match one as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Explain only the new failures of this finding; repeatable, with a --reason for each, or with one for all
    #[arg(long, value_name = "ID")]
    finding: Vec<String>,
    /// Why they fail, in a sentence
    #[arg(long, value_name = "SENTENCE")]
    reason: Vec<String>,
    /// The address of the report in the backend's tracker; repeatable, one for each --reason
    #[arg(long, value_name = "URL", requires = "reason")]
    link: Vec<String>,
    /// Explain only new failures of this kind, such as wrong-shape or not-rejected
    #[arg(long, value_name = "FAILURE", value_parser = clap::builder::PossibleValuesParser::new(FailureKind::ALL.iter().map(|kind| kind.name())))]
    failure: Option<String>,
}

/// The new failures of a run, by finding.
pub(super) struct NewFailures<'a> {
    stream: &'a Stream,
    backend: &'a BackendRecords,
    groups: Vec<Group<'a>>,
}

/// The new failures of one finding, the simplest first.
struct Group<'a> {
    cause: Cause,
    trials: Vec<&'a TrialRecord>,
}

impl<'a> NewFailures<'a> {
    /// The red trials of a backend.
    pub(super) fn of(stream: &'a Stream, backend: &'a BackendRecords) -> Self {
        let red = backend.trials.iter().filter(|of| of.verdict.is_red());
        let mut red: HashMap<&str, &TrialRecord> = red.map(|of| (of.trial.as_str(), of)).collect();
        let mut group = |cause: Cause| {
            let trials = cause.trials.iter();
            let trials = trials.filter_map(|name| red.remove(name.as_str()));
            let trials = trials.collect();
            Group { cause, trials }
        };
        let findings = backend.findings.iter().map(|of| of.cause.clone());
        let mut groups: Vec<_> = findings.map(&mut group).collect();
        let others = backend.unexplained().into_iter().map(|of| of.trial.clone());
        let others = Cause::without_mutant(NO_FINDING.to_owned(), 0, others.collect());
        groups.push(group(others));
        groups.retain(|group| !group.trials.is_empty());
        Self {
            stream,
            backend,
            groups,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.groups.iter().map(|group| group.trials.len()).sum()
    }

    fn ids(&self) -> String {
        self.groups.iter().map(|group| &group.cause.id).joined(", ")
    }

    fn print(&self, group: &Group<'_>) {
        let failures = Failures {
            stream: self.stream,
            backend: self.backend,
            verbosity: Verbosity::Normal,
            shows_all: "`run --verbose`",
        };
        failures.print_finding(&group.cause, &group.trials);
    }
}

impl ReasonArgs {
    /// The new failures that these arguments, or answers on a terminal, explain. Fails when the arguments select
    /// nothing, or give no reason or the same reason for what may be several faults.
    pub(super) fn explain(&self, mut new: NewFailures<'_>) -> Result<Vec<Explanation>, Error> {
        self.select(&mut new)?;
        let (findings, reasons) = (self.finding.len(), self.reason.len());
        let usage = |why: String| Err(Error::Usage(why));
        if reasons > 1 && reasons != findings {
            let (given, wanted) = (counted(reasons, "--reason"), counted(findings, "--finding"));
            return usage(format!(
                "{given} for {wanted}; give one for each, in the same order"
            ));
        }
        if ![0, reasons].contains(&self.link.len()) {
            return usage("--link and --reason differ in number; give one for each".to_owned());
        }
        let (count, groups) = (new.count(), new.groups.len());
        if groups == 0 {
            return Ok(Vec::new());
        }
        let failures = counted(count, "new failure");
        match reasons {
            0 if is_attended() => Ok(Self::answers(&new)),
            0 => {
                for group in &new.groups {
                    new.print(group);
                    out(format!("  finding: {}", group.cause.id));
                }
                usage(format!(
                    "{failures} without a reason; look at them, and give each finding its --reason: `--finding ID --reason SENTENCE`; \
                     `--from EVENTS` takes the results of a run that wrote --events, and runs nothing"
                ))
            }
            _ if findings == 0 && groups > 1 => usage(format!(
                "{failures} of {groups} findings, but one --reason; select with --finding: {}",
                new.ids()
            )),
            _ => {
                let given = |(at, group): (usize, Group<'_>)| {
                    let at = if reasons == 1 { 0 } else { at };
                    explanation(&group, self.reason[at].clone(), self.link.get(at).cloned())
                };
                Ok(new.groups.into_iter().enumerate().map(given).collect())
            }
        }
    }

    /// Keeps the selected failures, in the order of the given findings.
    fn select(&self, new: &mut NewFailures<'_>) -> Result<(), Error> {
        let is_of_kind = |trial: &TrialRecord| {
            let kind = self.failure.as_deref();
            kind.is_none_or(|kind| trial.failure.map(FailureKind::name) == Some(kind))
        };
        let nothing = |what: String| Err(Error::NothingSelected(what));
        for group in &mut new.groups {
            group.trials.retain(|trial| is_of_kind(trial));
        }
        new.groups.retain(|group| !group.trials.is_empty());
        if let Some(kind) = self.failure.as_ref().filter(|_| new.groups.is_empty()) {
            return nothing(format!("no new failure is of the kind {kind}"));
        }
        for pattern in &self.patterns {
            let one = selection(std::slice::from_ref(pattern), false, &[])?;
            let mut trials = new.groups.iter().flat_map(|group| &group.trials);
            if !trials.any(|trial| one.takes_name(&trial.trial)) {
                return nothing(format!("no new failure has a name like '{pattern}'"));
            }
        }
        let chosen = selection(&self.patterns, false, &[])?;
        for group in &mut new.groups {
            group.trials.retain(|trial| chosen.takes_name(&trial.trial));
        }
        new.groups.retain(|group| !group.trials.is_empty());
        if self.finding.is_empty() {
            return Ok(());
        }
        let place = |id: &str| self.finding.iter().position(|of| of == id);
        let ids = new.ids();
        new.groups.retain(|group| place(&group.cause.id).is_some());
        new.groups.sort_by_key(|group| place(&group.cause.id));
        let is_there = |id: &&String| new.groups.iter().any(|group| group.cause.id == **id);
        if let Some(id) = self.finding.iter().find(|id| !is_there(id)) {
            return nothing(format!(
                "no new failure belongs to a finding '{id}'; the findings are: {ids}"
            ));
        }
        match new.groups.len() == self.finding.len() {
            true => Ok(()),
            false => Err(Error::Usage("a --finding is given twice".to_owned())),
        }
    }

    /// Asks for a reason of each finding, until the input ends.
    fn answers(new: &NewFailures<'_>) -> Vec<Explanation> {
        let mut explained = Vec::new();
        for group in &new.groups {
            new.print(group);
            let question =
                "why? A sentence, or nothing to leave them out; Ctrl-D ends the questions: ";
            match ask(question) {
                Some(reason) if reason.is_empty() => {}
                Some(reason) => explained.push(explanation(group, reason, None)),
                None => break,
            }
        }
        explained
    }
}

fn explanation(group: &Group<'_>, reason: String, link: Option<String>) -> Explanation {
    let additions = group.trials.iter().map(|trial| Addition {
        trial: trial.trial.clone(),
        outcome: trial.judged(),
        failure: trial.failure,
    });
    Explanation {
        additions: additions.collect(),
        reason,
        link,
    }
}
