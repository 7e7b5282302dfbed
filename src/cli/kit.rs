//! `kit`: writes what an adapter in one language needs, with a complete example.

use super::exit_code;
use super::output_file::create_folder;
use crate::backend::kit_files;
use crate::error::Error;
use crate::report::style::out;
use clap::{Args, ValueEnum};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct KitArgs {
    /// The language
    language: Language,
    /// The folder for the files; no file is replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    Python,
    C,
    Node,
}

pub(super) fn run(arguments: &KitArgs) -> Result<u8, Error> {
    let folder = arguments.folder.display();
    let (name, build, run) = match arguments.language {
        Language::Python => ("python", None, format!("python3 {folder}/example.py")),
        Language::C => {
            let build = format!("cc -std=c11 -o {folder}/example {folder}/example.c");
            ("c", Some(build), format!("{folder}/example"))
        }
        Language::Node => ("node", None, format!("node {folder}/example.mjs")),
    };
    for (file, contents) in kit_files(name) {
        let path = arguments.folder.join(file);
        create_folder(&path)?;
        let new = OpenOptions::new().write(true).create_new(true).open(&path);
        let written = new.and_then(|mut file| file.write_all(contents));
        written.map_err(|why| Error::unwritable(&path, why))?;
        out(path.display());
    }
    out("\nThe example is a complete adapter. Put your runtime in its place:");
    for line in build.iter() {
        out(format!("  {line}"));
    }
    out(format!("  reshape-conformance adapter check {run:?}"));
    out(format!(
        "  reshape-conformance run --adapter-command {run:?}"
    ));
    Ok(exit_code::AS_EXPECTED)
}
