//! `list`: the trials or cases that would run. Runs no backend.

use super::exit_code;
use super::selection::selection;
use super::suite_args::SuiteArgs;
use crate::error::Error;
use crate::report::style::out;
use crate::spec::operator::Selector;
use crate::suite::plan::Plan;
use clap::Args;
use std::collections::BTreeMap;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only trials whose name contains one of these, or matches it as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only these operators; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// List cases, each with its number of trials
    #[arg(long = "by-case")]
    by_case: bool,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &ListArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    for trial in Plan::new(&suite, &selection, None).not_empty()?.trials() {
        if arguments.by_case {
            *cases.entry(trial.case.name.clone()).or_default() += 1;
        } else {
            out(trial);
        }
    }
    for case in suite
        .cases()
        .iter()
        .filter(|case| cases.contains_key(&case.name))
    {
        let (line, _) = case.source.line_and_column(case.span.start);
        out(format!(
            "{:6}  {}  ({}:{line})",
            cases[&case.name], case.name, case.source.file
        ));
    }
    Ok(exit_code::AS_EXPECTED)
}
