//! `report render`: the reports of a finished run.

use super::exit_code;
use super::reports::{ReportArgs, Reports};
use super::streams::{read_run, stream_files};
use crate::error::Error;
use crate::event::stream::Stream;
use crate::event::{Event, Reporter, RunStopped};
use crate::report::fault::print_error;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct ReportCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write reports from an event stream: the same that `run` writes live
    ///
    /// Without a report option it prints the terminal report. The exit code is that of the run. Several streams of the same
    /// suite, of different backends, give one report of them all; a page by `--results` alone may be of several suites.
    Render(RenderArgs),
}

#[derive(Debug, Args)]
struct RenderArgs {
    /// The stream that `run --events` or `merge` wrote, or a folder of such streams (`*.jsonl`); repeatable
    #[arg(value_name = "EVENTS", required = true)]
    streams: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
    /// The events of an earlier run, to show what changed since
    #[arg(long, value_name = "EVENTS")]
    baseline: Option<PathBuf>,
    /// Show every failure in full, and name the skipped and recorded trials
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
    /// Show only the counts
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(arguments: &ReportCommand) -> Result<u8, Error> {
    let Command::Render(arguments) = &arguments.command;
    let paths = stream_files(&arguments.streams);
    let read = paths.as_ref().unwrap_or(&arguments.streams).iter();
    let read = read.chain(&arguments.baseline).map(PathBuf::as_path);
    // First, so that nothing is left of an earlier run where a stream cannot be read.
    let mut reports = Reports::open(&arguments.reports, &read.collect::<Vec<_>>());
    reports.verbosity(arguments.quiet, arguments.verbose);
    // The terminal report is printed only if no file is written.
    if arguments.reports.is_empty() {
        reports.without_progress()
    } else {
        reports.silent()
    }
    reports.open_events(None)?;
    let paths = paths?;
    let streams = paths.iter().map(|path| Stream::read(path));
    let several_suites = arguments.reports.is_results_alone();
    let stream = Stream::collect(streams.collect::<Result<_, _>>()?, several_suites)?;
    if let Some(search) = &stream.search {
        if !arguments.reports.is_empty() || arguments.baseline.is_some() {
            let path = stream.path.display();
            return Err(Error::Usage(format!(
                "{path} is of a search, which has a terminal report only"
            )));
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
    Ok(exit_code::after_writing(
        exit_code::of_stream(&stream),
        &unwritten,
    ))
}
