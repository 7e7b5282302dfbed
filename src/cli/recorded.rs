//! `report render`, `merge` and `suite diff`: commands on the event streams of earlier runs.

use super::exit_code;
use super::output_file::{Identity, real};
use super::reports::{ReportArgs, Reports, VerbosityArgs, write_events};
use super::selection::SuiteArgs;
use super::streams::{create, read_run, stream_files};
use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{Event, Reporter, RunStopped};
use crate::report::fault::print_error;
use crate::report::style::out;
use crate::report::suite_diff;
use crate::report::totals::counts_line;
use clap::{Args, Subcommand};
use std::fs::File;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum ReportCommand {
    /// Write reports from an event stream: the same reports that `run` writes live
    ///
    /// Without a report option it prints the terminal report. The exit code is that of the run. Several streams of one
    /// suite, with different backends, give one report. A page by `--results` alone may combine several suites.
    Render(RenderArgs),
}

#[derive(Debug, Args)]
pub(super) struct RenderArgs {
    /// The stream that `run --events` or `merge` wrote, or a folder of such streams (`*.jsonl`); repeatable
    #[arg(value_name = "EVENTS", required = true)]
    streams: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
    /// The events of an earlier run, to show the changes since then
    #[arg(long, value_name = "EVENTS")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    verbosity: VerbosityArgs,
}

pub(super) fn render(arguments: &ReportCommand) -> Result<u8, Error> {
    let ReportCommand::Render(arguments) = arguments;
    let paths = stream_files(&arguments.streams);
    let read = paths.as_ref().unwrap_or(&arguments.streams).iter();
    let read = read.chain(&arguments.baseline).map(PathBuf::as_path);
    // Prepare first, so that an unreadable stream leaves nothing of an earlier run.
    let (wanted, read) = (&arguments.reports, read.collect::<Vec<_>>());
    // Print the terminal report only if no file is written.
    let text = wanted.is_empty().then(|| arguments.verbosity.text());
    let mut reports = Reports::open(wanted, &read, None, text);
    reports.open_events(None)?;
    let paths = paths?;
    let streams = paths.iter().map(|path| Stream::read(path));
    let several_suites = arguments.reports.is_results_alone();
    let stream = Stream::collect(streams.collect::<Result<_, _>>()?, several_suites)?;
    if let Some(search) = &stream.search {
        if !arguments.reports.is_empty() || arguments.baseline.is_some() {
            let path = stream.path.display();
            let why = "is of a search, which has a terminal report only";
            return Err(Error::Usage(format!("{path} {why}")));
        }
        crate::report::search::show(search, None);
        return Ok(exit_code::of_search(search));
    }
    let baseline = arguments.baseline.as_deref().map(read_run).transpose()?;
    stream.events().for_each(|event| reports.event(&event));
    if stream.finished.is_none() && stream.stopped.is_none() && stream.not_run.is_empty() {
        let message = "its stream breaks off".to_owned();
        reports.event(&Event::RunStopped(RunStopped { message }));
    }
    let unwritten = reports.finish(baseline.as_ref());
    if stream.finished.is_none() {
        print_error(&stream.missing().join("; "));
    }
    let code = exit_code::of_stream(&stream);
    Ok(exit_code::after_writing(code, &unwritten))
}

/// Merge the event streams of the parts of a run (see `run --partition`), or of a search, into the whole.
///
/// Trials are sorted by name. Findings, stale known failures and counts are computed again. The exit code is that of
/// the whole run. It is 5 if the parts are of different runs, or if a trial is missing or in two parts.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The streams of the parts
    #[arg(value_name = "EVENTS", required = true)]
    parts: Vec<PathBuf>,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn merge(arguments: &MergeArgs) -> Result<u8, Error> {
    let (parts, output) = (&arguments.parts, &arguments.output);
    let mut same = parts.iter();
    if let Some(part) = same.find(|part| Identity::of(part) == Identity::of(output)) {
        return Err(Error::Usage(format!(
            "{} is one of the parts and would be overwritten; name another file",
            part.display()
        )));
    }
    let file = create(output)?;
    // The file of an earlier command must not look like the result of this one.
    merge_into(file, arguments).inspect_err(|_| {
        if output.is_file() {
            let _ = std::fs::remove_file(real(output));
        }
    })
}

/// Merges the parts into a file, created at the path of the output.
fn merge_into(file: File, arguments: &MergeArgs) -> Result<u8, Error> {
    let parts = arguments.parts.iter().map(|path| Stream::read(path));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    if parts.iter().any(|part| part.search.is_some()) {
        let whole = crate::search::merge(&parts)?;
        write_events(&arguments.output, file, whole.events())?;
        crate::report::search::show(&whole, None);
        return Ok(exit_code::of_search(&whole));
    }
    let whole = crate::run::merge::merge(&parts, |_| arguments.suite.load())?;
    write_events(&arguments.output, file, whole.events())?;
    for backend in &whole.backends {
        let (name, counts) = (&backend.started.backend, backend.counts());
        out(counts_line(name, &counts, counts.total()));
    }
    let code = exit_code::of_stream(&whole);
    if code != exit_code::AS_EXPECTED {
        let output = arguments.output.display();
        out(format!(
            "`report render {output}` shows what is wrong (exit code {code})"
        ));
    }
    Ok(code)
}

#[derive(Debug, Subcommand)]
pub(super) enum SuiteCommand {
    /// Show the verdicts that differ between two recorded runs, case by case
    ///
    /// Record a run with `run --events` before and after a change of the suite. The exit code is 100 if a verdict
    /// differs, and 5 if the runs have no backend in common.
    Diff(DiffArgs),
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The events of the run before the change
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The events of the run after the change
    #[arg(value_name = "AFTER")]
    after: PathBuf,
}

pub(super) fn diff(arguments: &SuiteCommand) -> Result<u8, Error> {
    let SuiteCommand::Diff(arguments) = arguments;
    let (before, after) = (read_run(&arguments.before)?, read_run(&arguments.after)?);
    let diff = suite_diff::lines(&before, &after);
    diff.lines.iter().for_each(out);
    if diff.compared == 0 {
        let why = "the runs have no backend in common: no verdict was compared";
        return Err(Error::Incomplete(why.to_owned()));
    }
    Ok(exit_code::red_if(!diff.is_same))
}
