//! `run`: the suite on backends.

use super::environment::{bazel_junit, bazel_shard};
use super::exit_code;
use super::gate::Gate;
use super::interrupt::stop_on_ctrl_c;
use super::limits::workers;
use super::reports::Reports;
use super::run_args::RunArgs;
use super::selection::selection;
use super::streams::read_run;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::run::{self, Participant, RunOptions};
use crate::suite::partition::Partition;
use crate::suite::selection::Selection;
use std::path::{Path, PathBuf};

pub(super) fn run(mut arguments: RunArgs) -> Result<u8, Error> {
    let gate = match arguments.gate {
        true => Some(Gate::read(&mut arguments)?),
        false => None,
    };
    arguments.reports.junit = arguments.reports.junit.or_else(bazel_junit);
    let arguments = &arguments;
    let suite = arguments.suite.load()?;
    let selection = select(arguments)?;
    let partition = partition(arguments)?;
    let (participants, not_available) = participants(arguments, gate.as_ref())?;
    let baseline = read_run(arguments.baseline.as_ref())?;
    let resume = read_run(arguments.resume.as_ref())?;
    let mut reports = open_reports(arguments, resume.as_ref(), not_available)?;
    let options = RunOptions {
        jobs: workers(arguments.jobs),
        partition,
        retries: arguments.retries.unwrap_or(0),
        level: arguments.level.unwrap_or_default().into(),
        baseline: baseline.as_ref(),
        resume: resume.as_ref(),
        own_cases: !arguments.suite.cases.is_empty(),
        config: gate.as_ref().map(Gate::file),
        stop: stop_on_ctrl_c(),
    };
    let tally = run::run(&suite, &selection, &participants, &options, &mut reports)?;
    reports.finish(baseline.as_ref())?;
    if tally.cut_short {
        return Err(interrupted(tally.counts.total(), reports.events.as_deref()));
    }
    Ok(exit_code::of_run(&tally, baseline.is_some()))
}

fn select(arguments: &RunArgs) -> Result<Selection, Error> {
    let selection = selection(&arguments.patterns, arguments.exact, &arguments.operator)?;
    Ok(match arguments.shuffle {
        Some(seed) => selection.shuffled(seed),
        None => selection,
    })
}

fn partition(arguments: &RunArgs) -> Result<Option<Partition>, Error> {
    match &arguments.partition {
        Some(partition) => partition.partition().map(Some),
        None => bazel_shard(),
    }
}

/// The participants, and the names of the adapters that are not available.
fn participants(
    arguments: &RunArgs,
    gate: Option<&Gate>,
) -> Result<(Vec<Participant>, Vec<String>), Error> {
    match gate {
        Some(gate) => Ok((gate.participants(&arguments.backends)?, Vec::new())),
        None => arguments.backends.participants(),
    }
}

fn open_reports(
    arguments: &RunArgs,
    resume: Option<&Stream>,
    not_available: Vec<String>,
) -> Result<Reports, Error> {
    let read = [&arguments.baseline, &arguments.resume];
    let read: Vec<&Path> = read.into_iter().flatten().map(PathBuf::as_path).collect();
    let mut reports = Reports::open(&arguments.reports, resume, &read)?;
    reports.not_available = not_available;
    reports.verbosity(arguments.quiet, arguments.verbose);
    Ok(reports)
}

/// The error of an interrupted run: how many trials it ran, and how to resume it.
fn interrupted(trials: usize, events: Option<&Path>) -> Error {
    let again = match events {
        Some(path) => format!(
            "`run --resume {}` with the same arguments resumes it",
            path.display()
        ),
        None => "with --events FILE it could have been resumed".to_owned(),
    };
    Error::Incomplete(format!("stopped after {trials} trials; {again}"))
}
