//! `run`: the suite on backends.

use super::SuiteArgs;
use crate::backend::{Adapter, ProcessBackend, ProcessOptions, Reference, find_adapters_folder};
use crate::error::Error;
use crate::event::{Event, Label, Reporter};
use crate::exit_code;
use crate::operator::{Operator, Selector};
use crate::plan::Selection;
use crate::report::jsonl::JsonLines;
use crate::report::progress::Progress;
use crate::report::text::{Text, Verbosity};
use crate::runner::{self, Participant};
use clap::Args;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
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
    /// Run on a program that speaks the adapter protocol; repeatable
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Vec<String>,
    /// Only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Workers a backend; each has an instance of its own [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Write the event stream here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Show every failure whole, and name what was skipped or recorded
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
    /// Show only the counts
    #[arg(long, short)]
    quiet: bool,
    /// Where the adapters are [default: the nearest folder `adapters` from here upward]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("must be more than 0".to_owned()) } else { Ok(duration) }
}

pub(super) fn run(arguments: &RunArgs) -> Result<u8, Error> {
    let suite = arguments.suite.load()?;
    let selection = selection(&arguments.patterns, arguments.exact, &arguments.operator)?;
    let participants = participants(arguments)?;
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
    let (mut text, mut progress) = (Text::new(verbosity), Progress::new());
    let mut reporters: Vec<&mut dyn Reporter> = vec![&mut progress, &mut text];
    if let Some((_, events)) = &mut events {
        reporters.push(events);
    }
    let jobs = arguments.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let counts = runner::run(&suite, &selection, &participants, jobs, &mut All(reporters))?;
    if let Some((path, JsonLines { fault: Some(why), .. })) = events {
        return Err(Error::File { doing: "write", path: path.clone(), why });
    }
    Ok(exit_code::of_counts(&counts))
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

fn participants(arguments: &RunArgs) -> Result<Vec<Participant>, Error> {
    let timeout = arguments.timeout.unwrap_or(Duration::from_secs(30));
    let folder = arguments.adapters.clone().unwrap_or_else(find_adapters_folder);
    let mut participants = Vec::new();
    for name in &arguments.adapter {
        let options = Adapter::read(&folder, name)?.options(timeout)?;
        participants.push(process(name.clone(), format!(" --adapter {name}"), options));
    }
    for command in &arguments.adapter_command {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| Error::Usage(format!("'{command}' is no command: a quote is not closed, or it is empty")))?;
        let options = ProcessOptions::new(command, words, timeout);
        let again = shlex::try_quote(command).map_or_else(|_| command.clone(), std::borrow::Cow::into_owned);
        participants.push(process(command.clone(), format!(" --adapter-command {again}"), options));
    }
    if participants.is_empty() {
        let start = Box::new(|| Ok(Box::new(Reference) as Box<_>));
        participants.push(Participant { label: Label { name: "reference".to_owned(), arguments: String::new() }, start });
    }
    Ok(participants)
}

fn process(name: String, arguments: String, options: ProcessOptions) -> Participant {
    let start = Box::new(move || Ok(Box::new(ProcessBackend::start(options.clone())?) as Box<_>));
    Participant { label: Label { name, arguments }, start }
}
