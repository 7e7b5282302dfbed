//! `lint`: reads case files, and compares each expectation with the reference's answer. Neither decides: where they differ,
//! a person reads the text again.

use super::exit_code;
use super::suite_args::SuiteArgs;
use crate::error::{Error, Fault};
use crate::report::sarif;
use crate::report::style::out;
use crate::spec::operator::Operator;
use crate::spec::oracle::Resolution;
use crate::suite::case::{Case, Expectation};
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// Case files or folders [default: the built-in suite]
    paths: Vec<PathBuf>,
    /// Write the faults here as SARIF, for code scanning; `-` is standard output
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

pub(super) fn run(arguments: &LintArgs) -> Result<u8, Error> {
    let done = check(arguments);
    if let Some(path) = &arguments.sarif {
        let faults = match &done {
            Err(Error::Faults(faults)) => faults.as_slice(),
            _ => &[],
        };
        super::reports::write(path, &sarif::of_faults(faults).map_err(Error::Internal)?)?;
    }
    done
}

fn check(arguments: &LintArgs) -> Result<u8, Error> {
    let suite = SuiteArgs {
        cases: arguments.paths.clone(),
    }
    .load()?;
    if suite.cases().is_empty() {
        return Err(Error::NothingSelected(
            "there are no cases in the given files".to_owned(),
        ));
    }
    let mut faults = Vec::new();
    for case in suite.cases() {
        for operator in &case.operators {
            if let Some(difference) = difference(case, operator) {
                let message = format!("{operator}: {difference}");
                let hint = format!(
                    "read the text again; `explain {} --operator {operator}` shows the reference's steps",
                    case.name
                );
                faults.push(Fault::new(&case.source, case.span.clone(), message).hint(hint));
            }
        }
    }
    if faults.is_empty() {
        let trials = Plan::new(&suite, &Selection::default(), None).count();
        out(format!(
            "{} cases, {trials} trials: every expectation agrees with the reference",
            suite.cases().len()
        ));
        Ok(exit_code::AS_EXPECTED)
    } else {
        Err(Error::Faults(faults))
    }
}

/// Where a case's expectation and the reference differ, for any of its element types.
pub(super) fn difference(case: &Case, operator: &'static Operator) -> Option<String> {
    let expected = case.expectation(operator);
    case.element_types(operator)
        .iter()
        .find_map(|element_type| {
            let resolution = case.resolution(operator, *element_type);
            (!agree(expected, &resolution)).then(|| {
                format!(
                    "the case {}; the reference says {} for {element_type}",
                    expected.in_full(),
                    Expectation::from(resolution)
                )
            })
        })
}

fn agree(expected: &Expectation, resolution: &Resolution) -> bool {
    match (expected, resolution) {
        (Expectation::Reshaped(a), Resolution::Reshaped(b)) => a == b,
        (Expectation::Rejected(a), Resolution::Rejected(b)) => a == b,
        (
            Expectation::Open {
                question: a,
                allowed: None,
            },
            Resolution::Open { question: b, .. },
        ) => a == b,
        (
            Expectation::Open {
                question: a,
                allowed: Some(ours),
            },
            Resolution::Open {
                question: b,
                allowed: theirs,
                ..
            },
        ) => {
            a == b
                && ours.len() == theirs.len()
                && ours.iter().all(|outcome| theirs.contains(outcome))
        }
        _ => false,
    }
}
