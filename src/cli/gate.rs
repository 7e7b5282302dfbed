//! The gate: its configuration file `reshape-conformance.toml` and its adapters. Paths in the file are relative to its
//! folder. `docs/gate.md` describes the file.

use super::participants::{check_memory, find_known_failures, process, read_named};
use super::reports::ReportArgs;
use super::run_args::{AdapterConfig, RunArgs};
use crate::backend::{ProcessOptions, Stated};
use crate::error::{Error, Fault, Source, as_started};
use crate::names::{Joined, did_you_mean, nearest};
use crate::report::style::err;
use crate::run::Participant;
use crate::suite::record::Version;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The adapters of the gate.
pub(super) struct Gate {
    /// The adapters to run.
    adapters: Vec<AdapterConfig>,
    /// The configuration file, relative to the current folder if it is below it.
    path: PathBuf,
    /// The folder of the configuration file, to which its paths are relative.
    folder: PathBuf,
    /// The arguments that make `run` take this gate, with a space before each.
    arguments: String,
}

/// How to start an adapter, or why it is unavailable, and its known-failures file.
type Options = (Result<ProcessOptions, Error>, Option<PathBuf>);

/// The arguments that make `run` take its gate, with a space before each; empty without a gate.
pub(super) fn gate_arguments(arguments: &RunArgs) -> String {
    match (arguments.gate, &arguments.config) {
        (true, Some(path)) => format!(" --gate --config {}", path.display()),
        (true, None) => " --gate".to_owned(),
        (false, _) => String::new(),
    }
}

impl Gate {
    /// Reads the configuration, which supplies what the arguments omit. `replace` puts those of the command line first.
    pub(super) fn read(
        arguments: &mut RunArgs,
        replace: impl FnOnce(&mut RunArgs),
    ) -> Result<Self, Error> {
        let here = std::env::current_dir().unwrap_or_default();
        let path = match &arguments.config {
            Some(path) => path.clone(),
            None => find_file(&here)?,
        };
        let (mut all, fault) = match RunArgs::of_file(&path) {
            Ok(config) => (config, None),
            Err(fault) => (RunArgs::of_faulty_file(&path), Some(fault)),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        // Relative to the current folder where possible, because annotations need that.
        let folder = folder.strip_prefix(&here).unwrap_or(folder).to_owned();
        all.relative_to(&folder);
        all.gate_files.push(path.clone());
        if !arguments.patterns.is_empty() || !arguments.operator.is_empty() {
            all.reports = without_files(&all.reports, &path);
        }
        let reports = all.reports.clone();
        replace(&mut all);
        replace_reports(&mut all, reports);
        let given = std::mem::replace(arguments, all);
        if let Some(fault) = fault {
            return Err(fault);
        }
        let adapters = std::mem::take(&mut arguments.gate_adapters);
        let mut adapters = selected(adapters, &given.adapter, &path)?;
        // A value on the command line holds for every adapter, whatever its own keys are.
        for of in &mut adapters {
            of.timeout = of.timeout.filter(|_| given.timeout.is_none());
            of.handshake_timeout =
                (of.handshake_timeout).filter(|_| given.handshake_timeout.is_none());
            of.memory = of.memory.filter(|_| given.memory.is_none());
        }
        Ok(Self {
            adapters,
            path: path.strip_prefix(&here).unwrap_or(&path).to_owned(),
            folder,
            arguments: gate_arguments(&given),
        })
    }

    /// The configuration file.
    pub(super) fn file(&self) -> String {
        self.path.display().to_string()
    }

    /// The adapters as participants. An unavailable one is an error: a gate that lost an adapter is not green.
    pub(super) fn participants(&self, arguments: &RunArgs) -> Result<Vec<Participant>, Error> {
        let adapters = self.adapters.iter();
        let adapters = adapters.map(|adapter| self.participant(adapter, arguments));
        adapters.collect()
    }

    /// How to start the only adapter, the arguments that make `run` take it, and its known-failures file, if any.
    pub(super) fn only_adapter(
        &self,
        arguments: &RunArgs,
    ) -> Result<(ProcessOptions, String, PathBuf), Error> {
        let [adapter] = &self.adapters[..] else {
            let names = self.adapters.iter().map(AdapterConfig::name).joined(", ");
            return Err(Error::Usage(format!(
                "{} has several adapters; name one of {names} with --adapter",
                self.file()
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
        Ok((options, self.again(adapter), file))
    }

    /// The arguments that make `run` take an adapter again, with a space before each.
    fn again(&self, adapter: &AdapterConfig) -> String {
        format!("{} --adapter {}", self.arguments, adapter.name())
    }

    /// How to start the first of the adapters.
    pub(super) fn first_options(&self, arguments: &RunArgs) -> Result<ProcessOptions, Error> {
        let first = self.adapters.first().map(|of| self.options(of, arguments));
        let none = || Error::Usage(format!("{} names no [[adapter]]", self.file()));
        first.ok_or_else(none)??.0
    }

    fn participant(
        &self,
        adapter: &AdapterConfig,
        arguments: &RunArgs,
    ) -> Result<Participant, Error> {
        let name = adapter.name();
        let (options, file) = self.options(adapter, arguments)?;
        let again = self.again(adapter);
        let known_failures = match file.filter(|_| !arguments.no_known_failures) {
            Some(path) if adapter.known_failures.is_some() => Some(read_named(&path, &again)?),
            Some(path) => find_known_failures(&path)?,
            None => None,
        };
        let mut participant = process(name, again.clone(), options, known_failures)?;
        participant.label.config_line = Some(adapter.line);
        participant.label.about.clone_from(&adapter.about);
        participant.label.tracker.clone_from(&adapter.issues);
        Ok(participant)
    }

    /// How to start an adapter, or why it is unavailable, and its known-failures file, which may not exist.
    fn options(&self, adapter: &AdapterConfig, arguments: &RunArgs) -> Result<Options, Error> {
        let name = adapter.name();
        check_memory(adapter.memory.or(arguments.memory))?;
        let own = adapter.timeout;
        let timeout = own.map_or_else(|| arguments.timeout(), |of| of.0);
        let (options, own_file) = match adapter.program() {
            None => {
                let adapter = arguments.read_adapter(name)?;
                let file = Some(adapter.known_failures_path());
                (adapter.options(timeout), file)
            }
            Some(program) => {
                let mut options = arguments.program_options(name, program, timeout)?;
                let folder = Some(self.folder.clone());
                options.folder = folder.filter(|folder| !folder.as_os_str().is_empty());
                options.environment.clone_from(&adapter.environment);
                let limits = adapter.limits.clone().unwrap_or_default();
                let memory = limits.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
                options.memory = memory.or(options.memory);
                options.stated = Stated {
                    limits,
                    only_similar: adapter.only_similar,
                    sample: adapter.sample,
                };
                (Ok(options), None)
            }
        };
        let options = options.map(|options| {
            let options = arguments.limit(options);
            let handshake = adapter.handshake_timeout.map(|of| of.0);
            let memory = adapter.memory.map(|mib| mib.get().saturating_mul(1 << 20));
            ProcessOptions {
                handshake_timeout: handshake.unwrap_or(options.handshake_timeout),
                memory: memory.or(options.memory),
                ..options
            }
        });
        let file = adapter.known_failures.as_ref();
        let file = file.map(|path| self.folder.join(path)).or(own_file);
        Ok((options, file))
    }
}

/// The reports without their files. Otherwise a rerun of a failure, say, would replace the gate's records.
fn without_files(reports: &ReportArgs, path: &Path) -> ReportArgs {
    let others = ReportArgs {
        github: reports.github,
        ..ReportArgs::default()
    };
    if *reports != others {
        err(format!(
            "{}: the command line selects trials, so this run does not write the reports of this file; options such as \
            --html write reports",
            path.display()
        ));
    }
    others
}

/// Drops the configured files that the command line replaces, and those of a resumed run, which appends to its events.
fn replace_reports(arguments: &mut RunArgs, mut of_file: ReportArgs) {
    let reports = &mut arguments.reports;
    if arguments.resume.is_some() {
        reports.events = None;
    }
    let mut replaced = Vec::new();
    for ((_, file), (_, now)) in of_file.files().into_iter().zip(reports.files()) {
        replaced.extend(file.take_if(|file| now.as_ref() != Some(file)));
    }
    reports.replaced = replaced;
    // What a part shows, the merged run shows as a whole.
    let is_whole = arguments.partition.is_none();
    let on_github =
        || is_whole && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let reports = &mut arguments.reports;
    reports.github = Some(reports.github.unwrap_or_else(on_github));
}

/// The adapters that `--adapter` names; all without it.
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

/// The file's name.
const FILE_NAME: &str = "reshape-conformance.toml";

impl RunArgs {
    /// Reads the gate's configuration. Fails when it is unreadable or wrong.
    pub(super) fn of_file(path: &Path) -> Result<Self, Error> {
        let source = Source::of_file(&path.to_string_lossy(), path)?;
        let fault = |error: toml::de::Error| {
            let mut hint = as_started("`reshape-conformance docs gate` describes every key");
            // unknown field `retires`, expected one of `trials`, `core`, …
            let mut names = error.message().split('`').skip(1).step_by(2);
            let near = names.next().map(|unknown| nearest(unknown, names));
            if let Some(near) = near.filter(|near| !near.is_empty()) {
                hint = format!("{} {hint}", did_you_mean(&near));
            }
            Fault::new(&source, error.span().unwrap_or(0..0), error.message()).hint(hint)
        };
        let mut config: Self = toml::from_str(&source.text).map_err(fault)?;
        if let Some(fault) = config.fault_of_suite(&source) {
            return Err(fault.into());
        }
        let adapters = &mut config.gate_adapters;
        let faults = adapters.iter();
        let mut faults = faults.filter_map(|of| Some((of.name.span(), of.fault()?)));
        if let Some((span, message)) = faults.next() {
            return Err(Fault::new(&source, span, message).into());
        }
        let mut names = HashSet::new();
        if let Some(twice) = adapters.iter().find(|of| !names.insert(of.name())) {
            let message = format!("two adapters are named '{}'", twice.name());
            return Err(Fault::new(&source, twice.name.span(), message).into());
        }
        for adapter in adapters.iter_mut() {
            adapter.line = source.line_and_column(adapter.name.span().start).0;
        }
        let known_failures = adapters.iter().filter_map(|of| of.known_failures.as_ref());
        let read = known_failures.chain(&config.baseline);
        config.gate_files = read.chain(&config.suite.cases).cloned().collect();
        Ok(config)
    }

    /// What is wrong with the key `suite`; `None` if nothing is.
    fn fault_of_suite(&self, source: &Source) -> Option<Fault> {
        let judged = self.judged.as_ref()?;
        let (newest, version) = (Version::newest(), *judged.get_ref());
        let (what, hint) = if version > newest {
            let what = format!("this program is older than that: it has suite {newest}");
            let install = "install a newer program (`pip install --upgrade reshape-conformance`)";
            (what, format!("{install}, or lower the key"))
        } else if !version.exists() {
            let what = format!("there is no suite {version}");
            let tells = "`reshape-conformance --version` says which one this program has";
            (
                what,
                as_started(&format!("cases/CHANGELOG.md lists them; {tells}")),
            )
        } else if !self.suite.cases.is_empty() {
            let what = "`cases` replaces the built-in suite, which has this version";
            (what.to_owned(), "remove one of the two keys".to_owned())
        } else {
            return None;
        };
        Some(Fault::new(source, judged.span(), what).hint(hint))
    }

    /// The files that a configuration names although `of_file` refuses it, read line by line if it is no valid TOML.
    pub(super) fn of_faulty_file(path: &Path) -> Self {
        // A pipe may have no writer, and `of_file` refuses it.
        let bytes = path.is_file().then(|| std::fs::read(path).ok());
        let bytes = bytes.flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let (table, _) = DeTable::parse_recoverable(&text);
        let file = |of: &Spanned<DeValue<'_>>, key| {
            of.get_ref().get(key)?.get_ref().as_str().map(PathBuf::from)
        };
        let in_lines = |key| text.lines().filter_map(move |line| file_in(line, key));
        let reports = table.get_ref().get("reports");
        let mut config = Self::default();
        for (key, report) in config.reports.files() {
            let parsed = reports.and_then(|reports| file(reports, key));
            *report = parsed.or_else(|| in_lines(key).next());
        }
        let adapters = table.get_ref().get("adapter");
        let adapters = adapters.and_then(|adapters| adapters.get_ref().as_array());
        let known_failures = adapters.into_iter().flatten();
        let known_failures = known_failures.filter_map(|adapter| file(adapter, "known-failures"));
        let read = known_failures.chain(in_lines("known-failures"));
        config.gate_files = read.chain(in_lines("baseline")).collect();
        config
    }

    /// Makes the paths of a configuration relative to its folder.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        let reports = self.reports.files().into_iter();
        let single = reports.filter_map(|(_, file)| file.as_mut());
        let single = single.chain(&mut self.adapters).chain(&mut self.baseline);
        // The name of a program that is looked up in the PATH is no path.
        let is_path = |of: &&mut PathBuf| of.components().count() > 1;
        let single = single.chain(&mut self.dir);
        let single = single.chain(self.python.as_mut().filter(is_path));
        single
            .chain(self.suite.cases.iter_mut().chain(&mut self.gate_files))
            .for_each(|path| *path = folder.join(&*path));
    }
}

/// The configuration file in this folder, or in the nearest folder above. Fails when there is no such file.
fn find_file(from: &Path) -> Result<PathBuf, Error> {
    let mut paths = from.ancestors().map(|folder| folder.join(FILE_NAME));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        let from = from.display();
        let init = as_started("`reshape-conformance init` writes one");
        Error::Usage(format!(
            "no {FILE_NAME} in {from} or above it; {init}, and --config names another"
        ))
    })
}

/// Whether the configuration file here, or in a folder above, has an adapter of this name. Fails when it is wrong.
pub(super) fn has_adapter(name: &str) -> Result<bool, Error> {
    let Ok(path) = find_file(&std::env::current_dir().unwrap_or_default()) else {
        return Ok(false);
    };
    let adapters = RunArgs::of_file(&path)?.gate_adapters;
    Ok(adapters.iter().any(|adapter| adapter.name() == name))
}

/// The file that a line gives to a key, as in `key = "file"`, with or without quotes; `None` for any other line.
fn file_in(line: &str, key: &str) -> Option<PathBuf> {
    let line = line.trim_start().trim_start_matches("reports.");
    let value = line.strip_prefix(key)?.trim_start();
    let value = value.strip_prefix(['=', ':'])?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let file = match quote {
        Some(quote) => value[1..].split(quote).next()?.trim(),
        None => value.split('#').next()?.trim(),
    };
    let is_file = !file.is_empty() && !file.contains(['=', '[', '{', '"', '\'']);
    is_file.then(|| PathBuf::from(file))
}

#[cfg(test)]
mod tests {
    use crate::cli::run_args::RunArgs;

    #[test]
    fn mutated_configurations_are_read_or_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let document = include_str!("../../docs/gate.md");
        let example = document.split("```toml\n").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        crate::mutations::of(&[example.as_bytes()], |bytes| {
            std::fs::write(file.path(), bytes).unwrap();
            let _ = RunArgs::of_file(file.path());
        });
    }
}
