//! `run`: the suite on backends.

use super::SuiteArgs;
use crate::backend::{Adapter, ProcessBackend, ProcessOptions, Reference, find_adapters_folder, known_adapters};
use crate::error::{Error, Source};
use crate::event::{Event, Label, Reporter};
use crate::exit_code;
use crate::known_failures::KnownFailures;
use crate::operator::{Operator, Selector};
use crate::plan::Selection;
use crate::report::jsonl::JsonLines;
use crate::report::progress::Progress;
use crate::report::results::Results;
use crate::report::style::err;
use crate::report::text::{Text, Verbosity};
use crate::runner::{self, Participant};
use clap::Args;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
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
    /// Write the event stream here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write what every backend does here, as a Markdown page
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
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
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("must be more than 0".to_owned()) } else { Ok(duration) }
}

pub(super) fn run(arguments: &RunArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, arguments.exact, &arguments.operator)?;
    let selection = match arguments.shuffle {
        Some(seed) => selection.shuffled(seed),
        None => selection,
    };
    let (participants, not_available) = participants(arguments)?;
    let events = arguments.events.as_ref().map(|path| (path, File::create(path)));
    let mut events = match events {
        None => None,
        Some((path, Ok(file))) => Some((path, JsonLines::new(BufWriter::new(file)))),
        Some((path, Err(why))) => return Err(Error::File { doing: "write", path: path.clone(), why }),
    };
    let verbosity = match (arguments.quiet, arguments.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    let (mut text, mut progress, mut results) = (Text::new(verbosity), Progress::new(), Results::default());
    let mut reporters: Vec<&mut dyn Reporter> = vec![&mut progress, &mut text];
    if arguments.results.is_some() {
        reporters.push(&mut results);
    }
    if let Some((_, events)) = &mut events {
        reporters.push(events);
    }
    let jobs = arguments.jobs.map_or_else(cores, usize::from);
    let tally = runner::run(&suite, &selection, &participants, jobs, &mut All(reporters))?;
    if let Some((path, JsonLines { fault: Some(why), .. })) = events {
        return Err(Error::File { doing: "write", path: path.clone(), why });
    }
    if let Some(path) = &arguments.results {
        let page = results.render(&not_available);
        std::fs::write(path, page).map_err(|why| Error::File { doing: "write", path: path.clone(), why })?;
    }
    Ok(exit_code::of_run(&tally))
}

impl RunArgs {
    /// Only these backends, and no account of known failures.
    pub(super) fn on(adapter: &[String], command: &[String], timeout: Option<Duration>, memory: Option<u64>) -> Self {
        let (adapter, adapter_command) = (adapter.to_vec(), command.to_vec());
        Self { adapter, adapter_command, timeout, memory, no_known_failures: true, ..Self::default() }
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Every reporter hears every event.
struct All<'a>(Vec<&'a mut dyn Reporter>);

impl Reporter for All<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.0.iter_mut().for_each(|reporter| reporter.event(event));
    }
}

/// The selection that patterns and operators make.
pub(super) fn selection(patterns: &[String], exact: bool, operators: &[Selector]) -> Result<Selection, Error> {
    let operators: Vec<&'static Operator> = operators.iter().flat_map(|selector| selector.operators()).copied().collect();
    let operators = (!operators.is_empty()).then_some(operators);
    Selection::new(patterns, exact, operators).map_err(Error::Usage)
}

/// Who takes part, and the adapters that would, were they installed.
pub(super) fn participants(arguments: &RunArgs) -> Result<(Vec<Participant>, Vec<String>), Error> {
    let timeout = arguments.timeout.unwrap_or(Duration::from_secs(30));
    let memory = arguments.memory.map(|mib| mib << 20);
    let folder = arguments.adapters.clone().unwrap_or_else(find_adapters_folder);
    let (mut participants, mut not_available) = (Vec::new(), Vec::new());
    let names = if arguments.all_adapters { all_adapters(&folder)? } else { arguments.adapter.clone() };
    for name in &names {
        let adapter = Adapter::read(&folder, name)?;
        if let (true, Err(error)) = (arguments.all_adapters, adapter.options(timeout)) {
            err(error);
            not_available.push(name.clone());
            continue;
        }
        let file = (!arguments.no_known_failures).then(|| adapter.known_failures_path()).filter(|path| path.exists());
        let known_failures = file.map(|path| known_failures(&path)).transpose()?;
        let mut options = adapter.options(timeout)?;
        options.memory = memory.or(options.memory);
        let all = if arguments.no_known_failures { " --no-known-failures" } else { "" };
        participants.push(process(name.clone(), format!(" --adapter {name}{all}"), options, known_failures));
    }
    for command in &arguments.adapter_command {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| Error::Usage(format!("'{command}' is no command: a quote is not closed, or it is empty")))?;
        let options = ProcessOptions { memory, ..ProcessOptions::new(command, words, timeout) };
        let again = shlex::try_quote(command).map_or_else(|_| command.clone(), std::borrow::Cow::into_owned);
        let known_failures = arguments.known_failures.as_deref().map(known_failures).transpose()?;
        participants.push(process(command.clone(), format!(" --adapter-command {again}"), options, known_failures));
    }
    if participants.is_empty() && arguments.all_adapters {
        return Err(Error::NothingSelected("no adapter is available; `cargo xtask adapters` lists them".to_owned()));
    }
    if participants.is_empty() {
        let start = Box::new(|| Ok(Box::new(Reference) as Box<_>));
        let label = Label { name: "reference".to_owned(), arguments: String::new() };
        participants.push(Participant { label, known_failures: None, start });
    }
    Ok((participants, not_available))
}

/// Every adapter, with its configurations after it.
fn all_adapters(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for name in known_adapters(folder) {
        let adapter = Adapter::read(folder, &name)?;
        let configurations = adapter.configurations.iter().map(|configuration| format!("{name}:{configuration}"));
        names.extend(std::iter::once(name.clone()).chain(configurations));
    }
    Ok(names)
}

/// Reads a file of known failures.
pub(super) fn known_failures(path: &Path) -> Result<KnownFailures, Error> {
    let text = std::fs::read_to_string(path).map_err(|why| Error::File { doing: "read", path: path.to_owned(), why })?;
    Ok(KnownFailures::read(&Source::new(&path.to_string_lossy(), &text))?)
}

fn process(name: String, arguments: String, options: ProcessOptions, known_failures: Option<KnownFailures>) -> Participant {
    let start = Box::new(move || Ok(Box::new(ProcessBackend::start(options.clone())?) as Box<_>));
    Participant { label: Label { name, arguments }, known_failures, start }
}
