//! `kit`: writes what an adapter in one language needs, with a complete example.

use super::exit_code;
use super::install::find_python;
use super::output_file::write_new;
use super::selection::quoted;
use crate::backend::kit_files;
use crate::error::{Error, as_started};
use crate::report::style::out;
use clap::{Args, ValueEnum};
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
    let in_folder = |file: &str| quoted(&format!("{}/{file}", arguments.folder.display()));
    let python = quoted(&find_python(None).to_string_lossy());
    let (name, first, run, kit) = match arguments.language {
        Language::Python => (
            "python",
            format!("It needs numpy: {python} -m pip install numpy"),
            format!("{python} {}", in_folder("example.py")),
            "reshape_adapter.py",
        ),
        Language::C => (
            "c",
            format!(
                "Build it: cc -std=c11 -o {} {}",
                in_folder("example"),
                in_folder("example.c")
            ),
            in_folder("example"),
            "reshape_adapter.h",
        ),
        Language::Node => (
            "node",
            "It needs Node.js 18 or newer.".to_owned(),
            format!("node {}", in_folder("example.mjs")),
            "reshape_adapter.mjs",
        ),
    };
    for (file, contents) in kit_files(name) {
        let path = arguments.folder.join(file);
        write_new(&path, contents)?;
        out(path.display());
    }
    // Every shell knows double quotes. What they do not keep as it is, is quoted as in POSIX.
    let run = match run.contains(['"', '$', '`', '\\', '!']) {
        true => quoted(&run),
        false => format!("\"{run}\""),
    };
    let kit = in_folder(kit);
    let [check, try_it] = ["adapter check", "run --core --adapter-command"]
        .map(|command| as_started(&format!("reshape-conformance {command} {run}")));
    out(format!(
        "\nThe example is a complete adapter. {first}\nTry it as it is:\n  {check}\n  {try_it}\n\
         Then put your runtime in its place, as the top of {kit} explains, and leave out --core: the whole suite runs."
    ));
    Ok(exit_code::AS_EXPECTED)
}
