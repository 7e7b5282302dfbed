//! `new`: a case without its expectation. A comment gives the reference's answer.

use super::exit_code;
use super::explain::{TargetArgs, numbers};
use super::selection::{SuiteArgs, operators};
use crate::error::Error;
use crate::names::{Joined, suggestion};
use crate::report::style::out;
use crate::semantics::operator::{OPERATORS, Selector, clauses_named};
use crate::suite::case::{CASE_NAMES, Case, ZeroMode, check_size, is_case_name};
use crate::suite::coverage::Coverage;
use crate::suite::stub;
use crate::tensor::ElementType;
use clap::Args;

/// Write a new case without its expectation to standard output.
///
/// You write the expectation, from the text; a comment gives the reference's answer. Append the output to a file of
/// cases: `new a-name --operator onnx --data 3,4,5 --shape 0,-1 --zero copy >> my-cases.yaml`. With `--clause`, it
/// writes a case for each empty cell of a clause in the coverage table.
#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The case's id: lowercase words and digits joined by hyphens
    #[arg(value_name = "NAME", required_unless_present = "clause")]
    name: Option<String>,
    /// The operators: a family, one id, or "onnx >= 14"; repeatable [default: all operators that can express the case]
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// The data dims, such as 3,4,5; empty for a scalar
    #[arg(long, value_name = "DIMS", required_unless_present = "clause")]
    data: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    /// What a 0 in the target means: copy or literal
    #[arg(long, value_name = "MODE")]
    zero: Option<ZeroMode>,
    /// Write a case for each empty cell of this clause, such as onnx.Reshape-14/zero-copies or 'onnx >= 14/zero-copies'
    #[arg(long, value_name = "CLAUSE", conflicts_with_all = ["name", "operator", "data", "shape", "zero"])]
    clause: Option<String>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &NewArgs) -> Result<u8, Error> {
    match &arguments.clause {
        Some(clause) => of_clause(arguments, clause)?,
        None => typed(arguments)?,
    }
    Ok(exit_code::AS_EXPECTED)
}

/// The cases that a clause lacks.
fn of_clause(arguments: &NewArgs, id: &str) -> Result<(), Error> {
    let all = clauses_named(id);
    if all.is_empty() {
        let ids = OPERATORS.iter().flat_map(|operator| operator.clauses());
        let ids: Vec<_> = ids.map(|of| of.to_string()).collect();
        let hint = suggestion(id, ids.iter().map(String::as_str), "`coverage` lists them");
        return Err(Error::Usage(format!("unknown clause '{id}'; {hint}")));
    }
    let suite = arguments.suite.load()?;
    let coverage = Coverage::of(&suite, |of| all.contains(of));
    let cells = coverage.clauses.iter().flat_map(|covered| {
        let cells = covered.empty_cells().into_iter();
        cells.map(|(way, class, bindings)| stub::for_cell(covered.of, way, class, &bindings))
    });
    let cells = cells.joined("\n");
    out(match cells.is_empty() {
        true => format!("# {id}: every cell has a case"),
        false => cells.trim_end().to_owned(),
    });
    Ok(())
}

/// The case that the options state.
fn typed(arguments: &NewArgs) -> Result<(), Error> {
    let name = arguments.name.as_deref().unwrap_or_default();
    if !is_case_name(name) {
        let why = format!("'{name}' is not a case name: {CASE_NAMES}");
        return Err(Error::Usage(why));
    }
    let suite = arguments.suite.load()?;
    if suite.case(name).is_some() {
        let place = suite.place();
        return Err(Error::Usage(format!(
            "a case '{name}' already exists in {place}; an id is never used twice"
        )));
    }
    let data = arguments.data.as_deref().unwrap_or_default();
    let data_shape = numbers::<u64>(data, "--data")?;
    let target = arguments.target.target()?;
    if target.as_ref().is_some_and(|of| of.values.contains(&0)) && arguments.zero.is_none() {
        let why = "the target holds a 0: add `--zero copy` or `--zero literal`";
        return Err(Error::Usage(why.to_owned()));
    }
    let mut operators = stub::able(arguments.zero, operators(&arguments.operator));
    let element_type = target.as_ref().map(|target| target.element_type);
    if element_type.is_some_and(|of| of != ElementType::I64) {
        operators.retain(|operator| operator.rules.target.typed);
    }
    if operators.is_empty() {
        let why = "no operator has such zeros, or such a type of the target; `--operator \"onnx >= 14\"` has all";
        return Err(Error::Usage(why.to_owned()));
    }
    check_size(&data_shape, &[ElementType::F32])
        .map_err(|why| Error::Usage(format!("--data: {why}")))?;
    let case = Case::asked(name, operators, data_shape, target, arguments.zero);
    out(stub::of_case(&case));
    Ok(())
}
