//! `known-failures update`: brings an adapter's file of known failures up to date.

use super::exit_code;
use super::gate::{Gate, has_adapter};
use super::new_failures::{NewFailures, ReasonArgs};
use super::output_file::{create_folder, lock};
use super::participants::{DEFAULT_TIMEOUT, command_options, process, read_named};
use super::reports::write;
use super::run_args::RunArgs;
use super::selection::{SuiteArgs, quoted, selection};
use super::streams::read_run;
use crate::backend::{Adapter, ProcessOptions};
use crate::error::{Error, Source, as_started};
use crate::event::stream::{BackendRecords, Stream};
use crate::event::{Event, Reporter, VerdictKind};
use crate::report::number::counted;
use crate::report::progress::Progress;
use crate::report::shown::shown;
use crate::report::style::out;
use crate::run;
use crate::run::RunOptions;
use crate::run::core::core_of;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::known_failures::{Comparison, KnownFailures, update};
use clap::{Args, Subcommand};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Subcommand)]
pub(super) enum KnownFailuresCommand {
    /// Run an adapter and rewrite its file of known failures
    ///
    /// It removes lines that no longer apply. It adds new failures only with a reason. On a terminal it asks for the
    /// reason of each finding; elsewhere, --finding and --reason state it. Comments, reasons and the order stay.
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    #[command(flatten)]
    reasons: ReasonArgs,
    /// The adapter: a folder under adapters/, or an adapter of the gate's configuration
    #[arg(long, value_name = "NAME", required_unless_present_any = ["adapter_command", "gate", "config"])]
    adapter: Option<String>,
    /// A program that speaks the adapter protocol; needs --known-failures
    #[arg(long, value_name = "COMMAND", requires = "known_failures", conflicts_with_all = ["adapter", "adapters", "gate", "config"])]
    adapter_command: Option<String>,
    /// The file of known failures for --adapter-command; created if it does not exist
    #[arg(long, value_name = "FILE", requires = "adapter_command")]
    known_failures: Option<PathBuf>,
    /// Run an adapter of the project's reshape-conformance.toml, as `run --gate` does
    #[arg(long)]
    gate: bool,
    /// Use only the core; --core=false overrides the gate's `core`
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    core: Option<bool>,
    /// The file that --gate reads
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder of the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Run nothing, and take the results from the events that a run of the adapter wrote
    #[arg(long, value_name = "EVENTS", conflicts_with_all = ["core", "give_up_after"])]
    from: Option<PathBuf>,
    /// Stop, and leave the file unchanged, after N crashes, hangs and other process failures in a row with the same
    /// message; known failures do not count; 0 for never [default: the gate's value, or 10]
    #[arg(long, value_name = "N")]
    give_up_after: Option<usize>,
}

pub(super) fn run(arguments: &KnownFailuresCommand) -> Result<u8, Error> {
    let KnownFailuresCommand::Update(arguments) = arguments;
    let target = Target::new(arguments)?;
    let path = target.file.clone();
    let known = read_named(&path, "")?;
    let file = File::open(&path).map_err(|why| Error::unreadable(&path, why))?;
    lock(&file, &path)?;
    let plan = Plan::new(&target.suite, &Selection::default(), None);
    let (name, suite) = (target.options.label.clone(), target.suite.hash());
    let again = target.arguments.clone();
    let stream = match &arguments.from {
        Some(path) => {
            let mut watch = Watch::default();
            let events = read_run(path)?;
            events.events().for_each(|event| watch.event(&event));
            watch.stream
        }
        None => watch(target, &known)?,
    };
    let records = stream.backend(&name);
    let Some(records) = records.filter(|_| stream.run.suite_hash == suite) else {
        let why = format!("no trial of '{name}' ran on this suite");
        return Err(Error::NothingSelected(why));
    };
    if records.died() {
        let (path, deaths) = (path.display(), records.unattributed().unwrap_or_default());
        let advice = "too many deaths; enter them by hand (docs/known-failures.md#deaths)";
        out(format!("{path}: {advice}: it {deaths}"));
    }
    let of_version = known.of_version(&records.started.version);
    let new = NewFailures::of(&stream, records);
    let count = new.count();
    let mut compared = compare(records);
    compared.explained = arguments.reasons.explain(new)?;
    let explained: usize = compared.explained.iter().map(|of| of.additions.len()).sum();
    let trials = records.trials.iter();
    let ran = trials.map(|of| (of.trial.as_str(), of.is_declined()));
    let ran: HashMap<_, _> = ran.collect();
    for (name, trial) in plan.trials_by_name() {
        // An entry may concern trials that the gate does not select, but none that the backend declines.
        let declined = ran.get(name.as_str());
        if declined != Some(&true) {
            of_version.record_match(&name);
        }
        if declined.is_none() {
            compared.not_selected.insert(name.clone());
        }
        let expectation = Arc::clone(trial.expectation());
        compared.expectations.insert(name, expectation);
    }
    let text = update(&of_version, &compared);
    // Read the new file before it replaces the old one.
    let now = text.and_then(|text| KnownFailures::read(&Source::new("", &text)).ok());
    let now = now.ok_or_else(|| {
        let name = path.display();
        Error::Usage(format!(
            "{name}: `update` cannot edit a file in this form; write each entry on its own lines, as \
             docs/known-failures.md shows, and run `update` again"
        ))
    })?;
    // A lock excludes other updates, but no editor.
    if read_named(&path, "")?.source != known.source {
        let why = "changed after `update` read it, so it was not written; run `update` again";
        return Err(Error::Usage(format!("{} {why}", path.display())));
    }
    write(&path, &now.source.text)?;
    print_changes(&known, &now);
    let dropped = match of_version.stale(&[]).len() {
        0 => String::new(),
        of => format!(", {} without a trial removed", counted(of, "pattern")),
    };
    let (left, fixed) = (count - explained, compared.fixed.len());
    let explained = counted(explained, "new failure");
    let path = path.display();
    out(format!(
        "{path}: {explained} explained, {left} left, {fixed} fixed{dropped}"
    ));
    if left == 0 && again.starts_with(" --gate") {
        let gate = as_started(&format!("reshape-conformance run{again}"));
        out(format!("now the gate should be green: {gate}"));
    }
    Ok(exit_code::AS_EXPECTED)
}

/// Prints the patterns that are in only one of two versions of a file, below the reason of their entry.
fn print_changes(before: &KnownFailures, now: &KnownFailures) {
    let [before, now]: [BTreeSet<_>; 2] = [before, now].map(|of| of.patterns().collect());
    let mut reason = "";
    for changed @ (of, pattern) in before.symmetric_difference(&now) {
        if std::mem::replace(&mut reason, of) != *of {
            out(of);
        }
        let sign = if now.contains(changed) { '+' } else { '-' };
        out(format!("  {sign} {pattern}"));
    }
}

/// Runs the target, and returns its events.
fn watch(target: Target, known: &KnownFailures) -> Result<Stream, Error> {
    let name = target.options.label.clone();
    let (options, known) = (Ok(target.options), Some(known.clone()));
    let participant = process(&name, target.arguments, options, known)?;
    let (suite, selection, options) = (&target.suite, &target.selection, &target.run);
    let mut watch = Watch::default();
    run::run(suite, selection, &[participant], options, &mut watch)?;
    match watch.stream.not_run.first() {
        Some(of) => Err(Error::AdapterStart {
            adapter: name,
            what: format!("did not run, so the file is unchanged: {}", of.message),
        }),
        None => Ok(watch.stream),
    }
}

/// How the trials of a run compare with the known failures.
fn compare(records: &BackendRecords) -> Comparison {
    let mut compared = Comparison::default();
    for trial in &records.trials {
        let is_changed = trial.verdict.is_red() && trial.known_failure.is_some();
        let set = if matches!(trial.verdict, VerdictKind::Known | VerdictKind::Quarantined) {
            &mut compared.known
        } else if is_changed || trial.verdict == VerdictKind::Fixed {
            &mut compared.fixed
        } else if trial.verdict != VerdictKind::Skipped {
            &mut compared.others
        } else if trial.is_declined() {
            continue;
        } else {
            &mut compared.not_selected
        };
        set.insert(trial.trial.clone());
    }
    compared
}

/// The events of a run, and its progress.
#[derive(Default)]
struct Watch {
    stream: Stream,
    progress: Option<Progress>,
}

impl Reporter for Watch {
    fn event(&mut self, event: &Event) {
        self.progress.get_or_insert_default().event(event);
        // The events come from a run, so they are in order.
        let _ = self.stream.append(shown(event).into_owned());
    }
}

/// An adapter with its file of known failures, and its trials.
struct Target {
    options: ProcessOptions,
    /// The arguments that make `run` take it, with a space before each.
    arguments: String,
    file: PathBuf,
    suite: Suite,
    selection: Selection,
    run: RunOptions<'static>,
}

impl Target {
    /// The target of these arguments. An adapter of the gate runs as in the gate, but without the baseline. Any other
    /// runs the whole suite. A file that does not exist is created, empty.
    fn new(arguments: &UpdateArgs) -> Result<Self, Error> {
        let mut run = RunArgs {
            config: arguments.config.clone(),
            adapter: arguments.adapter.iter().cloned().collect(),
            adapters: arguments.adapters.clone(),
            suite: arguments.suite.clone(),
            give_up_after: arguments.give_up_after,
            core: arguments.core,
            gate: true,
            ..RunArgs::default()
        };
        let is_gate = arguments.gate || arguments.config.is_some();
        let folder = run.folder();
        let is_in_folder = |name: &str| -> Result<bool, Error> {
            Ok(Adapter::find(&folder, name)?.is_some_and(|of| !of.is_built_in()))
        };
        let (options, again, file) = match (&arguments.adapter_command, &arguments.adapter) {
            (Some(command), _) => {
                let file = arguments.known_failures.clone().unwrap_or_default();
                let options = command_options(command, command, DEFAULT_TIMEOUT)?;
                let again = format!(" --adapter-command {}", quoted(command));
                (options, again, file)
            }
            (None, Some(name)) if !is_gate && (is_in_folder(name)? || !has_adapter(name)?) => {
                let adapter = Adapter::read(&folder, name)?;
                if adapter.is_built_in() {
                    return Err(Error::Usage(format!(
                        "the known failures of '{name}' are part of this program; in reshape-conformance.toml, \
                         `known-failures` of an [[adapter]] names a file of yours, which --gate updates"
                    )));
                }
                let options = adapter.options(DEFAULT_TIMEOUT)?;
                let again = format!(" --adapter {name}");
                (options, again, adapter.known_failures_path())
            }
            (None, _) => Gate::read(&mut run, |run| {
                run.give_up_after = arguments.give_up_after.or(run.give_up_after);
                run.adapters = arguments.adapters.clone().or(run.adapters.take());
                run.core = arguments.core.or(run.core);
                if !arguments.suite.cases.is_empty() {
                    run.suite = arguments.suite.clone();
                }
            })?
            .only_adapter(&run)?,
        };
        if !file.exists() {
            create_folder(&file)?;
            std::fs::write(&file, "").map_err(|why| Error::unwritable(&file, why))?;
        }
        let suite = run.suite.load()?;
        let mut selection = selection(&run.patterns, false, &run.operator)?;
        selection.core = core_of(&suite, run.core == Some(true))?;
        selection.judged = run.judged();
        Ok(Self {
            options,
            arguments: again + &run.suite.option(),
            file,
            selection,
            suite,
            run: run.options()?,
        })
    }
}
