//! What `known-failures update` runs, and the file that it brings up to date.

use super::gate::Gate;
use super::participants::{DEFAULT_TIMEOUT, command_options};
use super::run_args::{RunArgs, brake, workers};
use super::selection::selection;
use super::suite_args::SuiteArgs;
use super::{config, output_file};
use crate::backend::{Adapter, ProcessOptions, find_adapters_folder, known_adapters};
use crate::error::Error;
use crate::run::RunOptions;
use crate::suite::Suite;
use crate::suite::selection::Selection;
use clap::Args;
use std::path::{Path, PathBuf};

/// Which adapter to run, on which cases, and its file.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// The adapter: a folder under adapters/, or one of the gate's configuration
    #[arg(long, value_name = "NAME", required_unless_present_any = ["adapter_command", "gate", "config"])]
    adapter: Option<String>,
    /// A program that speaks the adapter protocol, whose file is that of --known-failures
    #[arg(long, value_name = "COMMAND", requires = "known_failures", conflicts_with_all = ["adapter", "adapters", "gate", "config"])]
    adapter_command: Option<String>,
    /// The known failures of the program of --adapter-command; created if there is no such file
    #[arg(long, value_name = "FILE", requires = "adapter_command")]
    known_failures: Option<PathBuf>,
    /// Run an adapter of the project's reshape-conformance.toml, as `run --gate` does
    #[arg(long)]
    gate: bool,
    /// The file that --gate reads
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder that holds the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Leave the file as it is after N crashes, hangs and the like in a row with the same message that are no known
    /// failures; 0 for never [default: as the gate says, or 10]
    #[arg(long, value_name = "N")]
    give_up_after: Option<usize>,
}

/// An adapter with its file of known failures, and the trials that it is asked.
pub(super) struct Target {
    pub(super) options: ProcessOptions,
    pub(super) file: PathBuf,
    pub(super) suite: Suite,
    pub(super) selection: Selection,
    pub(super) run: RunOptions<'static>,
}

impl Target {
    /// The target of these arguments. A file that does not exist is created, empty.
    pub(super) fn new(arguments: &TargetArgs) -> Result<Self, Error> {
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(command) = &arguments.adapter_command {
            return Self::program(arguments, command);
        }
        let is_gate = arguments.gate || arguments.config.is_some();
        match &arguments.adapter {
            Some(name) if !is_gate && !is_only_in_gate(arguments, name, &here)? => {
                Self::adapter(arguments, name)
            }
            Some(_) | None => Self::of_gate(arguments),
        }
    }

    /// An adapter in a folder, on the whole suite.
    fn adapter(arguments: &TargetArgs, name: &str) -> Result<Self, Error> {
        let folder = arguments.adapters.clone();
        let adapter = Adapter::read(&folder.unwrap_or_else(find_adapters_folder), name)?;
        let options = adapter.options(DEFAULT_TIMEOUT)?;
        Self::on_whole_suite(arguments, options, adapter.known_failures_path())
    }

    /// A program, on the whole suite.
    fn program(arguments: &TargetArgs, command: &str) -> Result<Self, Error> {
        let options = command_options(command, command, DEFAULT_TIMEOUT)?;
        let file = arguments.known_failures.clone().unwrap_or_default();
        Self::on_whole_suite(arguments, options, file)
    }

    fn on_whole_suite(
        arguments: &TargetArgs,
        options: ProcessOptions,
        file: PathBuf,
    ) -> Result<Self, Error> {
        create(&file)?;
        Ok(Self {
            options,
            file,
            suite: arguments.suite.load()?,
            selection: Selection::default(),
            run: RunOptions {
                jobs: workers(None),
                brake: brake(arguments.give_up_after),
                ..RunOptions::default()
            },
        })
    }

    /// An adapter of the gate, run as the gate runs it, but without the baseline.
    fn of_gate(arguments: &TargetArgs) -> Result<Self, Error> {
        let mut run = RunArgs {
            config: arguments.config.clone(),
            adapter: arguments.adapter.iter().cloned().collect(),
            ..RunArgs::default()
        };
        let gate = Gate::read(&mut run, |run| {
            run.give_up_after = arguments.give_up_after.or(run.give_up_after);
            run.adapters = arguments.adapters.clone().or(run.adapters.take());
            if !arguments.suite.cases.is_empty() {
                run.suite = arguments.suite.clone();
            }
        })?;
        let (options, file) = gate.only_adapter(&run)?;
        create(&file)?;
        Ok(Self {
            options,
            file,
            suite: run.suite.load()?,
            selection: selection(&run.patterns, false, &run.operator)?,
            run: RunOptions {
                jobs: workers(run.jobs),
                retries: run.retries.unwrap_or(0),
                level: run.level.unwrap_or_default().into(),
                brake: run.brake(),
                most_data: run.most_data()?,
                ..RunOptions::default()
            },
        })
    }
}

/// Whether no folder has such an adapter, but the gate's configuration has.
fn is_only_in_gate(arguments: &TargetArgs, name: &str, here: &Path) -> Result<bool, Error> {
    let folder = arguments.adapters.clone();
    let folder = folder.unwrap_or_else(find_adapters_folder);
    let folder_name = name.split(':').next().unwrap_or(name).to_owned();
    if known_adapters(&folder).contains(&folder_name) {
        return Ok(false);
    }
    let Ok(path) = config::find(here) else {
        return Ok(false);
    };
    let adapters = RunArgs::of_file(&path)?.gate_adapters;
    Ok(adapters.iter().any(|adapter| adapter.name() == name))
}

/// Creates an empty file, and its folder, unless it exists.
fn create(path: &Path) -> Result<(), Error> {
    if path.exists() {
        return Ok(());
    }
    output_file::create_folder(path)?;
    std::fs::write(path, "").map_err(|why| Error::unwritable(path, why))
}
