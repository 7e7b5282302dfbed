//! The gate's configuration file, `reshape-conformance.toml`: the adapters that a project runs, what makes a run red, and the
//! reports to write. Every path in it is relative to its folder. The keys are described in `docs/gate.md`.

use crate::error::{Error, Fault, Source};
use crate::semantics::operator::Level;
use serde::Deserialize;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file's name.
pub(crate) const FILE_NAME: &str = "reshape-conformance.toml";

/// The contents of the file.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Config {
    /// The adapters to run, in this order.
    #[serde(default)]
    pub(crate) adapter: Vec<AdapterConfig>,
    /// Only trials whose names contain one of these, or match it as a glob; all if there is none.
    #[serde(default)]
    pub(crate) trials: Vec<String>,
    /// Only these operators: a family, one id, or "onnx >= 14"; all if there is none.
    #[serde(default)]
    pub(crate) operators: Vec<String>,
    /// Case files or folders to take instead of the built-in suite.
    #[serde(default)]
    pub(crate) cases: Vec<PathBuf>,
    /// The folder of the adapters that have no command.
    pub(crate) adapters: Option<PathBuf>,
    /// Which clauses make the gate red: those that say `must`, or also those that say `should` (the default).
    pub(crate) level: Option<RedLevel>,
    /// The events of an earlier run: only what got worse since is red.
    pub(crate) baseline: Option<PathBuf>,
    /// How many times a failed trial is run again; default 0.
    pub(crate) retries: Option<u32>,
    /// After how many crashes, hangs and the like in a row with the same message an adapter is asked no more; 0 for never;
    /// default 10.
    pub(crate) give_up_after: Option<usize>,
    /// After how many failures an adapter is asked no more; default never.
    pub(crate) max_failures: Option<NonZeroUsize>,
    /// Seconds after which the run ends; default never.
    pub(crate) time_limit: Option<f64>,
    /// Workers for each adapter; default one for each core.
    #[cfg_attr(test, schemars(range(min = 1, max = 1024)))]
    pub(crate) jobs: Option<u16>,
    /// Seconds to wait for one reply of an adapter; default 30.
    pub(crate) timeout: Option<f64>,
    /// Seconds to wait for an adapter to start and to answer `hello`; default 120.
    pub(crate) handshake_timeout: Option<f64>,
    /// Resident memory that one adapter process may use, in MiB; default as its manifest says, or 4096 for a
    /// `command`.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) memory: Option<NonZeroU64>,
    /// The data that is made, in MiB: what is larger is only compiled; default 64.
    #[cfg_attr(test, schemars(range(min = 1, max = 65536)))]
    pub(crate) max_data: Option<NonZeroU64>,
    /// The payload of a message of an adapter, in MiB; more than `max-data`; default 256, or 1 more than `max-data`.
    #[cfg_attr(test, schemars(range(min = 1, max = 65537)))]
    pub(crate) max_payload: Option<NonZeroU64>,
    /// The reports to write.
    #[serde(default)]
    pub(crate) reports: ReportsConfig,
}

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
    pub(crate) timeout: Option<f64>,
    /// Seconds to wait for it to start and to answer `hello`.
    pub(crate) handshake_timeout: Option<f64>,
    /// Resident memory that one of its processes may use, in MiB.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) memory: Option<NonZeroU64>,
}

impl AdapterConfig {
    pub(crate) fn name(&self) -> &str {
        self.name.get_ref()
    }
}

/// The reports that the gate writes.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ReportsConfig {
    /// The event stream.
    pub(crate) events: Option<PathBuf>,
    /// JUnit XML.
    pub(crate) junit: Option<PathBuf>,
    /// The page.
    pub(crate) html: Option<PathBuf>,
    /// The summary in Markdown.
    pub(crate) markdown: Option<PathBuf>,
    /// SARIF.
    pub(crate) sarif: Option<PathBuf>,
    /// The JSON of a badge.
    pub(crate) badge: Option<PathBuf>,
    /// The results of every backend, as a Markdown page.
    pub(crate) results: Option<PathBuf>,
    /// Annotations and the job's page on GitHub; default: on if `GITHUB_ACTIONS` is `true`.
    pub(crate) github: Option<bool>,
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

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is wrong.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let source = Source::of_file(&path.to_string_lossy(), path)?;
        let fault = |error: toml::de::Error| {
            let hint = "docs/gate.md describes every key; `reshape-conformance schema config` prints the schema";
            Fault::new(&source, error.span().unwrap_or(0..0), error.message()).hint(hint)
        };
        let mut config: Self = toml::from_str(&source.text).map_err(fault)?;
        if let Some(nameless) = config.adapter.iter().find(|of| of.name().trim().is_empty()) {
            let message = "an adapter's name is empty";
            return Err(Fault::new(&source, nameless.name.span(), message).into());
        }
        for adapter in &mut config.adapter {
            adapter.line = source.line_and_column(adapter.name.span().start).0;
        }
        if let Some(twice) = config.adapter.iter().enumerate().find_map(|(at, one)| {
            config.adapter[..at]
                .iter()
                .any(|other| other.name() == one.name())
                .then_some(&one.name)
        }) {
            let message = format!("two adapters are named '{}'", twice.get_ref());
            return Err(Fault::new(&source, twice.span(), message).into());
        }
        Ok(config)
    }

    /// The files that it names: the reports, and those that are read.
    pub(crate) fn files(&self) -> (ReportsConfig, Vec<PathBuf>) {
        let known_failures = self.adapter.iter();
        let known_failures = known_failures.filter_map(|adapter| adapter.known_failures.as_ref());
        let read = known_failures.chain(&self.baseline).chain(&self.cases);
        (self.reports.clone(), read.cloned().collect())
    }

    /// As `files`, of a file that `read` refuses, as far as it can be understood: where it is no TOML, its lines are read each
    /// by itself.
    pub(crate) fn files_of_faulty(path: &Path) -> (ReportsConfig, Vec<PathBuf>) {
        // A pipe may have nobody at its other end, and `read` refuses it.
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
        let report = |key| {
            let parsed = reports.and_then(|reports| file(reports, key));
            parsed.or_else(|| in_lines(key).next())
        };
        let adapters = table.get_ref().get("adapter");
        let adapters = adapters.and_then(|adapters| adapters.get_ref().as_array());
        let known_failures = adapters.into_iter().flatten();
        let known_failures = known_failures.filter_map(|adapter| file(adapter, "known-failures"));
        let read = known_failures.chain(in_lines("known-failures"));
        let read = read.chain(in_lines("baseline"));
        let reports = ReportsConfig {
            events: report("events"),
            junit: report("junit"),
            html: report("html"),
            markdown: report("markdown"),
            sarif: report("sarif"),
            badge: report("badge"),
            results: report("results"),
            github: None,
        };
        (reports, read.collect())
    }

    /// The file, in this folder or in the nearest one above it.
    ///
    /// # Errors
    /// When there is no such file.
    pub(crate) fn find(from: &Path) -> Result<PathBuf, Error> {
        let found = from
            .ancestors()
            .map(|folder| folder.join(FILE_NAME))
            .find(|path| path.is_file());
        found.ok_or_else(|| {
            Error::Usage(format!(
                "there is no {FILE_NAME} in {} or above it; --config names one",
                from.display()
            ))
        })
    }
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
    use super::Config;

    #[test]
    fn mutated_configurations_are_read_or_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let document = include_str!("../../docs/gate.md");
        let example = document.split("```toml\n").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        crate::mutations::of(&[example.as_bytes()], |bytes| {
            std::fs::write(file.path(), bytes).unwrap();
            let _ = Config::read(file.path());
        });
    }
}
