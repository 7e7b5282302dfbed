//! Which suite a command takes its cases from.

use crate::error::Error;
use crate::suite::Suite;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args, Default, Clone)]
pub(super) struct SuiteArgs {
    /// Take cases from these files or folders instead of the built-in suite
    #[arg(long = "cases", value_name = "PATH")]
    pub(super) cases: Vec<PathBuf>,
}

impl SuiteArgs {
    pub(super) fn load(&self) -> Result<Suite, Error> {
        if self.cases.is_empty() {
            Suite::built_in()
        } else {
            Suite::from_paths(&self.cases)
        }
    }
}
