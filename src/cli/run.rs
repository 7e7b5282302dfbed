//! `run`: the suite on backends.

use super::environment::{bazel_junit, bazel_shard, job};
use super::exit_code;
use super::gate::{Gate, gate_arguments};
use super::interrupt::{stop_after, stop_at_end_of_input, stop_on_ctrl_c};
use super::reports::Reports;
use super::run_args::RunArgs;
use super::selection::selection;
use super::streams::{read_run, read_unless_stopped};
use crate::error::{Error, as_started};
use crate::event::stream::Stream;
use crate::event::{BackendStarted, Event, Note, Reporter, RunStopped, TrialRecord};
use crate::report::progress::Progress;
use crate::report::style::{err, out, tame};
use crate::report::totals::slow_start;
use crate::run::core::core_of;
use crate::run::{self, Participant, RunOptions, Tally};
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use clap::{ArgMatches, FromArgMatches};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs the suite. `matches` are the parsed arguments; `None` without arguments.
pub(super) fn run(mut arguments: RunArgs, matches: Option<&ArgMatches>) -> Result<u8, Error> {
    let stop = stop_on_ctrl_c();
    // If its configuration has a fault, write the known reports anyway.
    let gate = match matches.filter(|_| arguments.gate) {
        Some(matches) => {
            let replace = |config: &mut RunArgs| drop(config.update_from_arg_matches(matches));
            Gate::read(&mut arguments, replace).map(Some)
        }
        None => Ok(None),
    };
    arguments.stop = stop;
    let again = gate_arguments(&arguments);
    let time_limit = arguments.time_limit;
    let is_over = Arc::new(AtomicBool::new(false));
    arguments.reports.junit = arguments.reports.junit.or_else(bazel_junit);
    let (progress, text) = (Progress::default(), arguments.verbosity.text());
    let read = arguments.inputs();
    let mut reports = Reports::open(&arguments.reports, &read, Some(progress), Some(text));
    // However the run ends, write every report, which shows what is missing.
    let mut baseline = None;
    let ended = Error::catch("the run", || {
        if let Some(limit) = arguments.time_limit {
            stop_after(limit.0, &arguments.stop, &is_over)?;
        }
        if arguments.until_eof {
            stop_at_end_of_input(&arguments.stop)?;
        }
        run_suite(&arguments, gate, &mut baseline, &mut reports)
    });
    let error = match &ended {
        Ok(tally) if tally.cut_short => Some(match time_limit {
            Some(limit) if is_over.load(Ordering::Acquire) => {
                format!("the time limit of {} s ended it", limit.0.as_secs_f64())
            }
            _ => "interrupted".to_owned(),
        }),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    if let Some(message) = &error {
        let stopped = Event::RunStopped(RunStopped {
            message: message.clone(),
        });
        // A report that panicked may panic again.
        let _ = Error::catch("a report", || {
            reports.event(&stopped);
            Ok(())
        });
    }
    let unwritten = reports.finish(baseline.as_ref());
    if let (Ok(tally), None, true) = (&ended, &error, arguments.gate) {
        exit_code::print_why(tally, reports.findings, baseline.is_some());
    }
    let code = match (ended, error) {
        (Ok(tally), Some(why)) => {
            let (trials, events) = (tally.counts.total(), reports.events.as_deref());
            exit_code::after_error(&stopped(&why, trials, events, &again))
        }
        (Ok(tally), None) => exit_code::of_run(&tally, baseline.is_some()),
        (Err(error), _) => exit_code::after_error(&error),
    };
    Ok(exit_code::after_writing(code, &unwritten))
}

/// Reads the suite, and runs it. `baseline` is for the reports.
fn run_suite(
    arguments: &RunArgs,
    gate: Result<Option<Gate>, Error>,
    baseline: &mut Option<Stream>,
    reports: &mut Reports,
) -> Result<Tally, Error> {
    let stop = &arguments.stop;
    let resume = read_unless_stopped(arguments.resume.as_ref(), stop, read_run)?;
    reports.open_events(resume.as_ref())?;
    let gate = gate?;
    *baseline = read_unless_stopped(arguments.baseline.as_ref(), stop, read_run)?;
    let mut selection = selection(&arguments.patterns, arguments.exact, &arguments.operator)?;
    let suite = arguments.suite.load()?;
    selection.core = core_of(&suite, arguments.core == Some(true))?;
    (selection.seed, selection.judged) = (arguments.shuffle, arguments.judged());
    let (mut participants, not_available) = match &gate {
        Some(gate) => (gate.participants(arguments)?, Vec::new()),
        None => arguments.participants()?,
    };
    if arguments.suite.cases.is_empty() && baseline.is_none() {
        check_patterns(&suite, &participants)?;
    }
    // The commands that rerun a failure take it from the same cases, with the same limit for data.
    for participant in &mut participants {
        participant.label.arguments += &arguments.suite.option();
        participant.label.arguments += &arguments.limits();
    }
    reports.not_available = not_available;
    let options = RunOptions {
        partition: match &arguments.partition {
            Some(partition) => Some(partition.partition()?),
            None => bazel_shard()?,
        },
        baseline: baseline.as_ref(),
        resume: resume.as_ref(),
        config: gate.as_ref().map(Gate::file),
        job: job(),
        ..arguments.options()?
    };
    let mut compared = Compared {
        baseline: baseline.as_ref(),
        reports,
        is_red: false,
        is_long: arguments.patterns.is_empty() && arguments.suite.cases.is_empty(),
        changed: Vec::new(),
    };
    let tally = run::run(&suite, &selection, &participants, &options, &mut compared)?;
    if let changed @ [first, ..] = &compared.changed[..] {
        let count = changed.len();
        out(format!(
            "changed answers to open questions, which are not red: {count}, such as {first}"
        ));
    }
    Ok(tally)
}

/// Fails if a pattern of known failures, in an entry for every version, matches no trial of the suite, selected or not.
fn check_patterns(suite: &Suite, participants: &[Participant]) -> Result<(), Error> {
    let cases: Vec<_> = suite.cases().iter().map(|of| of.name.as_str()).collect();
    let known = participants.iter().flat_map(|of| &of.known_failures);
    let stale = known.flat_map(|known| {
        let plan = Plan::new(suite, &Selection::default(), None);
        let known = known.of_version("");
        let names = plan.trials().map(ToString::to_string);
        names.for_each(|name| known.record_match(&name));
        known.stale(&cases)
    });
    Error::if_any(stale.collect())
}

/// The error of a run that stopped: the reason, the number of trials that ran, and the command that resumes it. `gate`
/// are the arguments that name the gate, if there is one.
fn stopped(why: &str, trials: usize, events: Option<&Path>, gate: &str) -> Error {
    let again = match events {
        Some(path) => {
            let (run, path) = (as_started("reshape-conformance run"), path.display());
            format!("`{run}{gate} --resume {path}`, with the same other arguments, resumes it")
        }
        None => "use --events FILE to be able to resume a run".to_owned(),
    };
    Error::Incomplete(format!("{why}; stopped after {trials} trials; {again}"))
}

/// The reports of a run. Before the reports get an event, a line on standard error describes a difference of the
/// baseline, and names the first red trial of each backend, which the reports explain only at the end.
pub(super) struct Compared<'a> {
    pub(super) baseline: Option<&'a Stream>,
    pub(super) reports: &'a mut Reports,
    /// Whether a trial of the backend that runs is red.
    pub(super) is_red: bool,
    /// Whether it asks enough that its reports come late.
    pub(super) is_long: bool,
    /// The trials whose answer to an open question changed since the baseline, each with both answers.
    pub(super) changed: Vec<String>,
}

impl Reporter for Compared<'_> {
    fn event(&mut self, event: &Event) {
        let warn = |warning| err(format!("warning: {warning}"));
        if let Event::RunStarted(run) = event {
            let other = self.baseline.filter(|of| !of.run.is_same_suite(run));
            let warning = other.map(|of| {
                let (path, before, now) = (of.path.display(), of.run.suite(), run.suite());
                format!("the baseline {path} is of suite {before}, but this run is of suite {now}")
            });
            warning.into_iter().for_each(warn);
        } else if let Event::BackendStarted(started) = event {
            let warning = self.baseline.and_then(|of| other_backend(of, started));
            warning.into_iter().for_each(warn);
            self.is_red = !self.is_long;
        } else if let Event::Trial(trial) = event {
            if trial.verdict.is_red() && !std::mem::replace(&mut self.is_red, true) {
                let (backend, kind) = (tame(&trial.backend), trial.verdict.name());
                let name = &trial.trial;
                err(format!("{backend}: the first red trial: {name} {kind}"));
            }
            self.changed.extend(changed_answer(self.baseline, trial));
        }
        self.reports.event(event);
    }

    fn note(&mut self, note: Note<'_>) {
        if let Note::StartedIn(backend, time) = note
            && let Some(slow) = slow_start(time)
        {
            err(format!("{}: {slow}", tame(backend)));
        }
        self.reports.note(note);
    }
}

/// A trial whose answer to an open question changed since the baseline, with both answers; `None` for any other.
fn changed_answer(baseline: Option<&Stream>, trial: &TrialRecord) -> Option<String> {
    let was = baseline?.trial(&trial.backend, &trial.trial)?;
    let was = &was.question.as_ref()?.answer;
    let now = &trial.question.as_ref()?.answer;
    (was != now).then(|| format!("{}: {now}, before {was}", trial.trial))
}

fn other_backend(baseline: &Stream, now: &BackendStarted) -> Option<String> {
    let (path, backend) = (baseline.path.display(), &now.backend);
    let Some(records) = baseline.backend(backend) else {
        let names = baseline.run.backends.join(", ");
        return Some(format!(
            "the baseline {path} is of {names}, without '{backend}', which is judged as without a baseline"
        ));
    };
    let before = &records.started;
    if (&before.name, &before.version) == (&now.name, &now.version) {
        return None;
    }
    Some(format!(
        "the baseline {path} is of {} {}, but '{backend}' is now {} {}",
        before.name, before.version, now.name, now.version
    ))
}
