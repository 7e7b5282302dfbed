//! `known-failures update`: brings an adapter's file of known failures up to date.

use super::exit_code;
use super::output_file::{lock, write};
use super::participants::{process, read_known_failures};
use super::selection::selection;
use super::update_target::{Target, TargetArgs};
use crate::error::{Error, Source};
use crate::event::{Event, FailureKind, Reporter, TrialRecord, VerdictKind};
use crate::report::number::counted;
use crate::report::progress::Progress;
use crate::report::style::out;
use crate::run;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::verdict::known_failures::{Addition, Comparison, KnownFailures, update};
use clap::{Args, Subcommand};
use std::fs::File;

/// New failures named when there is no reason for them.
const MOST_NAMES: usize = 20;

#[derive(Debug, Args)]
pub(super) struct KnownFailuresArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an adapter and rewrite its file of known failures
    ///
    /// Lines that no longer apply are dropped. New failures are written only with a reason; patterns select which of them
    /// it explains. Comments, reasons and the order stay.
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
struct UpdateArgs {
    /// Explain only the new failures whose names contain one of these, or match it as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Why they fail, in a sentence
    #[arg(long, value_name = "SENTENCE")]
    reason: Option<String>,
    /// Where it is reported
    #[arg(long, value_name = "URL", requires = "reason")]
    link: Option<String>,
    /// Explain only the new failures of this kind, such as wrong-shape or not-rejected
    #[arg(long, value_name = "FAILURE", value_parser = clap::builder::PossibleValuesParser::new(FailureKind::ALL.iter().map(|kind| kind.name())))]
    failure: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(arguments: &KnownFailuresArgs) -> Result<u8, Error> {
    let Command::Update(arguments) = &arguments.command;
    let chosen = selection(&arguments.patterns, false, &[])?;
    let target = Target::new(&arguments.target)?;
    let path = target.file.clone();
    let known = read_known_failures(&path)?;
    let file = File::open(&path).map_err(|why| Error::unreadable(&path, why))?;
    lock(&file, &path)?;
    let matched = known.unmatched();
    let plan = Plan::new(&target.suite, &Selection::default(), None);
    let mut watch = watch(target, &known)?;
    if let Some(died) = &watch.died {
        out(format!(
            "{}: too many deaths; they are entered by hand (docs/known-failures.md#deaths): it {died}",
            path.display()
        ));
    }
    // An entry may speak of trials that the gate does not select.
    for trial in plan.trials_by_name().keys() {
        known.record_match(trial, &watch.version, &matched);
    }
    let left = arguments.explain(&chosen, &mut watch.seen)?;
    let reason = arguments.reason.as_deref();
    let reason = reason.map(|reason| (reason, arguments.link.as_deref()));
    let text = update(&known, &watch.version, &matched, &watch.seen, reason);
    // The new file is read before it replaces the old one.
    let text = text.filter(|text| KnownFailures::read(&Source::new("", text)).is_ok());
    let text = text.ok_or_else(|| {
        let name = path.display();
        Error::Usage(format!(
            "{name}: `update` cannot edit a file in this form; write each entry on lines of its own, as docs/known-failures.md \
             shows, then run it again"
        ))
    })?;
    // A lock keeps out other updates, but no editor.
    if read_known_failures(&path)?.source != known.source {
        let name = path.display();
        let why = format!(
            "{name} has changed since it was read, and stays as it is now; run `update` again"
        );
        return Err(Error::Usage(why));
    }
    write(&path, &text)?;
    let dropped = match known.stale(&watch.version, &matched, &[]).len() {
        0 => String::new(),
        of => format!(", {} without a trial dropped", counted(of, "pattern")),
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
            what: format!("did not run, so the file stays as it is: {what}"),
        }),
        None => Ok(watch),
    }
}

impl UpdateArgs {
    /// Keeps the new failures that the reason explains, and gives the number of the others.
    fn explain(&self, chosen: &Selection, seen: &mut Comparison) -> Result<usize, Error> {
        let new = std::mem::take(&mut seen.additions);
        let (additions, left): (Vec<_>, Vec<_>) = new.into_iter().partition(|addition| {
            let kind = self.failure.as_deref();
            kind.is_none_or(|kind| addition.failure.map(FailureKind::name) == Some(kind))
                && chosen.takes_name(&addition.trial)
        });
        if self.reason.is_none() && !additions.is_empty() {
            for addition in additions.iter().take(MOST_NAMES) {
                out(format!("  {}", addition.trial));
            }
            if let more @ 1.. = additions.len().saturating_sub(MOST_NAMES) {
                out(format!("  and {more} more"));
            }
            return Err(Error::Usage(format!(
                "{} new failures, and no reason for them; look at them with `run`, and give a --reason",
                additions.len()
            )));
        }
        let names = left.iter().map(|addition| addition.trial.clone());
        seen.others.extend(names);
        seen.additions = additions;
        Ok(left.len())
    }
}

/// What of a run concerns known failures.
#[derive(Default)]
struct Watch {
    /// The adapter's version.
    version: String,
    seen: Comparison,
    progress: Option<Progress>,
    /// Why it did not run; `None` if it did.
    not_run: Option<String>,
    /// What went wrong where no trial can be blamed; `None` if no more did than is known.
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
        self.progress.get_or_insert_with(Progress::new).event(event);
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
