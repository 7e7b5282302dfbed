//! `run`: the suite on backends.

use super::SuiteArgs;
use super::environment::{PartitionArg, bazel_junit, bazel_shard};
use super::reports::{ReportArgs, Reports};
use crate::backend::{
    Adapter, ProcessBackend, ProcessOptions, Reference, find_adapters_folder, known_adapters,
};
use crate::cli::config::{AdapterConfig, Config, FILE_NAME, RedLevel};
use crate::cli::exit_code;
use crate::error::{Error, Source};
use crate::event::stream::Stream;
use crate::report::style::err;
use crate::run::{self, Label, Participant, RunOptions};
use crate::spec::operator::{Operator, Selector};
use crate::suite::selection::Selection;
use crate::verdict::known_failures::KnownFailures;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Debug, Args, Default)]
pub(super) struct RunArgs {
    /// Only trials whose name holds one of these, or matches it as a glob (`*` stays within a part, `**` does not)
    ///
    /// A name is case/operator/element type/binding: 'copied*/onnx.Reshape-14/f32/*'.
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Take each pattern as the whole name of one trial
    #[arg(long)]
    exact: bool,
    /// Run on this adapter (a folder under adapters/); repeatable
    #[arg(long, value_name = "NAME")]
    adapter: Vec<String>,
    /// Run on every adapter that is installed, and say which are not
    #[arg(long, conflicts_with_all = ["adapter", "adapter_command"])]
    all_adapters: bool,
    /// Run on a program that speaks the adapter protocol; repeatable
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Vec<String>,
    /// Only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Workers a backend; each has an instance of its own [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Run the trials in another order, the same for the same number; no verdict may depend on it
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Mebibytes that one adapter process may have resident; it is killed beyond [default: its manifest's]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    memory: Option<u64>,
    #[command(flatten)]
    reports: ReportArgs,
    /// Run what the project's reshape-conformance.toml says (docs/gate.md); other options come before its keys
    ///
    /// The file is looked for in this folder and above it. --adapter then chooses among its adapters.
    #[arg(long, conflicts_with_all = ["all_adapters", "adapter_command", "known_failures"])]
    gate: bool,
    /// The file that --gate reads
    #[arg(long, value_name = "FILE", requires = "gate")]
    config: Option<PathBuf>,
    /// Run only this part, such as hash:1/3 or slice:1/3; `merge` joins the parts' events
    ///
    /// With hash:/3 the number comes from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID. Bazel's shards are honoured without it.
    #[arg(long, value_name = "PART")]
    partition: Option<PartitionArg>,
    /// Run a failed trial again so often; one that changes its mind is flaky, and not red [default: 0]
    #[arg(long, value_name = "N")]
    retries: Option<u32>,
    /// What makes the run red: only what the texts demand, or what they advise too [default: should]
    #[arg(long, value_name = "LEVEL", value_enum)]
    level: Option<RedLevel>,
    /// The events of an earlier run: only what got worse since is red
    #[arg(long, value_name = "EVENTS")]
    baseline: Option<PathBuf>,
    /// Go on with a run that was cut short: the events that it left, to which the rest is added
    #[arg(long, value_name = "EVENTS", conflicts_with = "events")]
    resume: Option<PathBuf>,
    /// Show every failure whole, and name what was skipped or recorded
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
    /// Show only the counts
    #[arg(long, short)]
    quiet: bool,
    /// What the programs of --adapter-command are known to get wrong (an adapter has its own known-failures.yaml)
    #[arg(long, value_name = "FILE", requires = "adapter_command")]
    known_failures: Option<PathBuf>,
    /// Take no account of known failures
    #[arg(long, conflicts_with = "known_failures")]
    no_known_failures: bool,
    /// Where the adapters are [default: the nearest folder `adapters` from here upward]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// The adapters of the gate, with the arguments of `run` that lead to them.
    #[arg(skip)]
    gated: Option<(Vec<AdapterConfig>, PathBuf, String)>,
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() {
        Err("must be more than 0".to_owned())
    } else {
        Ok(duration)
    }
}

pub(super) fn run(mut arguments: RunArgs) -> Result<u8, Error> {
    if arguments.gate {
        arguments.take_configuration()?;
    }
    arguments.reports.junit = arguments.reports.junit.or_else(bazel_junit);
    let arguments = &arguments;
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, arguments.exact, &arguments.operator)?;
    let selection = match arguments.shuffle {
        Some(seed) => selection.shuffled(seed),
        None => selection,
    };
    let partition = match &arguments.partition {
        Some(partition) => Some(partition.partition()?),
        None => bazel_shard()?,
    };
    let (participants, not_available) = participants(arguments)?;
    let (baseline, resume) = (
        read_stream(arguments.baseline.as_ref())?,
        read_stream(arguments.resume.as_ref())?,
    );
    let stop = Arc::new(AtomicBool::new(false));
    let orders = RunOptions {
        jobs: arguments.jobs.map_or_else(cores, usize::from),
        partition,
        retries: arguments.retries.unwrap_or(0),
        level: arguments.level.unwrap_or_default().into(),
        baseline: baseline.as_ref(),
        resume: resume.as_ref(),
        stop: Arc::clone(&stop),
    };
    let read: Vec<&Path> = [&arguments.baseline, &arguments.resume]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    let mut reports = Reports::open(&arguments.reports, resume.as_ref(), &read)?;
    reports.not_available = not_available;
    reports.verbosity(arguments.quiet, arguments.verbose);
    stop_on_ctrl_c(&stop);
    let tally = run::run(&suite, &selection, &participants, &orders, &mut reports)?;
    reports.finish(baseline.as_ref())?;
    if tally.cut_short {
        let again = match &reports.events {
            Some(path) => format!(
                "; `run --resume {}` with the same arguments goes on with it",
                path.display()
            ),
            None => "; with --events FILE it could have been resumed".to_owned(),
        };
        return Err(Error::Incomplete(format!(
            "stopped after {} trials{again}",
            tally.counts.total()
        )));
    }
    Ok(exit_code::of_run(&tally, baseline.is_some()))
}

pub(super) fn read_stream(path: Option<&PathBuf>) -> Result<Option<Stream>, Error> {
    let Some(path) = path else { return Ok(None) };
    let stream = Stream::read(path)?;
    if stream.search.is_some() {
        return Err(Error::Usage(format!(
            "{} is of a search; give it the events of a run",
            path.display()
        )));
    }
    Ok(Some(stream))
}

/// The first Ctrl-C ends the run, or the search, once what is under way is done; the second ends it at once.
pub(super) fn stop_on_ctrl_c(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit_code::INCOMPLETE));
        }
        err("stopping; once more to stop at once");
    };
    // Without a handler Ctrl-C ends the process, as it does everywhere.
    let _ = ctrlc::set_handler(handler);
}

impl RunArgs {
    /// Takes what the command line leaves open from the gate's configuration.
    fn take_configuration(&mut self) -> Result<(), Error> {
        let here = std::env::current_dir().unwrap_or_default();
        let path = self
            .config
            .clone()
            .map_or_else(|| Config::find(&here), Ok)?;
        let config = Config::read(&path)?;
        if config.adapter.is_empty() {
            return Err(Error::Usage(format!(
                "{} names no [[adapter]]",
                path.display()
            )));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        // Shown as seen from here, where that is shorter: annotations want it so.
        let folder = folder.strip_prefix(&here).unwrap_or(folder).to_owned();
        let at = |path: PathBuf| folder.join(path);
        let (reports, file) = (&mut self.reports, config.reports);
        let files = [
            (
                &mut reports.events,
                file.events.filter(|_| self.resume.is_none()),
            ),
            (&mut reports.junit, file.junit),
            (&mut reports.html, file.html),
            (&mut reports.markdown, file.markdown),
            (&mut reports.sarif, file.sarif),
            (&mut reports.badge, file.badge),
            (&mut reports.results, file.results),
            (&mut self.baseline, config.baseline),
            (&mut self.adapters, config.adapters),
        ];
        for (ours, file) in files {
            *ours = ours.take().or(file.map(at));
        }
        let on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        self.reports.github |= file.github.unwrap_or(on_github);
        if self.patterns.is_empty() {
            self.patterns = config.trials;
        }
        if self.operator.is_empty() {
            let selector = |text: &String| {
                text.parse()
                    .map_err(|why| Error::Usage(format!("{}: {why}", path.display())))
            };
            self.operator = config
                .operators
                .iter()
                .map(selector)
                .collect::<Result<_, _>>()?;
        }
        if self.suite.cases.is_empty() {
            self.suite.cases = config.cases.into_iter().map(at).collect();
        }
        self.level = self.level.or(config.level);
        self.retries = self.retries.or(config.retries);
        self.jobs = self.jobs.or(config.jobs);
        self.memory = self.memory.or(config.memory);
        self.timeout = self.timeout.map_or_else(
            || duration(config.timeout, &path),
            |timeout| Ok(Some(timeout)),
        )?;
        let names: Vec<_> = config.adapter.iter().map(|one| one.name.clone()).collect();
        if let Some(unknown) = self.adapter.iter().find(|name| !names.contains(name)) {
            return Err(Error::Usage(format!(
                "{} has no adapter '{unknown}'; it has {}",
                path.display(),
                names.join(", ")
            )));
        }
        let wanted = config
            .adapter
            .into_iter()
            .filter(|one| self.adapter.is_empty() || self.adapter.contains(&one.name));
        let again = self
            .config
            .as_ref()
            .map_or_else(String::new, |path| format!(" --config {}", path.display()));
        self.gated = Some((wanted.collect(), folder, format!(" --gate{again}")));
        Ok(())
    }

    /// Only these backends, and no account of known failures.
    pub(super) fn on(
        adapter: &[String],
        command: &[String],
        timeout: Option<Duration>,
        memory: Option<u64>,
    ) -> Self {
        let (adapter, adapter_command) = (adapter.to_vec(), command.to_vec());
        Self {
            adapter,
            adapter_command,
            timeout,
            memory,
            no_known_failures: true,
            ..Self::default()
        }
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The selection that patterns and operators make.
pub(super) fn selection(
    patterns: &[String],
    exact: bool,
    operators: &[Selector],
) -> Result<Selection, Error> {
    let operators: Vec<&'static Operator> = operators
        .iter()
        .flat_map(|selector| selector.operators())
        .copied()
        .collect();
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(patterns, exact, operators).map_err(Error::Usage)
}

/// Who takes part, and the adapters that would, were they installed.
pub(super) fn participants(arguments: &RunArgs) -> Result<(Vec<Participant>, Vec<String>), Error> {
    let timeout = arguments.timeout.unwrap_or(Duration::from_secs(30));
    let memory = arguments.memory.map(|mib| mib << 20);
    let folder = arguments
        .adapters
        .clone()
        .unwrap_or_else(find_adapters_folder);
    let (mut participants, mut not_available) = (Vec::new(), Vec::new());
    let names = match (arguments.all_adapters, &arguments.gated) {
        (true, _) => all_adapters(&folder)?,
        (_, Some(_)) => Vec::new(),
        _ => arguments.adapter.clone(),
    };
    for name in &names {
        let adapter = Adapter::read(&folder, name)?;
        if let (true, Err(error)) = (arguments.all_adapters, adapter.options(timeout)) {
            err(error);
            not_available.push(name.clone());
            continue;
        }
        let file = (!arguments.no_known_failures)
            .then(|| adapter.known_failures_path())
            .filter(|path| path.exists());
        let known_failures = file.map(|path| known_failures(&path)).transpose()?;
        let mut options = adapter.options(timeout)?;
        options.memory = memory.or(options.memory);
        let all = if arguments.no_known_failures {
            " --no-known-failures"
        } else {
            ""
        };
        participants.push(process(
            name,
            format!(" --adapter {name}{all}"),
            options,
            known_failures,
        ));
    }
    for command in &arguments.adapter_command {
        let options = ProcessOptions {
            memory,
            ..ProcessOptions::new(command, words(command)?, timeout)
        };
        let again = shlex::try_quote(command)
            .map_or_else(|_| command.clone(), std::borrow::Cow::into_owned);
        let known_failures = arguments
            .known_failures
            .as_deref()
            .map(known_failures)
            .transpose()?;
        participants.push(process(
            command,
            format!(" --adapter-command {again}"),
            options,
            known_failures,
        ));
    }
    if let Some((adapters, root, again)) = &arguments.gated {
        participants = adapters
            .iter()
            .map(|one| arguments.gated(one, &folder, root, again))
            .collect::<Result<_, _>>()?;
    }
    if participants.is_empty() && arguments.all_adapters {
        return Err(Error::NothingSelected(
            "no adapter is available; `cargo xtask adapters` lists them".to_owned(),
        ));
    }
    if participants.is_empty() {
        let start = Box::new(|| Ok(Box::new(Reference) as Box<_>));
        let label = Label {
            name: "reference".into(),
            arguments: String::new(),
        };
        participants.push(Participant {
            label,
            known_failures: None,
            start,
        });
    }
    Ok((participants, not_available))
}

impl RunArgs {
    /// An adapter of the gate. One that is not available is an error: a gate that lost an adapter is not green.
    fn gated(
        &self,
        one: &AdapterConfig,
        folder: &Path,
        root: &Path,
        again: &str,
    ) -> Result<Participant, Error> {
        let timeout = duration(one.timeout, Path::new(FILE_NAME))?
            .or(self.timeout)
            .unwrap_or(Duration::from_secs(30));
        let (mut options, known) = match &one.command {
            None => {
                let adapter = Adapter::read(folder, &one.name)?;
                (
                    adapter.options(timeout)?,
                    Some(adapter.known_failures_path()).filter(|path| path.exists()),
                )
            }
            Some(command) => {
                let mut options = ProcessOptions::new(&one.name, words(command)?, timeout);
                options.folder = Some(root.to_owned()).filter(|root| !root.as_os_str().is_empty());
                (options, None)
            }
        };
        options.memory = one
            .memory
            .or(self.memory)
            .map(|mib| mib << 20)
            .or(options.memory);
        let known = one
            .known_failures
            .as_ref()
            .map(|path| root.join(path))
            .or(known)
            .filter(|_| !self.no_known_failures);
        let known = known.map(|path| known_failures(&path)).transpose()?;
        Ok(process(
            &one.name,
            format!("{again} --adapter {}", one.name),
            options,
            known,
        ))
    }
}

/// Seconds of a configuration.
fn duration(seconds: Option<f64>, path: &Path) -> Result<Option<Duration>, Error> {
    let read = |seconds: f64| self::seconds(&seconds.to_string());
    seconds
        .map(read)
        .transpose()
        .map_err(|why| Error::Usage(format!("{}: timeout: {why}", path.display())))
}

/// The words of a command, quoted as in a shell.
fn words(command: &str) -> Result<Vec<String>, Error> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        Error::Usage(format!(
            "'{command}' is no command: a quote is not closed, or it is empty"
        ))
    })
}

/// Every adapter, with its configurations after it.
fn all_adapters(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for name in known_adapters(folder) {
        let adapter = Adapter::read(folder, &name)?;
        let configurations = adapter
            .configurations
            .iter()
            .map(|configuration| format!("{name}:{configuration}"));
        names.extend(std::iter::once(name.clone()).chain(configurations));
    }
    Ok(names)
}

/// Reads a file of known failures.
pub(super) fn known_failures(path: &Path) -> Result<KnownFailures, Error> {
    let text = std::fs::read_to_string(path).map_err(|why| Error::unreadable(path, why))?;
    Ok(KnownFailures::read(&Source::new(
        &path.to_string_lossy(),
        &text,
    ))?)
}

fn process(
    name: &str,
    arguments: String,
    options: ProcessOptions,
    known_failures: Option<KnownFailures>,
) -> Participant {
    let start = Box::new(move || Ok(Box::new(ProcessBackend::start(options.clone())?) as Box<_>));
    Participant {
        label: Label {
            name: name.into(),
            arguments,
        },
        known_failures,
        start,
    }
}
