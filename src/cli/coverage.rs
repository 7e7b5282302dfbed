//! `coverage`: which clauses the cases test. Runs no backend.

use super::exit_code;
use super::output_file::is_standard_output;
use super::reports::write;
use super::selection::selection;
use super::suite_args::SuiteArgs;
use crate::error::Error;
use crate::report::coverage::{details, json, page, table, totals};
use crate::report::style::{BAD, err, out, paint};
use crate::spec::operator::Selector;
use crate::suite::coverage::Coverage;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Only clauses whose id contains one of these, or matches it as a glob; lists the cases of each
    ///
    /// An id is operator/clause: onnx.Reshape-14/zero-copies, or 'onnx*/**'.
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Write the table here, as a Markdown page (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the table here, as JSON with every cell and its cases (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &CoverageArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let coverage = Coverage::of(&suite, |of| {
        selection.takes_operator(of.operator) && selection.takes_name(&of.to_string())
    });
    if coverage.clauses.is_empty() {
        let why = "no clause has such an id (a glob has to match the whole id: 'onnx*/**'); `coverage` lists them all";
        return Err(Error::NothingSelected(why.to_owned()));
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
    let piped = files
        .iter()
        .any(|(path, _)| path.as_deref().is_some_and(is_standard_output));
    let say: fn(String) = if piped {
        |line| err(line)
    } else {
        |line| out(line)
    };
    if arguments.markdown.is_none() && arguments.json.is_none() {
        let lines = if arguments.patterns.is_empty() {
            table(&coverage)
        } else {
            details(&coverage)
        };
        lines.into_iter().for_each(say);
    }
    let gaps = coverage.gaps();
    gaps.iter()
        .for_each(|gap| say(format!("{} {gap}", paint(BAD, "gap"))));
    totals(&coverage).into_iter().for_each(say);
    Ok(if gaps.is_empty() {
        exit_code::AS_EXPECTED
    } else {
        exit_code::FAILURES
    })
}
