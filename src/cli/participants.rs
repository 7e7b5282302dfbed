//! The backends of a command, as participants.

use super::adapters::offer;
use super::install;
use super::run_args::{MAX_MIB, Program, RunArgs};
use super::selection::quoted;
use crate::backend::{
    Adapter, ProcessBackend, ProcessOptions, Reference, all_adapters, find_adapters_folder,
    memory_is_reported, python_program, read_adapter_file,
};
use crate::error::{Error, as_started};
use crate::report::style::err;
use crate::run::{Label, Participant, Start};
use crate::semantics::request::MAX_DATA_BYTES;
use crate::verdict::known_failures::KnownFailures;
use std::collections::HashSet;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The default time to wait for one reply of an adapter.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The default memory limit of an adapter without a manifest, in bytes: the largest in this repository.
const DEFAULT_MEMORY: u64 = 4096 << 20;

/// Why a memory limit is not enforced.
const UNREPORTED: &str = "this system does not report the memory of processes (no /proc)";

impl RunArgs {
    /// The folder of the adapters.
    pub(super) fn folder(&self) -> PathBuf {
        self.adapters.clone().unwrap_or_else(find_adapters_folder)
    }

    /// The adapter of this name, installed where the options say.
    pub(super) fn read_adapter(&self, name: &str) -> Result<Adapter, Error> {
        let adapter = install::read(&self.folder(), self.dir.as_deref(), name)?;
        match &self.python {
            Some(python) => adapter.with_python(python),
            None => Ok(adapter),
        }
    }

    /// The largest data, in bytes; `None` for the default. Fails when it is too large, or a payload cannot hold it.
    pub(super) fn most_data(&self) -> Result<Option<u64>, Error> {
        let data = self.max_data.map_or(MAX_DATA_BYTES >> 20, NonZeroU64::get);
        let wrong = |why| Err(Error::Usage(why));
        match self.max_payload.map(NonZeroU64::get) {
            _ if data > MAX_MIB => wrong(format!(
                "max-data is {data} MiB; it can be at most {MAX_MIB} MiB"
            )),
            Some(payload) if payload <= data || payload > MAX_MIB + 1 => wrong(format!(
                "max-payload is {payload} MiB; it must be more than max-data, which is {data} MiB, and at most {} MiB",
                MAX_MIB + 1
            )),
            Some(_) | None => Ok(self.max_data.map(|mib| mib.get() << 20)),
        }
    }

    /// The largest payload of a message, in bytes: the default if that holds the data.
    fn most_payload(&self, fast_path: u64) -> u64 {
        let data = self.max_data.map(NonZeroU64::get);
        let beside = data.map_or(0, |data| data.saturating_add(1) << 20);
        let stated = self.max_payload.map(|mib| mib.get() << 20);
        stated.unwrap_or_else(|| fast_path.max(beside))
    }

    /// The options that change a trial's result, with a space before each, for a rerun; empty if none is given.
    pub(super) fn limits(&self) -> String {
        let seconds = self.timeout.map(|of| of.0.as_secs_f64());
        let seconds = seconds.map(|of| format!(" --timeout {of}"));
        let sizes = [
            ("memory", self.memory),
            ("max-data", self.max_data),
            ("max-payload", self.max_payload),
        ];
        let size =
            |(name, mib): (&str, Option<NonZeroU64>)| mib.map(|mib| format!(" --{name} {mib}"));
        let sizes = sizes.into_iter().filter_map(size);
        seconds.into_iter().chain(sizes).collect()
    }

    /// The options that say where adapters are, with a space before each.
    fn places(&self) -> String {
        let options = [("dir", &self.dir), ("python", &self.python)];
        let given = options.iter().filter_map(|(name, path)| {
            let path = quoted(&path.as_ref()?.to_string_lossy());
            Some(format!(" --{name} {path}"))
        });
        given.collect()
    }

    /// The participants that these arguments name, or the reference; and the names of the unavailable adapters.
    pub(super) fn participants(&self) -> Result<(Vec<Participant>, Vec<String>), Error> {
        check_memory(self.memory)?;
        let (mut participants, mut not_available) = (Vec::new(), Vec::new());
        let names = match self.all_adapters {
            true => all_adapters(&self.folder())?,
            false => self.adapter.clone(),
        };
        for name in names {
            let adapter = self.read_adapter(&name)?;
            if !self.all_adapters {
                offer(&adapter)?;
            }
            match adapter.options(self.timeout()) {
                Err(error) if self.all_adapters => {
                    err(error);
                    not_available.push(name);
                }
                options => participants.push(self.adapter(&adapter, &name, options)?),
            }
        }
        if self.all_adapters && participants.is_empty() {
            return Err(Error::NothingSelected(as_started(
                "no adapter is available; `reshape-conformance adapters` lists them",
            )));
        }
        let values = [
            &self.adapter_command,
            &self.python_function,
            &self.onnx_backend,
            &self.array_api,
        ];
        for (kind, values) in Program::ALL.into_iter().zip(values) {
            for value in values {
                participants.push(self.program(kind, value)?);
            }
        }
        if participants.is_empty() {
            let start: Box<Start> = Box::new(|| Ok(Box::new(Reference)));
            participants.push(participant("reference", String::new(), start));
        }
        // A stream could not distinguish two participants with one name.
        let mut names = HashSet::new();
        let twice = participants.iter().find(|of| !names.insert(&of.label.name));
        if let Some(twice) = twice {
            let name = &twice.label.name;
            let why = format!("'{name}' is named twice; name each backend once");
            return Err(Error::Usage(why));
        }
        Ok((participants, not_available))
    }

    /// The time to wait for one reply of an adapter.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout.map_or(DEFAULT_TIMEOUT, |of| of.0)
    }

    /// The options with the given limits, and with the flag that stops the run.
    pub(super) fn limit(&self, options: ProcessOptions) -> ProcessOptions {
        let handshake = self.handshake_timeout.map(|of| of.0);
        ProcessOptions {
            handshake_timeout: handshake.unwrap_or(options.handshake_timeout),
            memory: self.memory.map(|mib| mib.get() << 20).or(options.memory),
            most_payload: self.most_payload(options.most_payload),
            stop: Arc::clone(&self.stop),
            ..options
        }
    }

    /// How to start a program that has no manifest.
    pub(super) fn program_options(
        &self,
        name: &str,
        (kind, value): (Program, &str),
        timeout: Duration,
    ) -> Result<ProcessOptions, Error> {
        let Some(file) = kind.file else {
            return command_options(name, value, timeout);
        };
        let python = install::find_python(self.python.as_deref());
        // The folder in which it is started may be another one, and a name alone is looked up in the PATH.
        let python = match python.components().count() {
            1 => python,
            _ => std::path::absolute(&python).unwrap_or(python),
        };
        let file = python_program(file, self.dir.as_deref())?;
        let words = [
            python.to_string_lossy(),
            file.to_string_lossy(),
            value.into(),
        ];
        Ok(ProcessOptions {
            memory: Some(DEFAULT_MEMORY),
            ..ProcessOptions::new(name, words.map(String::from).to_vec(), timeout)
        })
    }

    fn adapter(
        &self,
        adapter: &Adapter,
        name: &str,
        options: Result<ProcessOptions, Error>,
    ) -> Result<Participant, Error> {
        let options = options.map(|options| self.limit(options));
        let (known_failures, all) = match self.no_known_failures {
            true => (None, " --no-known-failures"),
            false => (find_known_failures(&adapter.known_failures_path())?, ""),
        };
        let arguments = format!(" --adapter {name}{all}{}", self.places());
        let mut participant = process(name, arguments, options, known_failures)?;
        participant.label.about = Some(adapter.about.clone());
        participant.label.tracker.clone_from(&adapter.issues);
        Ok(participant)
    }

    fn program(&self, kind: Program, command: &str) -> Result<Participant, Error> {
        let options = self.limit(self.program_options(command, (kind, command), self.timeout())?);
        let places = kind.file.map(|_| self.places()).unwrap_or_default();
        let arguments = format!(" {} {}{places}", kind.option, quoted(command));
        let known_failures = self.known_failures.as_deref().map(|path| {
            let named = format!("{arguments} --known-failures {}", path.display());
            read_named(path, &named)
        });
        process(command, arguments, Ok(options), known_failures.transpose()?)
    }
}

/// Checks that a memory limit that the user sets can be enforced.
pub(super) fn check_memory(asked: Option<NonZeroU64>) -> Result<(), Error> {
    match asked {
        Some(mib) if !memory_is_reported() => Err(Error::Usage(format!(
            "{UNREPORTED}, so the limit of {mib} MiB cannot be enforced; remove `--memory` and the gate's `memory`"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// How to start a program that has no manifest.
pub(super) fn command_options(
    name: &str,
    command: &str,
    timeout: Duration,
) -> Result<ProcessOptions, Error> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| {
        let why = "is not a command: it is empty, or a quote is not closed";
        Error::Usage(format!("'{command}' {why}"))
    })?;
    Ok(ProcessOptions {
        memory: Some(DEFAULT_MEMORY),
        ..ProcessOptions::new(name, words, timeout)
    })
}

/// Reads a file of known failures; `None` if there is no such file.
pub(super) fn find_known_failures(path: &Path) -> Result<Option<KnownFailures>, Error> {
    let source = read_adapter_file(path)?;
    source.as_ref().map(KnownFailures::read).transpose()
}

/// Reads a named file of known failures. If it does not exist, the error names the command that creates it. `arguments`
/// name the file's backend.
pub(super) fn read_named(path: &Path, arguments: &str) -> Result<KnownFailures, Error> {
    if let Some(known) = find_known_failures(path)? {
        return Ok(known);
    }
    let command = format!("`reshape-conformance known-failures update{arguments}`");
    let why = format!("no such file; {} creates it", as_started(&command));
    let kind = std::io::ErrorKind::NotFound;
    Err(Error::unreadable(path, std::io::Error::new(kind, why)))
}

/// A participant without known failures.
fn participant(name: &str, arguments: String, start: Box<Start>) -> Participant {
    Participant {
        label: Label {
            name: name.into(),
            arguments,
            ..Label::default()
        },
        known_failures: None,
        memory_used: Arc::default(),
        start,
    }
}

/// A process. `arguments` make `run` take it again. An unavailable adapter is a participant that does not start. Fails
/// with the error of the options, if it is another one.
pub(super) fn process(
    name: &str,
    arguments: String,
    options: Result<ProcessOptions, Error>,
    known_failures: Option<KnownFailures>,
) -> Result<Participant, Error> {
    let memory = options.as_ref().ok().and_then(|of| of.memory);
    if let Some(limit) = memory.filter(|_| !memory_is_reported()) {
        err(format!(
            "note: {UNREPORTED}, so the limit of {} MiB for '{name}' is not enforced",
            limit >> 20
        ));
    }
    let memory_used = options.as_ref().map(|of| Arc::clone(&of.memory_used));
    let memory_used = memory_used.unwrap_or_default();
    let start: Box<Start> = match options {
        Ok(options) => {
            Box::new(move || Ok(Box::new(ProcessBackend::start(options.clone())?) as Box<_>))
        }
        Err(Error::AdapterStart { adapter, what }) => Box::new(move || {
            Err(Error::AdapterStart {
                adapter: adapter.clone(),
                what: what.clone(),
            })
        }),
        Err(error) => return Err(error),
    };
    Ok(Participant {
        known_failures,
        memory_used,
        ..participant(name, arguments, start)
    })
}
