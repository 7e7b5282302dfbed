//! `merge`: the event streams of a run's parts as the stream of the whole.

use super::SuiteArgs;
use super::reports::{create, write_events};
use crate::cli::exit_code;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::run::merge::merge;
use clap::Args;
use std::path::{Path, PathBuf};

/// Join the event streams of a run's parts, as `run --partition` wrote them, into that of the whole run; or of a search's.
///
/// Trials are sorted by name; findings, stale known failures and counts are worked out anew. Parts of different runs, a trial
/// in two parts or in none are refused with exit code 5. Otherwise the exit code is that of the whole run.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The parts' streams
    #[arg(value_name = "EVENTS", required = true)]
    parts: Vec<PathBuf>,
    /// Where to write the whole
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
        crate::report::text::summary(&backend.started, &backend.counts());
    }
    Ok(exit_code::of_stream(&whole))
}

fn searches(parts: &[Stream], output: &Path) -> Result<u8, Error> {
    let whole = crate::search::merge(parts)?;
    write_events(output, create(output)?, whole.events())?;
    crate::report::search::show(&whole, None);
    Ok(exit_code::of_search(&whole))
}
