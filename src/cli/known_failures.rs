//! `known-failures update`: brings an adapter's file of known failures up to date.

use super::exit_code;
use super::gate::{Gate, find_file};
use super::output_file::{create_folder, lock, write};
use super::participants::{DEFAULT_TIMEOUT, command_options, process, read_named};
use super::run_args::RunArgs;
use super::selection::{SuiteArgs, selection};
use crate::backend::{Adapter, ProcessOptions};
use crate::error::{Error, Source};
use crate::event::{Event, FailureKind, Reporter, TrialRecord, VerdictKind};
use crate::report::number::counted;
use crate::report::progress::Progress;
use crate::report::style::out;
use crate::run;
use crate::run::RunOptions;
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::known_failures::{Addition, Comparison, KnownFailures, update};
use clap::{Args, Subcommand};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The most new failures to name if no reason explains them.
const MAX_NAMES: usize = 20;

#[derive(Debug, Subcommand)]
pub(super) enum KnownFailuresCommand {
    /// Run an adapter and rewrite its file of known failures
    ///
    /// It removes lines that no longer apply. It adds new failures only with a reason; patterns select the failures
    /// that the reason explains. Comments, reasons and the order stay.
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Explain only new failures whose names contain one of these texts, or match one as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Why they fail, in a sentence
    #[arg(long, value_name = "SENTENCE")]
    reason: Option<String>,
    /// The address of the report in the backend's tracker
    #[arg(long, value_name = "URL", requires = "reason")]
    link: Option<String>,
    /// Explain only new failures of this kind, such as wrong-shape or not-rejected
    #[arg(long, value_name = "FAILURE", value_parser = clap::builder::PossibleValuesParser::new(FailureKind::ALL.iter().map(|kind| kind.name())))]
    failure: Option<String>,
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
    /// The file that --gate reads
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder of the adapters [default: the nearest folder `adapters`, here or in a folder above]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Stop, and leave the file unchanged, after N crashes, hangs and other process failures in a row with the same
    /// message; known failures do not count; 0 for never [default: the gate's value, or 10]
    #[arg(long, value_name = "N")]
    give_up_after: Option<usize>,
}

pub(super) fn run(arguments: &KnownFailuresCommand) -> Result<u8, Error> {
    let KnownFailuresCommand::Update(arguments) = arguments;
    let chosen = selection(&arguments.patterns, false, &[])?;
    let target = Target::new(arguments)?;
    let path = target.file.clone();
    let known = read_named(&path, "")?;
    let file = File::open(&path).map_err(|why| Error::unreadable(&path, why))?;
    lock(&file, &path)?;
    let matched = known.unmatched();
    let plan = Plan::new(&target.suite, &Selection::default(), None);
    let mut watch = watch(target, &known)?;
    if let Some(died) = &watch.died {
        out(format!(
            "{}: too many deaths; enter them by hand (docs/known-failures.md#deaths): it {died}",
            path.display()
        ));
    }
    // An entry may concern trials that the gate does not select.
    for trial in plan.trials_by_name().keys() {
        known.record_match(trial, &watch.version, &matched);
    }
    let left = arguments.explain(&chosen, &mut watch.seen)?;
    let reason = arguments.reason.as_deref();
    let reason = reason.map(|reason| (reason, arguments.link.as_deref()));
    let text = update(&known, &watch.version, &matched, &watch.seen, reason);
    // Read the new file before it replaces the old one.
    let text = text.filter(|text| KnownFailures::read(&Source::new("", text)).is_ok());
    let text = text.ok_or_else(|| {
        let name = path.display();
        Error::Usage(format!(
            "{name}: `update` cannot edit a file in this form; write each entry on its own lines, as \
             docs/known-failures.md shows, and run `update` again"
        ))
    })?;
    // A lock excludes other updates, but no editor.
    if read_named(&path, "")?.source != known.source {
        let name = path.display();
        let why = format!(
            "{name} changed after `update` read it, so it was not written; run `update` again"
        );
        return Err(Error::Usage(why));
    }
    write(&path, &text)?;
    let dropped = match known.stale(&watch.version, &matched, &[]).len() {
        0 => String::new(),
        of => format!(", {} without a trial removed", counted(of, "pattern")),
    };
    out(format!(
        "{}: {} new failures explained, {left} left, {} fixed{dropped}",
        path.display(),
        watch.seen.additions.len(),
        watch.seen.fixed.len()
    ));
    Ok(exit_code::AS_EXPECTED)
}

/// Runs the target, and collects what concerns its known failures.
fn watch(target: Target, known: &KnownFailures) -> Result<Watch, Error> {
    let name = target.options.label.clone();
    let participant = process(
        &name,
        String::new(),
        Ok(target.options),
        Some(known.clone()),
    )?;
    let mut watch = Watch::default();
    run::run(
        &target.suite,
        &target.selection,
        &[participant],
        &target.run,
        &mut watch,
    )?;
    match watch.not_run.take() {
        Some(what) => Err(Error::AdapterStart {
            adapter: name,
            what: format!("did not run, so the file is unchanged: {what}"),
        }),
        None => Ok(watch),
    }
}

impl UpdateArgs {
    /// Keeps the new failures that the reason explains, and returns the number of the others.
    fn explain(&self, chosen: &Selection, seen: &mut Comparison) -> Result<usize, Error> {
        let new = std::mem::take(&mut seen.additions);
        let (additions, left): (Vec<_>, Vec<_>) = new.into_iter().partition(|addition| {
            let kind = self.failure.as_deref();
            kind.is_none_or(|kind| addition.failure.map(FailureKind::name) == Some(kind))
                && chosen.takes_name(&addition.trial)
        });
        if self.reason.is_none() && !additions.is_empty() {
            for addition in additions.iter().take(MAX_NAMES) {
                out(format!("  {}", addition.trial));
            }
            if let more @ 1.. = additions.len().saturating_sub(MAX_NAMES) {
                out(format!("  and {more} more"));
            }
            return Err(Error::Usage(format!(
                "{} new failures without a reason; look at them with `run`, and give a --reason",
                additions.len()
            )));
        }
        let names = left.iter().map(|addition| addition.trial.clone());
        seen.others.extend(names);
        seen.additions = additions;
        Ok(left.len())
    }
}

/// The results of a run that concern known failures.
#[derive(Default)]
struct Watch {
    /// The adapter's version.
    version: String,
    seen: Comparison,
    progress: Option<Progress>,
    /// Why it did not run; `None` if it did.
    not_run: Option<String>,
    /// Deaths for which no trial can be blamed; `None` if there are no unknown ones.
    died: Option<String>,
}

impl Watch {
    fn trial(&mut self, trial: &TrialRecord) {
        let (name, seen) = (trial.trial.clone(), &mut self.seen);
        let red = trial.verdict.is_red();
        if red {
            seen.additions.push(Addition {
                trial: name.clone(),
                outcome: trial.judged(),
                failure: trial.failure,
            });
        }
        let is_known = matches!(trial.verdict, VerdictKind::Known | VerdictKind::Quarantined);
        let changed = red && trial.known_failure.is_some();
        if is_known {
            seen.known.insert(name);
        } else if changed || trial.verdict == VerdictKind::Fixed {
            seen.fixed.insert(name);
        } else if !red && trial.verdict != VerdictKind::Skipped {
            seen.others.insert(name);
        }
    }
}

impl Reporter for Watch {
    fn event(&mut self, event: &Event) {
        self.progress.get_or_insert_default().event(event);
        if let Event::BackendStarted(started) = event {
            self.version.clone_from(&started.version);
        } else if let Event::Trial(trial) = event {
            self.trial(trial);
        } else if let Event::BackendNotRun(backend) = event {
            self.not_run = Some(backend.message.clone());
        } else if let Event::BackendFinished(finished) = event {
            self.died = finished.outside_trials().filter(|_| finished.died());
        }
    }
}

/// An adapter with its file of known failures, and its trials.
struct Target {
    options: ProcessOptions,
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
            ..RunArgs::default()
        };
        let is_gate = arguments.gate || arguments.config.is_some();
        let folder = run.folder();
        let (options, file) = match (&arguments.adapter_command, &arguments.adapter) {
            (Some(command), _) => {
                let file = arguments.known_failures.clone().unwrap_or_default();
                (command_options(command, command, DEFAULT_TIMEOUT)?, file)
            }
            (None, Some(name)) if !is_gate && !is_only_in_gate(&folder, name)? => {
                let adapter = Adapter::read(&folder, name)?;
                if adapter.is_built_in() {
                    return Err(Error::Usage(format!(
                        "the known failures of '{name}' are part of this program; in reshape-conformance.toml, \
                         `known-failures` of an [[adapter]] names a file of yours, which --gate updates"
                    )));
                }
                let options = adapter.options(DEFAULT_TIMEOUT)?;
                (options, adapter.known_failures_path())
            }
            (None, _) => {
                let gate = Gate::read(&mut run, |run| {
                    run.give_up_after = arguments.give_up_after.or(run.give_up_after);
                    run.adapters = arguments.adapters.clone().or(run.adapters.take());
                    if !arguments.suite.cases.is_empty() {
                        run.suite = arguments.suite.clone();
                    }
                })?;
                gate.only_adapter(&run)?
            }
        };
        if !file.exists() {
            create_folder(&file)?;
            std::fs::write(&file, "").map_err(|why| Error::unwritable(&file, why))?;
        }
        Ok(Self {
            options,
            file,
            suite: run.suite.load()?,
            selection: selection(&run.patterns, false, &run.operator)?.judged_as(run.judged()),
            run: run.options()?,
        })
    }
}

/// Whether only the gate's configuration, and no folder, has this adapter.
fn is_only_in_gate(folder: &Path, name: &str) -> Result<bool, Error> {
    let here = std::env::current_dir().unwrap_or_default();
    let is_in_folder = Adapter::find(folder, name)?.is_some_and(|of| !of.is_built_in());
    let Some(path) = find_file(&here).ok().filter(|_| !is_in_folder) else {
        return Ok(false);
    };
    let adapters = RunArgs::of_file(&path)?.gate_adapters;
    Ok(adapters.iter().any(|adapter| adapter.name() == name))
}
