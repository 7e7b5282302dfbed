//! `suite diff`: which verdicts a change of the suite alters, and for which backend.

use super::exit_code;
use super::streams::read_run;
use crate::error::Error;
use crate::report::style::out;
use crate::report::suite_diff;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct SuiteCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the verdicts that differ between two recorded runs, case by case
    ///
    /// Record a run with `run --events` before and after the suite changed. Exit code 100 if a verdict differs, and 5 if no
    /// backend is in both.
    Diff(DiffArgs),
}

#[derive(Debug, Args)]
struct DiffArgs {
    /// The events of the run before
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The events of the run after
    #[arg(value_name = "AFTER")]
    after: PathBuf,
}

pub(super) fn run(arguments: &SuiteCommand) -> Result<u8, Error> {
    let Command::Diff(arguments) = &arguments.command;
    let (before, after) = (read_run(&arguments.before)?, read_run(&arguments.after)?);
    let diff = suite_diff::lines(&before, &after);
    diff.lines.iter().for_each(out);
    if diff.compared == 0 {
        return Err(Error::Incomplete(
            "no backend is in both runs: no verdict was compared".to_owned(),
        ));
    }
    Ok(if diff.is_same {
        exit_code::AS_EXPECTED
    } else {
        exit_code::FAILURES
    })
}
