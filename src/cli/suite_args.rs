//! Which suite a command takes its cases from.

use crate::error::Error;
use crate::report::style::err;
use crate::suite::Suite;
use crate::suite::selection::Selection;
use clap::Args;
use std::path::PathBuf;

/// The most lines about what is not read.
const MOST: usize = 20;

#[derive(Debug, Args, Default, Clone)]
pub(super) struct SuiteArgs {
    /// Take cases from these files or folders instead of the built-in suite
    #[arg(long = "cases", value_name = "PATH")]
    pub(super) cases: Vec<PathBuf>,
}

impl SuiteArgs {
    pub(super) fn load(&self) -> Result<Suite, Error> {
        self.load_for(&Selection::default())
    }

    /// The suite for a command that only takes what is selected.
    pub(super) fn load_for(&self, selection: &Selection) -> Result<Suite, Error> {
        if self.cases.is_empty() {
            return Suite::built_in_for(selection);
        }
        let suite = Suite::from_paths(&self.cases)?;
        tell_skipped(suite.skipped());
        Ok(suite)
    }

    /// The suite for a command about one case; all of it, if the case is not there.
    pub(super) fn load_for_case(&self, name: &str) -> Result<Suite, Error> {
        let case = name.split('/').next().unwrap_or(name);
        let only = Selection::new(&[case.to_owned()], true, None).map_err(Error::Usage)?;
        let suite = self.load_for(&only)?;
        match suite.case(case) {
            Some(_) => Ok(suite),
            None => self.load(),
        }
    }

    /// The option with a space before it, for a command that takes the same cases; empty for the built-in suite.
    pub(super) fn option(&self) -> String {
        let option = |path: &PathBuf| {
            let path = path.to_string_lossy();
            let quoted = shlex::try_quote(&path).unwrap_or_default();
            format!(" --cases {quoted}")
        };
        self.cases.iter().map(option).collect()
    }
}

/// Says what was in the given folders and is not read.
pub(super) fn tell_skipped(skipped: &[String]) {
    for line in skipped.iter().take(MOST) {
        err(line);
    }
    if skipped.len() > MOST {
        err(format!("… and {} more", skipped.len() - MOST));
    }
}
