//! `known-failures update`: the file of an adapter, brought up to date with what it does now.

use super::SuiteArgs;
use crate::backend::{Adapter, ProcessBackend, find_adapters_folder};
use crate::error::{Error, Source};
use crate::event::VerdictKind;
use crate::event::{Event, Reporter};
use crate::report::progress::Progress;
use crate::report::style::out;
use crate::run::{self, Label, Participant, RunOptions};
use crate::suite::selection::Selection;
use crate::verdict::judge::Failure;
use crate::verdict::known_failures::{Addition, KnownFailures, Seen, update};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(super) struct KnownFailuresArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an adapter and rewrite its known-failures.yaml
    ///
    /// Lines that hold no more are dropped. New failures are written only with a reason; patterns choose which of them
    /// the reason explains. Comments, reasons and order stay.
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
struct UpdateArgs {
    /// Explain only the new failures whose names hold one of these, or match it as a glob
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The adapter
    #[arg(long, value_name = "NAME")]
    adapter: String,
    /// Why they fail, in a sentence
    #[arg(long, value_name = "SENTENCE")]
    reason: Option<String>,
    /// Where it is reported
    #[arg(long, value_name = "URL", requires = "reason")]
    link: Option<String>,
    /// Explain only the new failures of this kind, such as wrong-shape or not-rejected
    #[arg(long, value_name = "FAILURE", value_parser = clap::builder::PossibleValuesParser::new(crate::verdict::judge::Failure::NAMES))]
    failure: Option<String>,
    /// Where the adapters are [default: the nearest folder `adapters` from here upward]
    #[arg(long, value_name = "FOLDER")]
    adapters: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn run(arguments: &KnownFailuresArgs) -> Result<u8, Error> {
    let Command::Update(arguments) = &arguments.command;
    let suite = arguments.suite.load()?;
    let chosen = super::run::selection(&arguments.patterns, false, &[])?;
    let folder = arguments
        .adapters
        .clone()
        .unwrap_or_else(find_adapters_folder);
    let adapter = Adapter::read(&folder, &arguments.adapter)?;
    let path = adapter.known_failures_path();
    let known = match path.exists() {
        true => super::run::known_failures(&path)?,
        false => KnownFailures::read(&Source::new(&path.to_string_lossy(), ""))?,
    };
    let options = adapter.options(Duration::from_secs(30))?;
    let start = Box::new(move || Ok(Box::new(ProcessBackend::start(options.clone())?) as Box<_>));
    let label = Label {
        name: adapter.name.as_str().into(),
        arguments: String::new(),
    };
    let participant = Participant {
        label,
        known_failures: Some(known.clone()),
        start,
    };
    let mut watch = Watch::default();
    let orders = RunOptions {
        jobs: super::run::cores(),
        ..RunOptions::default()
    };
    run::run(
        &suite,
        &Selection::default(),
        &[participant],
        &orders,
        &mut watch,
    )?;

    let met = known.unmatched();
    for trial in &watch.all {
        known.meet(trial, &watch.version, &met);
    }
    let mut seen = watch.seen;
    let new = std::mem::take(&mut seen.additions);
    let (additions, left): (Vec<_>, Vec<_>) = new.into_iter().partition(|addition| {
        let kind = arguments
            .failure
            .as_deref()
            .is_none_or(|only| addition.failure == Some(only));
        kind && chosen.takes_name(&addition.trial)
    });
    if arguments.reason.is_none() && !additions.is_empty() {
        additions
            .iter()
            .take(20)
            .for_each(|addition| out(format!("  {}", addition.trial)));
        let message = format!(
            "{} new failures, and no reason for them; read them with `run`, and say --reason",
            additions.len()
        );
        return Err(Error::Usage(message));
    }
    seen.others
        .extend(left.iter().map(|addition| addition.trial.clone()));
    seen.additions = additions;
    let reason = arguments
        .reason
        .as_deref()
        .map(|reason| (reason, arguments.link.as_deref()));
    let text = update(&known, &watch.version, &met, &seen, reason);
    KnownFailures::read(&Source::new(&path.to_string_lossy(), &text))?;
    std::fs::write(&path, text).map_err(|why| Error::unwritable(&path, why))?;
    out(format!(
        "{}: {} new failures explained, {} left, {} fixed",
        path.display(),
        seen.additions.len(),
        left.len(),
        seen.fixed.len()
    ));
    Ok(crate::cli::exit_code::AS_EXPECTED)
}

/// What a run tells about known failures.
#[derive(Default)]
struct Watch {
    version: String,
    all: Vec<String>,
    seen: Seen,
    progress: Option<Progress>,
}

impl Reporter for Watch {
    fn event(&mut self, event: &Event) {
        self.progress.get_or_insert_with(Progress::new).event(event);
        match event {
            Event::BackendStarted(started) => self.version = started.version.clone(),
            Event::Trial(trial) => {
                let name = &trial.trial;
                self.all.push(name.clone());
                let changed = trial.verdict.is_red() && trial.known_failure.is_some();
                match trial.verdict {
                    VerdictKind::Known | VerdictKind::Quarantined => {
                        self.seen.known.insert(name.clone());
                    }
                    VerdictKind::Fixed => drop(self.seen.fixed.insert(name.clone())),
                    _ if changed => drop(self.seen.fixed.insert(name.clone())),
                    kind if kind.is_red() || kind == VerdictKind::Skipped => {}
                    _ => drop(self.seen.others.insert(name.clone())),
                }
                if trial.verdict.is_red() {
                    let named = |failure: &String| {
                        Failure::NAMES.iter().find(|name| *name == failure).copied()
                    };
                    let failure = trial.failure.as_ref().and_then(named);
                    self.seen.additions.push(Addition {
                        trial: name.clone(),
                        outcome: trial.judged(),
                        failure,
                    });
                }
            }
            Event::RunStarted(_)
            | Event::Case(_)
            | Event::Finding(_)
            | Event::BackendFinished(_)
            | Event::RunFinished(_)
            | Event::SearchStarted(_)
            | Event::Passed(_)
            | Event::Found(_)
            | Event::SearchFinished(_)
            | Event::Unknown => {}
        }
    }
}
