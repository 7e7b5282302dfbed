//! `import`: the Reshapes of models and node tests as cases. `export`: trials as files for other programs: node tests
//! of ONNX, IR, graph JSON, or one JSON file.

use super::exit_code;
use super::output_file::create_folder;
use super::reports::write;
use super::selection::{SuiteArgs, selection};
use crate::error::Error;
use crate::names::Grouped;
use crate::report::number::counted;
use crate::report::style::{BAD, err, out, paint, tame, whole};
use crate::semantics::operator::{Selector, in_short};
use crate::suite::case::entry;
use crate::suite::exchange::{self, Format, Import, MANIFEST, Records};
use crate::suite::plan::Plan;
use crate::suite::review::difference;
use crate::suite::trial::Trial;
use clap::Args;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Read};
use std::path::{Path, PathBuf};

/// Read models and node tests as cases, and print them as YAML.
///
/// Each Reshape with a known or computable target becomes a case. Its recorded output is the expectation. If the
/// reference's answer differs, both are shown, and the exit code is 100.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Models (.onnx, OpenVINO's .xml, oneDNN's graph .json), folders of node tests (model.onnx with test_data_set_*),
    /// or folders that contain any of these
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the cases here instead of printing them
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The first line of an imported file.
const HEADING: &str = "# Written by `import`.";

pub(super) fn import(arguments: &ImportArgs) -> Result<u8, Error> {
    if let Some(path) = &arguments.output {
        check_output(path)?;
    }
    let import = exchange::import(&arguments.paths)?;
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
    Ok(exit_code::red_if(!differences.is_empty()))
}

/// Checks that an existing output file comes from an earlier import.
fn check_output(path: &Path) -> Result<(), Error> {
    let is_file = path.metadata().is_ok_and(|of| of.is_file() && of.len() > 0);
    let mut beginning = Vec::new();
    let read = File::open(path).map(|file| file.take(HEADING.len() as u64));
    let read = read.and_then(|mut file| file.read_to_end(&mut beginning));
    match is_file && (read.is_err() || beginning != HEADING.as_bytes()) {
        true => Err(Error::Usage(format!(
            "{} already exists, and no earlier import wrote it; name another file",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// The differences between recorded expectations and the reference, a line each.
fn differences(import: &Import) -> Vec<String> {
    let mut lines = Vec::new();
    for imported in &import.cases {
        let case = &imported.case;
        let operators = case.operators.iter();
        let of_case = operators.filter_map(|of| Some((difference(case, of)?, *of)));
        for (difference, operators) in of_case.sorted() {
            let operators = in_short(&operators);
            lines.push(format!("{}: {operators}: {difference}", case.name));
        }
        let own = imported.difference.iter();
        lines.extend(own.map(|of| format!("{}: {of}", case.name)));
    }
    lines
}

/// On standard error, because the cases may go to standard output.
fn print_notes(import: &Import, differences: &[String]) {
    for skipped in &import.skipped {
        let node = match skipped.node.as_str() {
            "" => "a Reshape".to_owned(),
            name => format!("the Reshape '{}'", tame(name)),
        };
        let (file, why) = (skipped.file.display(), tame(&skipped.why));
        err(format!("{file}: {node} is not a case: {why}"));
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
            "{others} with the oracle's, because no output is recorded"
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
        "{HEADING} A recorded output is not a specification: before you keep a case, read its clauses.\n"
    );
    for imported in &import.cases {
        text.push('\n');
        let difference = imported.difference.iter();
        text.extend(difference.map(|of| format!("# {}\n", tame(of).replace('\n', " "))));
        if !imported.recorded {
            text.push_str("# No output is recorded: the expectation is the oracle's.\n");
        }
        text.push_str(&entry(&imported.case));
    }
    text
}

/// Write trials as files of ONNX, OpenVINO or oneDNN, or as JSON, for others to run.
///
/// The file `trials.json` in the folder lists the trials, each with its inputs and its expectation, in every format.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// onnx: node tests in the layout of the onnx package · openvino-ir: .xml and .bin · benchdnn: oneDNN's graph JSON
    /// with batch files · json: only trials.json
    #[arg(value_parser = <Format as std::str::FromStr>::from_str)]
    format: Format,
    /// The folder to create; an existing folder must be empty
    folder: PathBuf,
    /// Write only trials whose name contains one of these texts, or matches one as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Use only these operators; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    #[command(flatten)]
    suite: SuiteArgs,
}

/// The numbers of trials that were written, by expectation, and those that were not.
#[derive(Debug, Default)]
struct Written<'a> {
    kinds: BTreeMap<&'static str, usize>,
    /// Trials of operators in the format that the format cannot express.
    inexpressible: Vec<&'a Trial>,
}

pub(super) fn export(arguments: &ExportArgs) -> Result<u8, Error> {
    let (format, folder) = (arguments.format, &arguments.folder);
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let suite = arguments.suite.load()?;
    let plan = Plan::new(&suite, &selection, None).not_empty(&suite, &selection)?;
    let mut trials = plan
        .trials()
        // A trial that only compiles has no data to write.
        .filter(|of| format.has(of.operator) && of.case.is_materialized())
        .peekable();
    if trials.peek().is_none() {
        return Err(Error::NothingSelected(format!(
            "the format {format} has no operator of the {} selected",
            counted(plan.total, "trial")
        )));
    }
    prepare(folder)?;
    let manifest = folder.join(MANIFEST);
    let unwritable = |why| Error::unwritable(&manifest, why);
    let file = File::create(&manifest).map_err(unwritable)?;
    let mut records = Records::new(BufWriter::new(file), &suite.hash()).map_err(unwritable)?;
    let mut written = Written::default();
    let mut batches: BTreeMap<String, String> = BTreeMap::new();
    for trial in trials {
        let data = trial.case.data(trial.element_type);
        let data = data.map_err(Error::Internal)?;
        let path = format.path(trial);
        let place = path.as_deref().unwrap_or_default();
        let Some(files) = format.files(place, &trial.call(&data), trial.expectation()) else {
            written.inexpressible.push(trial);
            continue;
        };
        for file in files {
            write_part(&folder.join(&file.path), &file.bytes)?;
        }
        if let Some((file, line)) = format.batch(place) {
            batches.entry(file).or_default().push_str(&line);
        }
        records.add(trial, path).map_err(unwritable)?;
        let kind = trial.expectation().kind();
        *written.kinds.entry(kind).or_default() += 1;
    }
    for (file, lines) in batches {
        write_part(&folder.join(file), lines.as_bytes())?;
    }
    records.finish().map_err(unwritable)?;
    written.print(folder);
    Ok(exit_code::AS_EXPECTED)
}

impl Written<'_> {
    fn print(&self, folder: &Path) {
        let of = |kind| self.kinds.get(kind).unwrap_or(&0);
        out(format!(
            "{}: {} reshaped, {} rejected, {} open; {} lists them",
            counted(self.kinds.values().sum(), "trial"),
            of("reshaped"),
            of("rejected"),
            of("open"),
            folder.join(MANIFEST).display()
        ));
        if let Some(first) = self.inexpressible.first() {
            let trials = counted(self.inexpressible.len(), "trial");
            out(format!(
                "not written: {trials} that the format cannot express, such as {first}"
            ));
        }
    }
}

/// Creates the folder. Files of an earlier export must not look like the result of this one.
fn prepare(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|why| Error::unwritable(folder, why))?;
    let entries = folder.read_dir();
    let mut entries = entries.map_err(|why| Error::unreadable(folder, why))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(Error::Usage(format!(
            "{} is not empty; name a new folder",
            folder.display()
        ))),
    }
}

fn write_part(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    create_folder(path)?;
    fs::write(path, bytes).map_err(|why| Error::unwritable(path, why))
}
