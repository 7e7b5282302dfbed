//! `run --gate`: what the gate's configuration says, where the command line does not say it.

use super::config::{AdapterConfig, Config, FILE_NAME, ReportsConfig};
use super::limits::{DEFAULT_TIMEOUT, seconds};
use super::participants::{BackendArgs, check_memory, command_options, process, read_named};
use super::run_args::RunArgs;
use crate::backend::{Adapter, ProcessOptions};
use crate::error::Error;
use crate::report::style::err;
use crate::run::Participant;
use crate::semantics::operator::Selector;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The adapters of the gate.
pub(super) struct Gate {
    /// Those that run.
    adapters: Vec<AdapterConfig>,
    /// The configuration file, relative to the current folder if it is in it.
    path: PathBuf,
    /// The folder of the configuration file, to which its paths are relative.
    folder: PathBuf,
    /// The arguments of `run` that name the gate again, with a space before each.
    arguments: String,
}

/// How to start an adapter, or why it is not available, and its known-failures file.
type Options = (Result<ProcessOptions, Error>, Option<PathBuf>);

/// The arguments of `run` that name its gate again, with a space before each; empty if it is of no gate.
pub(super) fn gate_arguments(arguments: &RunArgs) -> String {
    let config = arguments.config.as_ref();
    let config = config.map_or_else(String::new, |path| format!(" --config {}", path.display()));
    match arguments.gate {
        true => format!(" --gate{config}"),
        false => String::new(),
    }
}

impl Gate {
    /// Reads the configuration, and fills in the arguments that the command line leaves out.
    pub(super) fn read(arguments: &mut RunArgs) -> Result<Self, Error> {
        let here = std::env::current_dir().unwrap_or_default();
        let path = match &arguments.config {
            Some(path) => path.clone(),
            None => Config::find(&here)?,
        };
        let config = Config::read(&path);
        let (reports, read) = match &config {
            Ok(config) => config.files(),
            Err(_) => Config::files_of_faulty(&path),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        // Relative to the current folder where possible: annotations need it so.
        let folder = folder.strip_prefix(&here).unwrap_or(folder).to_owned();
        arguments.gate_files = read.into_iter().map(|file| folder.join(file)).collect();
        arguments.gate_files.push(path.clone());
        fill_in_reports(arguments, reports, &path, &folder);
        let adapters = fill_in(arguments, config?, &path, &folder)?;
        Ok(Self {
            adapters,
            path: path.strip_prefix(&here).unwrap_or(&path).to_owned(),
            folder,
            arguments: gate_arguments(arguments),
        })
    }

    /// The configuration file.
    pub(super) fn file(&self) -> String {
        self.path.display().to_string()
    }

    /// The adapters as participants. One that is not available is an error: a gate that lost an adapter is not green.
    pub(super) fn participants(&self, arguments: &BackendArgs) -> Result<Vec<Participant>, Error> {
        self.adapters
            .iter()
            .map(|adapter| self.participant(adapter, arguments))
            .collect()
    }

    /// How to start the only adapter, and its known-failures file, which may not exist.
    pub(super) fn only_adapter(
        &self,
        arguments: &BackendArgs,
    ) -> Result<(ProcessOptions, PathBuf), Error> {
        let [adapter] = &self.adapters[..] else {
            let names: Vec<_> = self.adapters.iter().map(AdapterConfig::name).collect();
            return Err(Error::Usage(format!(
                "{} has several adapters; name one of {} with --adapter",
                self.file(),
                names.join(", ")
            )));
        };
        let (options, file) = self.options(adapter, arguments)?;
        let options = options?;
        let file = file.ok_or_else(|| {
            Error::Usage(format!(
                "{}: the adapter '{}' has no key `known-failures`; add one that names the file",
                self.file(),
                adapter.name()
            ))
        })?;
        Ok((options, file))
    }

    fn participant(
        &self,
        adapter: &AdapterConfig,
        arguments: &BackendArgs,
    ) -> Result<Participant, Error> {
        let name = adapter.name();
        let (options, file) = self.options(adapter, arguments)?;
        let again = format!("{} --adapter {name}", self.arguments);
        let is_named = adapter.known_failures.is_some();
        let file = file.filter(|path| !arguments.no_known_failures && (is_named || path.exists()));
        let known_failures = file.as_deref().map(|path| read_named(path, &again));
        let mut participant = process(name, again.clone(), options, known_failures.transpose()?)?;
        participant.label.config_line = Some(adapter.line);
        Ok(participant)
    }

    /// How to start an adapter, or why it is not available, and its known-failures file, which may not exist.
    fn options(&self, adapter: &AdapterConfig, arguments: &BackendArgs) -> Result<Options, Error> {
        let name = adapter.name();
        check_memory(adapter.memory.map(NonZeroU64::get).or(arguments.memory))?;
        let config = Path::new(FILE_NAME);
        let timeout = duration(adapter.timeout, "timeout", config)?
            .or(arguments.timeout)
            .unwrap_or(DEFAULT_TIMEOUT);
        let (options, own_file) = match &adapter.command {
            None => {
                let adapter = Adapter::read(&arguments.folder(), name)?;
                let file = Some(adapter.known_failures_path());
                (adapter.options(timeout), file)
            }
            Some(command) => {
                let mut options = command_options(name, command, timeout)?;
                let folder = Some(self.folder.clone());
                options.folder = folder.filter(|folder| !folder.as_os_str().is_empty());
                (Ok(options), None)
            }
        };
        let handshake = duration(adapter.handshake_timeout, "handshake-timeout", config)?;
        let options = options.map(|options| {
            let options = arguments.limit(options);
            ProcessOptions {
                handshake_timeout: handshake.unwrap_or(options.handshake_timeout),
                memory: adapter.memory.map(|mib| mib.get() << 20).or(options.memory),
                ..options
            }
        });
        let file = adapter.known_failures.as_ref();
        let file = file.map(|path| self.folder.join(path)).or(own_file);
        Ok((options, file))
    }
}

/// Fills in what the command line leaves out, and gives the adapters that run.
fn fill_in(
    arguments: &mut RunArgs,
    config: Config,
    path: &Path,
    folder: &Path,
) -> Result<Vec<AdapterConfig>, Error> {
    let at = |path: PathBuf| folder.join(path);
    let mut adapters = selected(config.adapter, &arguments.backends.adapter, path)?;
    let backends = &mut arguments.backends;
    // What the command line says holds for every adapter, whatever its own keys say.
    for adapter in &mut adapters {
        adapter.timeout = adapter.timeout.filter(|_| backends.timeout.is_none());
        adapter.handshake_timeout = adapter
            .handshake_timeout
            .filter(|_| backends.handshake_timeout.is_none());
        adapter.memory = adapter.memory.filter(|_| backends.memory.is_none());
    }
    backends.adapters = backends.adapters.take().or(config.adapters.map(at));
    backends.memory = backends.memory.or(config.memory.map(NonZeroU64::get));
    backends.max_data = backends.max_data.or(config.max_data.map(NonZeroU64::get));
    backends.max_payload = backends
        .max_payload
        .or(config.max_payload.map(NonZeroU64::get));
    if backends.timeout.is_none() {
        backends.timeout = duration(config.timeout, "timeout", path)?;
    }
    if backends.handshake_timeout.is_none() {
        backends.handshake_timeout = duration(config.handshake_timeout, "handshake-timeout", path)?;
    }
    arguments.baseline = arguments.baseline.take().or(config.baseline.map(at));
    if arguments.patterns.is_empty() {
        arguments.patterns = config.trials;
    }
    if arguments.operator.is_empty() {
        arguments.operator = selectors(&config.operators, path)?;
    }
    if arguments.suite.cases.is_empty() {
        arguments.suite.cases = config.cases.into_iter().map(at).collect();
    }
    arguments.level = arguments.level.or(config.level);
    arguments.retries = arguments.retries.or(config.retries);
    arguments.give_up_after = arguments.give_up_after.or(config.give_up_after);
    arguments.max_failures = arguments.max_failures.or(config.max_failures);
    if arguments.time_limit.is_none() {
        arguments.time_limit = duration(config.time_limit, "time-limit", path)?;
    }
    arguments.jobs = arguments.jobs.or(config.jobs);
    Ok(adapters)
}

/// The reports without their files: a run of a few trials, such as a failure again, would replace what the gate recorded.
fn without_files(reports: ReportsConfig, path: &Path) -> ReportsConfig {
    let others = ReportsConfig {
        github: reports.github,
        ..ReportsConfig::default()
    };
    if reports != others {
        err(format!(
            "{}: the command line selects trials, so the reports of this file are not written; options such as --html write others",
            path.display()
        ));
    }
    others
}

/// The reports that the configuration names, where the command line names none.
fn fill_in_reports(arguments: &mut RunArgs, config: ReportsConfig, path: &Path, folder: &Path) {
    let is_selection = !arguments.patterns.is_empty() || !arguments.operator.is_empty();
    let config = match is_selection {
        true => without_files(config, path),
        false => config,
    };
    let reports = &mut arguments.reports;
    // A resumed run appends to the events that it resumes.
    let mut resumed = arguments.resume.clone();
    let events = match resumed {
        Some(_) => &mut resumed,
        None => &mut reports.events,
    };
    let files = [
        (events, config.events),
        (&mut reports.junit, config.junit),
        (&mut reports.html, config.html),
        (&mut reports.markdown, config.markdown),
        (&mut reports.sarif, config.sarif),
        (&mut reports.badge, config.badge),
        (&mut reports.results, config.results),
    ];
    for (argument, file) in files {
        let file = file.map(|path| folder.join(path));
        match argument {
            Some(_) => reports.replaced.extend(file),
            None => *argument = file,
        }
    }
    let on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    reports.github |= config.github.unwrap_or(on_github);
}

fn selectors(operators: &[String], path: &Path) -> Result<Vec<Selector>, Error> {
    let selector = |text: &String| {
        text.parse()
            .map_err(|why| Error::Usage(format!("{}: {why}", path.display())))
    };
    operators.iter().map(selector).collect()
}

/// The adapters that `--adapter` names, or all.
fn selected(
    adapters: Vec<AdapterConfig>,
    wanted: &[String],
    path: &Path,
) -> Result<Vec<AdapterConfig>, Error> {
    if adapters.is_empty() {
        let why = format!("{} names no [[adapter]]", path.display());
        return Err(Error::Usage(why));
    }
    let names: Vec<_> = adapters.iter().map(AdapterConfig::name).collect();
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Error::Usage(format!(
            "{} has no adapter '{unknown}'; it has {}",
            path.display(),
            names.join(", ")
        )));
    }
    let is_wanted = |adapter: &AdapterConfig| {
        wanted.is_empty() || wanted.iter().any(|name| name == adapter.name())
    };
    Ok(adapters.into_iter().filter(is_wanted).collect())
}

/// Seconds of a configuration, under a key.
fn duration(value: Option<f64>, key: &str, path: &Path) -> Result<Option<Duration>, Error> {
    let value = value.map(|value| seconds(&value.to_string())).transpose();
    value.map_err(|why| Error::Usage(format!("{}: {key}: {why}", path.display())))
}
