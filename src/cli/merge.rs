//! `merge`: joins the event streams of the parts of a run.

use super::events_file::create;
use super::exit_code;
use super::output_file::{Identity, real};
use super::reports::write_events;
use super::suite_args::SuiteArgs;
use crate::error::Error;
use crate::event::stream::Stream;
use crate::report::style::out;
use crate::report::totals::print_counts;
use crate::run::merge::merge;
use clap::Args;
use std::fs::File;
use std::path::PathBuf;

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
    let (parts, output) = (&arguments.parts, &arguments.output);
    if let Some(part) = parts
        .iter()
        .find(|part| Identity::of(part) == Identity::of(output))
    {
        return Err(Error::Usage(format!(
            "{} is one of the parts, and would be overwritten; name another file",
            part.display()
        )));
    }
    let file = create(output)?;
    // What an earlier command wrote there must not be taken for the result of this one.
    merge_into(file, arguments).inspect_err(|_| {
        if output.is_file() {
            let _ = std::fs::remove_file(real(output));
        }
    })
}

/// Merges the parts into a file that was created at the path of the output.
fn merge_into(file: File, arguments: &MergeArgs) -> Result<u8, Error> {
    let parts = arguments
        .parts
        .iter()
        .map(|path| Stream::read(path))
        .collect::<Result<Vec<_>, _>>()?;
    if parts.iter().any(|part| part.search.is_some()) {
        let whole = crate::search::merge(&parts)?;
        write_events(&arguments.output, file, whole.events())?;
        crate::report::search::show(&whole, None);
        return Ok(exit_code::of_search(&whole));
    }
    let whole = merge(&parts, |_| arguments.suite.load())?;
    write_events(&arguments.output, file, whole.events())?;
    for backend in &whole.backends {
        print_counts(&backend.started.backend, &backend.counts());
    }
    let code = exit_code::of_stream(&whole);
    if code != exit_code::AS_EXPECTED {
        let output = arguments.output.display();
        out(format!(
            "`report render {output}` says what is wrong (exit code {code})"
        ));
    }
    Ok(code)
}
