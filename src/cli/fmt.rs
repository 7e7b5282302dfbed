//! `fmt`: case files with their fields in one order and spaced alike.

use super::suite_args::tell_skipped;
use super::{exit_code, output_file};
use crate::error::Error;
use crate::report::style::{err, out};
use crate::suite::case::format;
use crate::suite::{case_files, read_source};
use clap::Args;
use std::path::PathBuf;

/// Format case files in YAML: the fields of a case in the order of the documents, one blank line between cases, spaces
/// alike. Comments stay.
#[derive(Debug, Args)]
pub(super) struct FmtArgs {
    /// Case files or folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Write nothing; name the files that are not formatted, and end with exit code 100 if there are some
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: &FmtArgs) -> Result<u8, Error> {
    let (mut faults, mut changed) = (Vec::new(), false);
    let (files, skipped) = case_files(&arguments.paths)?;
    tell_skipped(&skipped);
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
            output_file::write(&path, &formatted)?;
            out(format!("{name}: formatted"));
        }
    }
    match faults.is_empty() {
        false => Err(Error::Faults(faults)),
        true if changed && arguments.check => Ok(exit_code::FAILURES),
        true => Ok(exit_code::AS_EXPECTED),
    }
}
