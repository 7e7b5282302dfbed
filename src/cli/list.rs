//! `list`: the trials or cases that would run. Runs no backend.

use super::exit_code;
use super::selection::selection;
use super::suite_args::SuiteArgs;
use crate::backend::{Adapter, Supports, find_adapters_folder};
use crate::error::Error;
use crate::report::number::counted;
use crate::report::style::{err, out};
use crate::semantics::operator::Selector;
use crate::suite::plan::Plan;
use crate::suite::trial::Trial;
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// Only what this adapter is asked, as its manifest says: what it claims, within its sample
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The folder that holds the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER", requires = "adapter")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &ListArgs) -> Result<u8, Error> {
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let suite = arguments.suite.load()?;
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    let plan = Plan::new(&suite, &selection, None).not_empty(&selection)?;
    for trial in arguments.asked(plan.trials().collect())? {
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

impl ListArgs {
    /// The trials that the adapter is asked; all of them if none is named. Says how many its sample leaves out.
    fn asked<'a>(&self, trials: Vec<&'a Trial>) -> Result<Vec<&'a Trial>, Error> {
        let Some(name) = &self.adapter else {
            return Ok(trials);
        };
        let folder = self.adapters.clone();
        let adapter = Adapter::read(&folder.unwrap_or_else(find_adapters_folder), name)?;
        let claimed = trials.into_iter();
        let claimed: Vec<_> = claimed
            .filter(|trial| claims(&adapter.supports, trial))
            .collect();
        // What patterns name is asked, as in `run`.
        let sample = adapter.supports.sample();
        let Some(sample) = sample.filter(|_| self.patterns.is_empty()) else {
            return Ok(claimed);
        };
        let all = counted(claimed.len(), "trial");
        let mut asked = claimed;
        asked.retain(|trial| sample.takes(&trial.to_string()));
        err(format!(
            "{name} is asked {} of the {all} that it claims, a sample of {sample}",
            asked.len()
        ));
        Ok(asked)
    }
}

/// Whether a manifest claims a trial.
fn claims(supports: &Supports, trial: &Trial) -> bool {
    supports.covers(trial.request(), trial.binding, trial.surrounding)
}
