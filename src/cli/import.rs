//! `import`: the Reshapes of models and node tests as cases.

use super::exit_code;
use super::reports::write;
use crate::error::Error;
use crate::report::number::counted;
use crate::report::style::{BAD, err, paint, tame, whole};
use crate::suite::case::entry;
use crate::suite::exchange::{Import, import};
use crate::suite::review::difference;
use clap::Args;
use std::path::PathBuf;

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

pub(super) fn run(arguments: &ImportArgs) -> Result<u8, Error> {
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

/// Where recorded expectations and the reference differ, a line each.
fn differences(import: &Import) -> Vec<String> {
    let mut lines = Vec::new();
    for imported in &import.cases {
        let case = &imported.case;
        for operator in &case.operators {
            if let Some(difference) = difference(case, operator) {
                lines.push(format!("{}: {operator}: {difference}", case.name));
            }
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
    let mut text = String::from(
        "# Written by `import`. A recorded output is no text: before you keep a case, read its clauses.\n",
    );
    for imported in &import.cases {
        text.push('\n');
        if !imported.recorded {
            text.push_str("# No output is recorded: the expectation is the oracle's.\n");
        }
        text.push_str(&entry(&imported.case));
    }
    text
}
