//! `coverage`: which clauses the cases test. Runs no backend.

use super::exit_code;
use super::output_file::is_standard_output;
use super::reports::write;
use super::selection::{SuiteArgs, selection};
use crate::error::Error;
use crate::names::{did_you_mean, nearest};
use crate::report::coverage::{details, json, page, table, totals};
use crate::report::style::{BAD, err, out, paint};
use crate::run::core::core_of;
use crate::semantics::operator::{ClauseOf, OPERATORS, Rule, Selector, clauses_named};
use crate::suite::coverage::Coverage;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Show only clauses whose id contains one of these texts or matches one as a glob, with their cases
    ///
    /// An id is operator/clause: onnx.Reshape-14/zero-copies, 'onnx >= 14/zero-copies', or 'onnx*/**'. The name of a
    /// rule selects its clauses.
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Show what the trials of the core cover alone
    #[arg(long)]
    core: bool,
    /// Use only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Write the table here as a Markdown page (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the table here as JSON, with the cases of every cell (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &CoverageArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let is_of_rule = |of: &ClauseOf| {
        let mut names = of.clause.rules().map(Rule::name);
        names.any(|name| arguments.patterns.iter().any(|pattern| pattern == name))
    };
    let patterns = arguments.patterns.iter();
    let with_ranges: Vec<_> = patterns.flat_map(|id| clauses_named(id)).collect();
    let mut coverage = Coverage::of(&suite, |of| {
        let is_named =
            selection.takes_name(&of.to_string()) || is_of_rule(of) || with_ranges.contains(of);
        selection.takes_operator(of.operator) && is_named
    });
    if arguments.core {
        let mut core = Selection::default();
        core.core = core_of(&suite, true)?;
        coverage.keep(&Plan::new(&suite, &core, None));
    }
    if coverage.clauses.is_empty() {
        return Err(Error::NothingSelected(nothing(&arguments.patterns)));
    }
    let files = [
        (&arguments.markdown, page::render as fn(&Coverage) -> String),
        (&arguments.json, json::render),
    ];
    for (path, render) in files {
        if let Some(path) = path {
            write(path, &render(&coverage))?;
        }
    }
    let mut files = files.iter();
    let piped = files.any(|(path, _)| path.as_deref().is_some_and(is_standard_output));
    let say: fn(String) = if piped { err } else { out };
    if arguments.markdown.is_none() && arguments.json.is_none() {
        let lines = match arguments.patterns.is_empty() {
            true => table(&coverage),
            false => details(&coverage),
        };
        lines.into_iter().for_each(say);
    }
    let gaps = coverage.gaps();
    gaps.iter()
        .for_each(|gap| say(format!("{} {gap}", paint(BAD, "gap"))));
    totals(&coverage).into_iter().for_each(say);
    Ok(exit_code::red_if(!gaps.is_empty()))
}

/// The message that no clause is selected, with the likely meanings.
fn nothing(patterns: &[String]) -> String {
    let clauses = OPERATORS.iter().flat_map(|operator| operator.clauses());
    let ids: Vec<_> = clauses.map(|of| of.to_string()).collect();
    let rules = Rule::ALL.iter().map(|rule| rule.name());
    let names: Vec<_> = ids.iter().map(String::as_str).chain(rules).collect();
    let near = patterns.iter();
    let near = near.flat_map(|pattern| nearest(pattern, names.iter().copied()));
    let near: Vec<_> = near.take(3).collect();
    let why = "no clause has such an id (a glob has to match the whole id: 'onnx*/**')";
    let mut operators = patterns.iter().filter_map(|id| id.split('/').next());
    let no_operator = operators.find(|name| name.contains('.'));
    if let Some(why) = no_operator.and_then(|name| name.parse::<Selector>().err()) {
        return why.to_string();
    }
    match near.is_empty() {
        true => format!("{why}; `coverage` lists them all"),
        false => format!("{why}; {}", did_you_mean(&near)),
    }
}
