//! `import`: the Reshapes of models and node tests as cases.

use super::exit_code;
use super::reports::write;
use crate::error::Error;
use crate::report::number::counted;
use crate::report::style::{BAD, err, paint, tame, whole};
use crate::semantics::operator::{Operator, in_short};
use crate::suite::case::entry;
use crate::suite::exchange::{Import, import};
use crate::suite::review::difference;
use clap::Args;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Read models and node tests as cases, and print them as YAML.
///
/// Each Reshape with a target that is known, or follows from what is known, becomes a case. Its recorded output is the
/// expectation. Where the reference says something else, both are shown, and the exit code is 100.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Models (.onnx, OpenVINO's .xml, oneDNN's graph .json), folders of node tests (model.onnx with test_data_set_*), folders that `export` wrote, or folders with any of these
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the cases here instead of printing them
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What the file of an import begins with.
const HEADING: &str = "# Written by `import`.";

pub(super) fn run(arguments: &ImportArgs) -> Result<u8, Error> {
    if let Some(path) = &arguments.output {
        check_output(path)?;
    }
    let import = import(&arguments.paths)?;
    let differences = differences(&import);
    print_notes(&import, &differences);
    if import.cases.is_empty() {
        return Err(Error::NothingSelected(
            "no Reshape of these files is a case".to_owned(),
        ));
    }
    let text = text(&import);
    match &arguments.output {
        Some(path) => write(path, &text)?,
        None => whole(&text),
    }
    Ok(match differences.is_empty() {
        true => exit_code::AS_EXPECTED,
        false => exit_code::FAILURES,
    })
}

/// Checks that the file to write holds no cases but those of an earlier import.
fn check_output(path: &Path) -> Result<(), Error> {
    let is_file = path.metadata().is_ok_and(|of| of.is_file() && of.len() > 0);
    let mut beginning = Vec::new();
    let read = File::open(path).map(|file| file.take(HEADING.len() as u64));
    let read = read.and_then(|mut file| file.read_to_end(&mut beginning));
    match is_file && (read.is_err() || beginning != HEADING.as_bytes()) {
        true => Err(Error::Usage(format!(
            "{} is there already, and no earlier import wrote it; name another file",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// Where recorded expectations and the reference differ, a line each.
fn differences(import: &Import) -> Vec<String> {
    let mut lines = import.differences.clone();
    for imported in &import.cases {
        let case = &imported.case;
        let mut of_case: BTreeMap<String, Vec<&'static Operator>> = BTreeMap::new();
        for operator in &case.operators {
            if let Some(difference) = difference(case, operator) {
                of_case.entry(difference).or_default().push(operator);
            }
        }
        for (difference, operators) in of_case {
            let operators = in_short(&operators);
            lines.push(format!("{}: {operators}: {difference}", case.name));
        }
        let differences = imported.differences.iter();
        lines.extend(differences.map(|of| format!("{}: {of}", case.name)));
    }
    lines
}

/// On standard error, since the cases may go to standard output.
fn print_notes(import: &Import, differences: &[String]) {
    for skipped in &import.skipped {
        let node = match skipped.node.as_str() {
            "" => "a Reshape".to_owned(),
            name => format!("the Reshape '{}'", tame(name)),
        };
        let (file, why) = (skipped.file.display(), tame(&skipped.why));
        err(format!("{file}: {node} is no case: {why}"));
    }
    for difference in differences {
        err(format!("{} {}", paint(BAD, "differs"), tame(difference)));
    }
    if import.cases.is_empty() {
        return;
    }
    let recorded = import.cases.iter().filter(|of| of.recorded).count();
    let mut said = vec![format!("{recorded} with the recorded expectation")];
    let others = import.cases.len() - recorded;
    if others > 0 {
        said.push(format!(
            "{others} with the oracle's, since none is recorded"
        ));
    }
    if !import.skipped.is_empty() {
        said.push(format!("{} skipped", import.skipped.len()));
    }
    let agreement = match differences.len() {
        0 => "every expectation agrees with the reference".to_owned(),
        count => format!("{} from the reference", counted(count, "difference")),
    };
    let cases = counted(import.cases.len(), "case");
    err(format!("{cases}: {}; {agreement}", said.join(", ")));
}

/// The case file.
fn text(import: &Import) -> String {
    let mut text = format!(
        "{HEADING} A recorded output is no text: before you keep a case, read its clauses.\n"
    );
    for imported in &import.cases {
        text.push('\n');
        for difference in &imported.differences {
            let difference = tame(difference).replace('\n', " ");
            text.push_str(&format!("# {difference}\n"));
        }
        if !imported.recorded {
            text.push_str("# No output is recorded: the expectation is the oracle's.\n");
        }
        text.push_str(&entry(&imported.case));
    }
    text
}
