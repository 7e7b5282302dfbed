//! `merge`: joins the event streams of the parts of a run.

use super::events_file::create;
use super::exit_code;
use super::reports::write_events;
use super::suite_args::SuiteArgs;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::report::totals::print_counts;
use crate::run::merge::merge;
use clap::Args;
use std::path::{Path, PathBuf};

/// Join the event streams of the parts of a run, as `run --partition` wrote them, into that of the whole run; or those of a
/// search.
///
/// Trials are sorted by name; findings, stale known failures and counts are computed again. Parts of different runs, and a
/// trial that is in two parts or in none, are refused with exit code 5. Otherwise the exit code is that of the whole run.
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

pub(super) fn run(arguments: &MergeArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let parts = arguments
        .parts
        .iter()
        .map(|path| Stream::read(path))
        .collect::<Result<Vec<_>, _>>()?;
    if parts.iter().any(|part| part.search.is_some()) {
        return searches(&parts, &arguments.output);
    }
    let whole = merge(&parts, &suite)?;
    write_events(
        &arguments.output,
        create(&arguments.output)?,
        whole.events(),
    )?;
    for backend in &whole.backends {
        print_counts(&backend.started.backend, &backend.counts());
    }
    Ok(exit_code::of_stream(&whole))
}

fn searches(parts: &[Stream], output: &Path) -> Result<u8, Error> {
    let whole = crate::search::merge(parts)?;
    write_events(output, create(output)?, whole.events())?;
    crate::report::search::show(&whole, None);
    Ok(exit_code::of_search(&whole))
}
