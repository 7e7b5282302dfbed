//! The options of `run`, which are also the keys of the gate's file, and limits that other commands share.

use super::environment::PartitionArg;
use super::reports::{ReportArgs, VerbosityArgs};
use super::selection::SuiteArgs;
use crate::backend::Limits;
use crate::error::Error;
use crate::run::{BrakeLimits, RunOptions};
use crate::semantics::operator::{Level, Selector};
use crate::suite::partition::Sample;
use crate::suite::record::Version;
use crate::yaml::read::of_json;
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use clap::{ArgGroup, Args};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use toml::Spanned;

/// The largest value of --max-data, in MiB: 64 GiB.
pub(super) const MAX_MIB: u64 = 1 << 16;

/// The options of `run`, which are also the keys of the gate's configuration
///
/// The command line overrides the file. With `serde(skip)` a field is only an option; with `arg(skip)` only a key.
#[derive(Debug, Args, Default, Deserialize)]
#[command(group(ArgGroup::new("programs").multiple(true).args(["adapter_command", "python_function", "onnx_backend", "array_api"])))]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "Config"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RunArgs {
    /// The adapters to run, in this order
    #[arg(skip)]
    #[serde(default, rename = "adapter")]
    pub(super) gate_adapters: Vec<AdapterConfig>,
    /// Run only trials whose name contains one of these texts, or matches one as a glob (`*` stays within a part, `**`
    /// does not)
    ///
    /// A name is case/operator/element type/binding: 'copied*/onnx.Reshape-14/f32/*'.
    #[arg(value_name = "PATTERN")]
    #[serde(default, rename = "trials")]
    pub(super) patterns: Vec<String>,
    /// Take each pattern as the full name of one trial
    #[arg(long)]
    #[serde(skip)]
    pub(super) exact: bool,
    /// Use only the core, a few trials that show most of what the whole suite shows; --core=false overrides the gate's
    /// `core`
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) core: Option<bool>,
    /// Use only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    #[serde(default, rename = "operators")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) operator: Vec<Selector>,
    #[command(flatten)]
    #[serde(default, rename = "cases")]
    pub(super) suite: SuiteArgs,
    /// The version of the built-in suite whose trials make the gate red, such as "3.1"; default all
    #[arg(skip)]
    #[serde(rename = "suite")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) judged: Option<Spanned<Version>>,
    /// Run on this adapter (`adapters` lists them); repeatable
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub(super) adapter: Vec<String>,
    /// Run on every installed adapter, and name the adapters that are not installed
    #[arg(long, conflicts_with_all = ["adapter", "programs"])]
    #[serde(skip)]
    pub(super) all_adapters: bool,
    /// Run on a program that speaks the adapter protocol; repeatable
    #[arg(long, value_name = "COMMAND")]
    #[serde(skip)]
    pub(super) adapter_command: Vec<String>,
    /// Run on a Python function f(data, target, **attributes) of numpy arrays, such as pkg.module:f; repeatable
    #[arg(long, value_name = "MODULE:FUNCTION")]
    #[serde(skip)]
    pub(super) python_function: Vec<String>,
    /// Run on a Python module that implements onnx.backend.base.Backend, such as onnxruntime.backend; repeatable
    #[arg(long, value_name = "MODULE")]
    #[serde(skip)]
    pub(super) onnx_backend: Vec<String>,
    /// Run on a Python module that implements the Array API standard, such as numpy; repeatable
    #[arg(long, value_name = "MODULE")]
    #[serde(skip)]
    pub(super) array_api: Vec<String>,
    /// The folder of the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER")]
    pub(super) adapters: Option<PathBuf>,
    /// The folder into which adapters are installed [default: see `adapters --help`]
    #[arg(long, value_name = "FOLDER")]
    pub(super) dir: Option<PathBuf>,
    /// Run the adapters with this Python, which has their packages already, such as a nightly wheel; nothing is installed
    #[arg(long, value_name = "PATH")]
    pub(super) python: Option<PathBuf>,
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<Seconds>,
    /// Seconds to wait for an adapter to start and to answer `hello` [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub(super) handshake_timeout: Option<Seconds>,
    /// Memory limit of one adapter process, in MiB of resident memory; a process above it is killed [default: the
    /// manifest's limit; 4096 for --adapter-command]
    #[arg(long, value_name = "MIB", value_parser = mib(1 << 30))]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) memory: Option<NonZeroU64>,
    /// Largest tensor to materialize, in MiB; larger ones are only compiled [default: 64]
    #[arg(long, value_name = "MIB", value_parser = mib(MAX_MIB))]
    #[cfg_attr(test, schemars(range(min = 1, max = 65536)))]
    pub(super) max_data: Option<NonZeroU64>,
    /// Largest payload of an adapter's message, in MiB; must exceed --max-data [default: 256, or 1 more than
    /// --max-data]
    #[arg(long, value_name = "MIB", value_parser = mib(MAX_MIB + 1))]
    #[cfg_attr(test, schemars(range(min = 1, max = 65537)))]
    pub(super) max_payload: Option<NonZeroU64>,
    /// The file of known failures for --adapter-command (an adapter has its own known-failures.yaml)
    #[arg(long, value_name = "FILE", requires = "programs")]
    #[serde(skip)]
    pub(super) known_failures: Option<PathBuf>,
    /// Ignore known failures
    #[arg(long, conflicts_with = "known_failures")]
    #[serde(skip)]
    pub(super) no_known_failures: bool,
    /// Number of workers for each backend, each with its own instance [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[cfg_attr(test, schemars(range(min = 1, max = 1024)))]
    #[serde(default, deserialize_with = "jobs")]
    pub(super) jobs: Option<u16>,
    /// Shuffle the trials with this seed, to show that no verdict depends on their order
    #[arg(long, value_name = "SEED")]
    #[serde(skip)]
    pub(super) shuffle: Option<u64>,
    /// Run only this part, such as hash:1/3 or slice:1/3; `merge` merges the events of the parts
    ///
    /// With hash:/3 the number of the part comes from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID. Bazel's shards need
    /// no option.
    #[arg(long, value_name = "PART")]
    #[serde(skip)]
    pub(super) partition: Option<PartitionArg>,
    /// Rerun a failed trial up to N times; a trial that then passes in the same circumstances is flaky, and not red
    /// [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) retries: Option<u32>,
    /// Stop a backend after N crashes, hangs and other process failures in a row with the same message; 0 for never
    /// [default: 10]
    #[arg(long, value_name = "N")]
    pub(super) give_up_after: Option<usize>,
    /// Stop a backend after N failures
    #[arg(long, value_name = "N")]
    pub(super) max_failures: Option<NonZeroUsize>,
    /// End the run after this time, like Ctrl-C: the reports show what is missing, and --resume runs it
    #[arg(long, value_name = "SECONDS")]
    pub(super) time_limit: Option<Seconds>,
    /// End the run, like Ctrl-C, when standard input ends, for example with the parent process
    #[arg(long)]
    #[serde(skip)]
    pub(super) until_eof: bool,
    /// Which clauses make the run red [default: should]
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub(super) level: Option<RedLevel>,
    /// Compare with the events of an earlier run: only what got worse since then is red
    #[arg(long, value_name = "EVENTS")]
    pub(super) baseline: Option<PathBuf>,
    /// Resume the interrupted run that wrote these events: run the remaining trials, and append their events
    #[arg(long, value_name = "EVENTS", conflicts_with = "events")]
    #[serde(skip)]
    pub(super) resume: Option<PathBuf>,
    /// Run the gate of the project's reshape-conformance.toml (docs/gate.md); other options override its keys
    ///
    /// The program looks for the file in this folder and the folders above. --adapter then selects among its adapters.
    #[arg(long, conflicts_with_all = ["all_adapters", "programs", "known_failures"])]
    #[serde(skip)]
    pub(super) gate: bool,
    /// The file that --gate reads
    #[arg(long, value_name = "FILE", requires = "gate")]
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
    /// The reports to write
    #[command(flatten)]
    #[serde(default)]
    pub(super) reports: ReportArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) verbosity: VerbosityArgs,
    /// The files that the gate reads.
    #[arg(skip)]
    #[serde(skip)]
    pub(super) gate_files: Vec<PathBuf>,
    /// Set when the run must end at once.
    #[arg(skip)]
    #[serde(skip)]
    pub(super) stop: Arc<AtomicBool>,
}

/// An adapter that the gate runs.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AdapterConfig {
    /// Its name: a folder under `adapters`, or any name with a `command`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) name: Spanned<String>,
    /// The line of its name in the file, from 1.
    #[serde(skip)]
    pub(super) line: usize,
    /// The program that speaks the adapter protocol, with its arguments. It starts in the folder of this file.
    pub(super) command: Option<String>,
    /// A Python function f(data, target, **attributes) of numpy arrays, such as `pkg.module:f`, in place of a `command`.
    pub(super) python_function: Option<String>,
    /// A Python module that implements onnx.backend.base.Backend, in place of a `command`.
    pub(super) onnx_backend: Option<String>,
    /// A Python module that implements the Array API standard, in place of a `command`.
    pub(super) array_api: Option<String>,
    /// Its file of known failures; an adapter in a folder has its own file.
    pub(super) known_failures: Option<PathBuf>,
    /// Seconds to wait for one of its replies.
    pub(super) timeout: Option<Seconds>,
    /// Seconds to wait for it to start and to answer `hello`.
    pub(super) handshake_timeout: Option<Seconds>,
    /// Memory limit of one of its processes, in MiB of resident memory.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) memory: Option<NonZeroU64>,
    /// Environment variables to add, with a `command` and the like.
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    /// What it is, in a sentence.
    pub(super) about: Option<String>,
    /// The address for reports of its faults.
    pub(super) issues: Option<String>,
    /// What cannot be passed to it, as in a manifest. Its `hello` may state other limits.
    #[serde(default, deserialize_with = "limits")]
    #[cfg_attr(test, schemars(schema_with = "limits_schema"))]
    pub(super) limits: Option<Limits>,
    /// Whether it is only similar to the operators, and violates no clause.
    #[serde(default)]
    pub(super) only_similar: bool,
    /// The sample of its claim that it is asked, such as 1/16.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) sample: Option<Sample>,
}

fn limits<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Limits>, D::Error> {
    let limits = serde_json::Value::deserialize(from)?;
    let limits = of_json(&limits, "docs/adapters.md", Limits::read);
    limits.map(Some).map_err(D::Error::custom)
}

#[cfg(test)]
fn limits_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::Schema::try_from(Limits::schema()).unwrap_or_default()
}

impl AdapterConfig {
    pub(super) fn name(&self) -> &str {
        self.name.get_ref()
    }

    /// What to start, and its value; `None` for an adapter in a folder.
    pub(super) fn program(&self) -> Option<(Program, &str)> {
        self.programs().next()
    }

    fn programs(&self) -> impl Iterator<Item = (Program, &str)> {
        let programs = Program::ALL.into_iter().zip([
            &self.command,
            &self.python_function,
            &self.onnx_backend,
            &self.array_api,
        ]);
        programs.filter_map(|(of, value)| Some((of, value.as_deref()?)))
    }

    /// What is wrong with it; `None` if nothing is.
    pub(super) fn fault(&self) -> Option<String> {
        let name = self.name();
        let is_described = self.about.is_some() || self.issues.is_some() || self.only_similar;
        let is_limited = self.limits.is_some() || self.sample.is_some();
        let options = self.programs().map(|(of, _)| of.option);
        let options: Vec<_> = options.map(|of| of.trim_start_matches('-')).collect();
        if name.trim().is_empty() {
            Some("an adapter's name is empty".to_owned())
        } else if options.len() > 1 {
            let several = options.join("`, `").replace("adapter-command", "command");
            Some(format!(
                "'{name}' has several programs, `{several}`; keep one"
            ))
        } else if options.is_empty() && (is_described || is_limited || !self.environment.is_empty())
        {
            Some(format!(
                "'{name}' is an adapter in a folder, so its adapter.yaml states `about`, `issues`, `environment`, \
                 `limits`, `only-similar` and `sample`; remove them here"
            ))
        } else {
            None
        }
    }
}

/// What needs no manifest: the value of an option of `run`, and of a key of the gate's adapter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    pub(super) option: &'static str,
    /// The file of the kit for Python that speaks the protocol for it; `None` for a command, which does so itself.
    pub(super) file: Option<&'static str>,
}

impl Program {
    /// In the order of the fields of [`RunArgs`] and [`AdapterConfig`].
    pub(super) const ALL: [Self; 4] = [
        Self::new("--adapter-command", None),
        Self::new("--python-function", Some("function.py")),
        Self::new("--onnx-backend", Some("onnx_backend.py")),
        Self::new("--array-api", Some("array_api.py")),
    ];

    const fn new(option: &'static str, file: Option<&'static str>) -> Self {
        Self { option, file }
    }
}

/// The clauses that make a run red.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum RedLevel {
    /// Only must clauses
    Must,
    /// Must and should clauses
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

/// The times that a command waits for an adapter.
#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<Seconds>,
    /// Seconds to wait for an adapter to start and to answer `hello` [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub(super) handshake_timeout: Option<Seconds>,
}

impl RunArgs {
    /// The input files, which no report may overwrite.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        let single = [&self.baseline, &self.resume, &self.known_failures];
        let several = self.suite.cases.iter().chain(&self.gate_files);
        let all = single.into_iter().flatten().chain(several);
        all.map(PathBuf::as_path).collect()
    }

    /// The version of the built-in suite whose trials make a run red; `None` for all, and for other cases.
    pub(super) fn judged(&self) -> Option<Version> {
        let judged = self.judged.as_ref().map(|judged| *judged.get_ref());
        judged.filter(|_| self.suite.cases.is_empty())
    }

    /// How to run the trials, independent of how the run is recorded.
    pub(super) fn options<'a>(&self) -> Result<RunOptions<'a>, Error> {
        Ok(RunOptions {
            jobs: workers(self.jobs),
            retries: self.retries.unwrap_or(0),
            level: self.level.unwrap_or_default().into(),
            circuit_breaker: BrakeLimits {
                failures: self.max_failures.map(NonZeroUsize::get),
                ..circuit_breaker(self.give_up_after)
            },
            most_data: self.most_data()?,
            own_cases: !self.suite.cases.is_empty(),
            stop: Arc::clone(&self.stop),
            ..RunOptions::default()
        })
    }
}

/// When to stop a backend that fails in a row: by default, after 10 process failures.
pub(super) fn circuit_breaker(give_up_after: Option<usize>) -> BrakeLimits {
    BrakeLimits {
        process_failures: give_up_after.unwrap_or(10),
        failures: None,
    }
}

/// The number of workers in the gate's file.
fn jobs<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u16>, D::Error> {
    let jobs = u16::deserialize(from)?;
    match jobs {
        1..=1024 => Ok(Some(jobs)),
        _ => Err(D::Error::custom(format!(
            "jobs is {jobs}; it must be a number from 1 to 1024"
        ))),
    }
}

/// The number of workers: the given one, or one for each core.
pub(super) fn workers(jobs: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(cores, usize::from)
}

/// A number of MiB, at least 1.
pub(super) fn mib(most: u64) -> impl TypedValueParser<Value = NonZeroU64> {
    RangedU64ValueParser::<u64>::new()
        .range(1..=most)
        .try_map(NonZeroU64::try_from)
}

/// A number of seconds, more than 0.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "f64")]
pub(crate) struct Seconds(#[cfg_attr(test, schemars(with = "f64"))] pub(super) Duration);

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
        match duration.is_zero() {
            true => Err("must be more than 0".to_owned()),
            false => Ok(Self(duration)),
        }
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse::<f64>();
        let seconds = seconds.map_err(|_| "not a number of seconds".to_owned())?;
        seconds.try_into()
    }
}
