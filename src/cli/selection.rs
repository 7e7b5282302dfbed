//! The cases and trials that a command takes.

use crate::error::Error;
use crate::report::fault::print_first;
use crate::semantics::operator::{Operator, Selector};
use crate::suite::Suite;
use crate::suite::selection::Selection;
use clap::Args;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Debug, Args, Default, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub(crate) struct SuiteArgs {
    /// Take cases from these files or folders instead of the built-in suite
    #[arg(long = "cases", value_name = "PATH")]
    pub(super) cases: Vec<PathBuf>,
}

impl SuiteArgs {
    pub(super) fn load(&self) -> Result<Suite, Error> {
        if self.cases.is_empty() {
            return Suite::built_in();
        }
        let suite = Suite::from_paths(&self.cases)?;
        print_first(suite.skipped.iter());
        Ok(suite)
    }

    /// The option with a space before it, for a command that takes the same cases; empty for the built-in suite.
    pub(super) fn option(&self) -> String {
        let option = |path: &PathBuf| format!(" --cases {}", quoted(&path.to_string_lossy()));
        self.cases.iter().map(option).collect()
    }
}

/// A word of a command line, quoted where a shell needs it. A word that holds a NUL stays as it is.
pub(super) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

/// The trials of these operators whose names match a pattern; all operators or names if either list is empty.
pub(super) fn selection(
    patterns: &[String],
    exact: bool,
    operators: &[Selector],
) -> Result<Selection, Error> {
    let operators = self::operators(operators);
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(patterns, exact, operators).map_err(Error::Usage)
}

/// The operators that these selectors select.
pub(super) fn operators(selectors: &[Selector]) -> Vec<&'static Operator> {
    let selectors = selectors.iter().flat_map(|selector| selector.operators());
    selectors.copied().collect()
}
