//! `export`: trials as files that others run: node tests of ONNX, IR, graph JSON, or one JSON file.

use super::exit_code;
use super::selection::selection;
use super::suite_args::SuiteArgs;
use crate::error::Error;
use crate::report::number::counted;
use crate::report::style::out;
use crate::semantics::operator::Selector;
use crate::suite::case::Expectation;
use crate::suite::exchange::{Format, MANIFEST, Records};
use crate::suite::plan::Plan;
use clap::Args;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Write trials as files of a format that others run.
///
/// `trials.json` in the folder lists the trials, each with its inputs and its expectation, in every format.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// onnx: node tests as the onnx package had them · openvino-ir: .xml and .bin · benchdnn: oneDNN's graph JSON with batch files · json: trials.json alone
    #[arg(value_parser = <Format as std::str::FromStr>::from_str)]
    format: Format,
    /// The folder, which is created; an existing one must be empty
    folder: PathBuf,
    /// Only trials whose name contains one of these, or matches it as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only these operators; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    #[command(flatten)]
    suite: SuiteArgs,
}

/// How many trials were written, by what they expect, and how many were not.
#[derive(Debug, Default)]
struct Written {
    reshaped: usize,
    rejected: usize,
    open: usize,
    /// Of operators that the format has, but the format cannot express them.
    inexpressible: usize,
    /// The first of these.
    first_inexpressible: String,
}

pub(super) fn run(arguments: &ExportArgs) -> Result<u8, Error> {
    let (format, folder) = (arguments.format, &arguments.folder);
    let selection = selection(&arguments.patterns, false, &arguments.operator)?;
    let suite = arguments.suite.load()?;
    let plan = Plan::new(&suite, &selection, None).not_empty(&selection)?;
    let mut trials = plan
        .trials()
        // What is compiled only has no data to write.
        .filter(|of| format.has(of.operator) && of.case.is_made())
        .peekable();
    if trials.peek().is_none() {
        return Err(Error::NothingSelected(format!(
            "the format {format} has none of the operators of the {} selected",
            counted(plan.total(), "trial")
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
        let data = trial
            .case
            .data(trial.element_type)
            .map_err(Error::Internal)?;
        let path = format.path(trial);
        let place = path.as_deref().unwrap_or_default();
        let Some(files) = format.files(place, &trial.call(&data), trial.expectation()) else {
            if written.inexpressible == 0 {
                written.first_inexpressible = trial.to_string();
            }
            written.inexpressible += 1;
            continue;
        };
        for file in files {
            write(&folder.join(&file.path), &file.bytes)?;
        }
        if let Some((file, line)) = format.batch(place) {
            batches.entry(file).or_default().push_str(&line);
        }
        records.add(trial, path).map_err(unwritable)?;
        *match &**trial.expectation() {
            Expectation::Reshaped(_) => &mut written.reshaped,
            Expectation::Rejected(_) => &mut written.rejected,
            Expectation::Open { .. } => &mut written.open,
        } += 1;
    }
    for (file, lines) in batches {
        write(&folder.join(file), lines.as_bytes())?;
    }
    records.finish().map_err(unwritable)?;
    written.print(folder);
    Ok(exit_code::AS_EXPECTED)
}

impl Written {
    fn print(&self, folder: &Path) {
        let all = self.reshaped + self.rejected + self.open;
        out(format!(
            "{}: {} reshaped, {} rejected, {} open; {} lists them",
            counted(all, "trial"),
            self.reshaped,
            self.rejected,
            self.open,
            folder.join(MANIFEST).display()
        ));
        if self.inexpressible > 0 {
            let trials = counted(self.inexpressible, "trial");
            let first = &self.first_inexpressible;
            out(format!(
                "not written: {trials} that the format cannot express, such as {first}"
            ));
        }
    }
}

/// Creates the folder; what an earlier export wrote must not be taken for the result of this one.
fn prepare(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|why| Error::unwritable(folder, why))?;
    let mut entries = folder
        .read_dir()
        .map_err(|why| Error::unreadable(folder, why))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(Error::Usage(format!(
            "{} is not empty; name a new folder",
            folder.display()
        ))),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(path, bytes));
    written.map_err(|why| Error::unwritable(path, why))
}
