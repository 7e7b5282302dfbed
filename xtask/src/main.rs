//! The project's chores: `cargo xtask history`, `lock`, `reproduce`, `bench`, `playground`, `prove` and `tidy`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program"
)]

mod history;
mod lock;
mod playground;
mod prove;
mod python;
mod reproduce;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The project's chores.
#[derive(Debug, Parser)]
#[command(about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write adapters' requirements.txt: their packages of Python and what these depend on, with checksums; needs uv
    Lock {
        /// The adapters, such as onnxruntime; without a name, all
        names: Vec<String>,
    },
    /// Run the suite on several releases of a backend, and write docs/history/NAME.md with the causes in each
    History(history::HistoryArgs),
    /// Run the reproducers of the known failures: programs in a backend's own API that show a fault without this suite
    Reproduce {
        /// The adapters, such as onnxruntime; without a name, all adapters
        names: Vec<String>,
        /// Run only the reproducer of this cause
        #[arg(long)]
        cause: Option<String>,
    },
    /// Check that the layers keep their order, that no files form a circle, and that the map in ARCHITECTURE.md is up
    /// to date
    Tidy {
        /// Write the map in ARCHITECTURE.md
        #[arg(long)]
        map: bool,
    },
    /// Measure what a user waits for, and print the table of docs/performance.md
    Bench {
        /// Run only the rows with these words
        words: Vec<String>,
    },
    /// Build the page docs/playground/index.html, with the oracle as WebAssembly; needs the target wasm32-wasip1 and gzip
    Playground,
    /// Prove lemmas about counts over unbounded integers, with z3 and cvc5, which it installs under target/prove
    Prove,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Lock { names } => lock::run(&names),
        Command::History(arguments) => history::run(&arguments),
        Command::Reproduce { names, cause } => reproduce::run(&names, cause.as_deref()),
        Command::Bench { words } => bench(&words),
        Command::Playground => playground::run(&root()),
        Command::Prove => prove::run(&root()),
        Command::Tidy { map } => tidy::run(&root(), map),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the benchmarks.
fn bench(words: &[String]) -> Result<(), String> {
    let mut cargo = std::process::Command::new("cargo");
    cargo
        .args(["bench", "--bench", "speed", "--"])
        .args(words)
        .current_dir(root());
    let status = cargo.status().map_err(|error| format!("cargo: {error}"))?;
    let failed = format!("the benchmarks ended with {status}");
    status.success().then_some(()).ok_or(failed)
}

/// The project's own folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}
