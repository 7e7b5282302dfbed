//! `core`: computes the core of a suite.

use super::exit_code;
use super::reports::write;
use super::selection::SuiteArgs;
use crate::error::Error;
use crate::run::core::list;
use clap::Args;
use std::path::PathBuf;

/// Compute the core of a suite: the few trials that show most of what all of its trials show
///
/// Each line is the name of a trial and what only it shows: the mutants that it kills, the must clauses that it tests, and the
/// causes in the known failures of this repository's adapters. `run --core` reads the core of the built-in suite from
/// cases/CORE.txt, and computes that of other cases.
#[derive(Debug, Args)]
pub(super) struct CoreArgs {
    /// Write it here (`-` is standard output)
    #[arg(long, value_name = "FILE", default_value = "-")]
    write: PathBuf,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &CoreArgs) -> Result<u8, Error> {
    write(&arguments.write, &list(&arguments.suite.load()?)?)?;
    Ok(exit_code::AS_EXPECTED)
}
