//! `lint`: compares the expectations of case files with the reference, and reports what each case adds. Faults end with
//! exit code 103; doubts are warnings. `fmt`: formats case files.

use super::exit_code;
use super::selection::SuiteArgs;
use crate::error::{Error, Fault};
use crate::names::Joined;
use crate::report::number::counted;
use crate::report::style::{err, out};
use crate::report::{fault, sarif};
use crate::run::additions::{Addition, additions};
use crate::suite::case::{Case, format};
use crate::suite::plan::Plan;
use crate::suite::review::{differences, duplicates, uncited, unexplained_reasons};
use crate::suite::selection::Selection;
use crate::suite::{Suite, case_files, read_source};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// Case files or folders, as with --cases [default: the built-in suite]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Treat warnings as faults
    #[arg(long)]
    strict: bool,
    /// Write the faults and warnings here as SARIF, for code scanning (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

/// The faults and the warnings.
#[derive(Default)]
struct Found {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

/// The most cases to list one by one with what they add.
const FEW: usize = 20;

pub(super) fn run(arguments: &LintArgs) -> Result<u8, Error> {
    let mut found = Found::default();
    let done = check(arguments, &mut found);
    for faults in [&mut found.faults, &mut found.warnings] {
        faults.sort_by_key(|of| (of.source.file.clone(), of.span.start));
    }
    if arguments.strict {
        found.faults.append(&mut found.warnings);
    }
    if let Some(path) = &arguments.sarif {
        let sarif = sarif::of_faults(&found.faults, &found.warnings).map_err(Error::Internal)?;
        super::reports::write(path, &sarif)?;
    }
    fault::print_warnings(&found.warnings);
    let lines = done?;
    Error::if_any(found.faults)?;
    lines.into_iter().for_each(out);
    Ok(exit_code::AS_EXPECTED)
}

/// Checks everything readable. Returns the lines to print if there is no fault.
fn check(arguments: &LintArgs, found: &mut Found) -> Result<Vec<String>, Error> {
    let given = SuiteArgs {
        cases: [arguments.paths.as_slice(), &arguments.suite.cases].concat(),
    };
    let (suite, faulty, others) = if given.cases.is_empty() {
        (Suite::built_in()?, Vec::new(), Suite::default())
    } else {
        let (suite, faulty, faults) = Suite::read_paths(&given.cases)?;
        fault::print_first(suite.skipped.iter());
        found.faults = faults;
        let others = others(&suite, &faulty);
        (suite, faulty, others)
    };
    let option = given.option();
    for case in suite.cases().iter().map(|case| &**case).chain(&faulty) {
        found.faults.extend(differences(case, &option));
        found.faults.extend(uncited(case));
        found.warnings.extend(taken(case, &others));
        found.warnings.extend(unexplained_reasons(case));
    }
    let mut lines = Vec::new();
    let copies = duplicates(suite.cases(), others.cases());
    let (more, nothing): (Vec<_>, Vec<_>) = copies.iter().partition(|copy| copy.cites_more());
    let nothing = nothing.iter().map(|copy| copy.fault());
    found.warnings.extend(nothing);
    let more = more.iter();
    let more = more.map(|copy| format!("{} ({})", copy.case.name, copy.of.name));
    let remark = "has only trials of another, and cites more";
    lines.extend(note(remark, more.collect()));
    let cases = suite.cases().len();
    let plan = Plan::new(&suite, &Selection::default(), None);
    let additions = additions(&plan, &suite.joined(&others), cases <= FEW);
    if cases <= FEW {
        lines.extend(additions.iter().map(ToString::to_string));
    }
    let is_nothing = |of: &&Addition| of.mutants == Some(0) && of.cells == 0;
    let nothing = additions.iter().filter(is_nothing);
    let nothing = nothing.map(|addition| addition.case.name.clone());
    let remark = "kills no mutant, and covers nothing alone";
    lines.extend(note(remark, nothing.collect()));
    let (cases, trials) = (counted(cases, "case"), plan.count());
    lines.push(format!(
        "{cases}, {trials} trials: every expectation agrees with the reference"
    ));
    Ok(lines)
}

/// The suite to compare these cases with: the built-in suite, if there are any cases.
fn others(suite: &Suite, faulty: &[Case]) -> Suite {
    if suite.cases().is_empty() && faulty.is_empty() {
        return Suite::default();
    }
    // A build whose own suite is faulty compares nothing.
    Suite::built_in().unwrap_or_default()
}

/// The fault that a case of another file of the built-in suite has this name. The same file name is a new version.
fn taken(case: &Case, built_in: &Suite) -> Option<Fault> {
    let other = built_in.case(&case.name)?;
    let [own, others] = [case, other].map(|case| Path::new(&*case.source.file).file_name());
    (own != others).then(|| {
        let (line, _) = other.source.line_and_column(other.span.start);
        let message = format!(
            "a case '{}' already exists at {}:{line} of the built-in suite",
            case.name, other.source.file
        );
        Fault::new(&case.source, case.span.clone(), message)
            .hint("an id is never used twice: rename it before it joins that suite")
    })
}

/// A line about some cases; `None` without cases.
fn note(what: &str, names: Vec<String>) -> Option<String> {
    let more = match names.len().saturating_sub(FEW) {
        0 => String::new(),
        more => format!(", … and {more} more"),
    };
    let few = names.iter().take(FEW).joined(", ");
    let count = counted(names.len(), "case");
    (!names.is_empty()).then(|| format!("note: {count}, each of which {what}: {few}{more}"))
}

/// Format case files in YAML.
///
/// It orders the fields as in the documents, with a blank line between cases and uniform spaces. Comments stay.
#[derive(Debug, Args)]
pub(super) struct FmtArgs {
    /// Case files or folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Write nothing. Name the files that are not formatted, and end with exit code 100 if there are any
    #[arg(long)]
    check: bool,
}

pub(super) fn fmt(arguments: &FmtArgs) -> Result<u8, Error> {
    let (mut faults, mut changed) = (Vec::new(), false);
    let (files, skipped) = case_files(&arguments.paths)?;
    fault::print_first(skipped.iter());
    for path in files {
        let name = path.display().to_string();
        if name.to_ascii_lowercase().ends_with(".xml") {
            continue;
        }
        let source = read_source(&path)?;
        let formatted = match format(&source) {
            Ok(formatted) => formatted,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        if *formatted == *source.text {
            continue;
        }
        changed = true;
        if arguments.check {
            let lines = source.text.lines().zip(formatted.lines());
            let same = lines.take_while(|(one, other)| one == other).count();
            err(format!("{name}:{}: not formatted", same + 1));
        } else {
            super::reports::write(&path, &formatted)?;
            out(format!("{name}: formatted"));
        }
    }
    Error::if_any(faults)?;
    Ok(exit_code::red_if(changed && arguments.check))
}
