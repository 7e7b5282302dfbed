//! The gate's configuration file, `reshape-conformance.toml`: the adapters that a project runs, what makes a run red, and the
//! reports to write. Every path in it is relative to its folder. The keys are described in `docs/gate.md`.

use super::run_args::{RunArgs, Seconds};
use crate::error::{Error, Fault, Source};
use crate::semantics::operator::Level;
use serde::Deserialize;
use std::collections::HashSet;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file's name.
pub(crate) const FILE_NAME: &str = "reshape-conformance.toml";

/// An adapter that the gate runs.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AdapterConfig {
    /// Its name: that of a folder under `adapters`, or with a `command` any name.
    #[cfg_attr(test, schemars(with = "String"))]
    name: Spanned<String>,
    /// The line of its name in the file, from 1.
    #[serde(skip)]
    pub(crate) line: usize,
    /// The program that speaks the adapter protocol, with its arguments. It is started in the folder of this file.
    pub(crate) command: Option<String>,
    /// Its known failures; an adapter in a folder has its own file.
    pub(crate) known_failures: Option<PathBuf>,
    /// Seconds to wait for one of its replies.
    pub(super) timeout: Option<Seconds>,
    /// Seconds to wait for it to start and to answer `hello`.
    pub(super) handshake_timeout: Option<Seconds>,
    /// Resident memory that one of its processes may use, in MiB.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) memory: Option<NonZeroU64>,
}

impl AdapterConfig {
    pub(crate) fn name(&self) -> &str {
        self.name.get_ref()
    }
}

/// Which clauses make a run red.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum RedLevel {
    /// Only clauses that say must
    Must,
    /// Clauses that say must or should
    #[default]
    Should,
}

impl From<RedLevel> for Level {
    fn from(level: RedLevel) -> Self {
        match level {
            RedLevel::Must => Self::Must,
            RedLevel::Should => Self::Should,
        }
    }
}

impl RunArgs {
    /// Reads the gate's configuration.
    ///
    /// # Errors
    /// When it cannot be read, or is wrong.
    pub(super) fn of_file(path: &Path) -> Result<Self, Error> {
        let source = Source::of_file(&path.to_string_lossy(), path)?;
        let fault = |error: toml::de::Error| {
            let hint = "docs/gate.md describes every key; `reshape-conformance schema config` prints the schema";
            Fault::new(&source, error.span().unwrap_or(0..0), error.message()).hint(hint)
        };
        let mut config: Self = toml::from_str(&source.text).map_err(fault)?;
        let adapters = &mut config.gate_adapters;
        if let Some(nameless) = adapters.iter().find(|of| of.name().trim().is_empty()) {
            let message = "an adapter's name is empty";
            return Err(Fault::new(&source, nameless.name.span(), message).into());
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

    /// The files that a configuration names, of one that `of_file` refuses, as far as it can be understood: where it is no
    /// TOML, its lines are read each by itself.
    pub(super) fn of_faulty_file(path: &Path) -> Self {
        // A pipe may have nobody at its other end, and `of_file` refuses it.
        let bytes = path.is_file().then(|| std::fs::read(path).ok());
        let bytes = bytes.flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let (table, _) = DeTable::parse_recoverable(&text);
        let file = |of: &Spanned<DeValue<'_>>, key| {
            let file = of.get_ref().get(key)?.get_ref().as_str();
            file.map(PathBuf::from)
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

    /// Takes the paths of a configuration to be relative to its folder.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        let reports = self.reports.files().into_iter();
        let single = reports.filter_map(|(_, file)| file.as_mut());
        let single = single.chain(&mut self.adapters).chain(&mut self.baseline);
        let several = self.suite.cases.iter_mut().chain(&mut self.gate_files);
        single
            .chain(several)
            .for_each(|path| *path = folder.join(&*path));
    }
}

/// The configuration file in this folder, or in the nearest one above it.
///
/// # Errors
/// When there is no such file.
pub(super) fn find(from: &Path) -> Result<PathBuf, Error> {
    let mut paths = from.ancestors().map(|folder| folder.join(FILE_NAME));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        Error::Usage(format!(
            "there is no {FILE_NAME} in {} or above it; --config names one",
            from.display()
        ))
    })
}

/// The file that a line gives to a key, as `key = "file"` does, with its quotes or without; `None` for any other line.
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
