//! The pipeline: a suite through the participants, as a stream of events. Every selected trial gets exactly one verdict.

use super::baseline;
use super::case_record::case_records;
use super::options::RunOptions;
use super::participant::{Label, Participant};
use super::participant_run::ParticipantRun;
use super::resume::Resume;
use super::start::run_started;
use super::vocabulary;
use crate::error::Error;
use crate::event::stream::BackendRecords;
use crate::event::{BackendFinished, BackendStarted, Counts, Event, Reporter, RunFinished};
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use std::sync::Arc;

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// All verdicts.
    pub(crate) counts: Counts,
    /// The number of lines of known failures that matched no trial.
    pub(crate) stale: usize,
    /// Whether it was stopped before every trial had its verdict.
    pub(crate) cut_short: bool,
}

/// Runs the selected trials through each participant in turn.
///
/// # Errors
/// When no trial is selected, a participant does not start, the run to resume is another one, or the baseline has nothing
/// in common with this one. Whatever a backend does
/// later is an outcome.
pub(crate) fn run(
    suite: &Suite,
    selection: &Selection,
    participants: &[Participant],
    options: &RunOptions<'_>,
    reporter: &mut dyn Reporter,
) -> Result<Tally, Error> {
    let plan = Plan::new(suite, selection, options.partition);
    if plan.total() == 0 {
        return Err(Error::NothingSelected(
            "no trial has such a name; `list` shows them (a glob is over the whole name: 'zero*/**')".to_owned(),
        ));
    }
    if let Some(stream) = options.baseline {
        baseline::check(stream, &plan, participants)?;
    }
    let started = run_started(suite, selection, &plan, participants, options);
    let cases = case_records(&plan);
    // A stream without a vocabulary is resumed without one.
    let vocabulary = match options.resume {
        Some(resumed) if resumed.lacks_vocabulary() => Vec::new(),
        Some(_) | None => vocabulary::events(&plan),
    };
    let resume = options
        .resume
        .map(|stream| Resume::new(stream, &plan, &started, &vocabulary, &cases))
        .transpose()?;
    reporter.event(&Event::RunStarted(started));
    vocabulary.iter().for_each(|event| reporter.event(event));
    for case in cases {
        reporter.event(&Event::Case(case));
    }
    let mut tally = Tally::default();
    for participant in participants {
        let name = &participant.label.name;
        if let Some(records) = resume.as_ref().and_then(|resume| resume.finished(name)) {
            replay(records, &mut tally, reporter);
            continue;
        }
        let whole_suite = selection.is_everything();
        let resume = resume.as_ref();
        let finished = run_participant(&plan, whole_suite, participant, options, resume, reporter)?;
        tally.counts.add(&finished.counts);
        tally.stale += finished.stale.len();
        if options.is_stopped() {
            tally.cut_short = true;
            return Ok(tally);
        }
        reporter.event(&Event::BackendFinished(finished));
    }
    reporter.event(&Event::RunFinished(RunFinished {
        counts: tally.counts.clone(),
    }));
    Ok(tally)
}

/// Starts a participant and runs the trials of the plan through it. `is_whole_suite` is as in [`ParticipantRun`].
fn run_participant(
    plan: &Plan,
    is_whole_suite: bool,
    participant: &Participant,
    options: &RunOptions<'_>,
    resume: Option<&Resume<'_>>,
    reporter: &mut dyn Reporter,
) -> Result<BackendFinished, Error> {
    let Label { name, arguments } = &participant.label;
    let first = (participant.start)()?;
    let about = first.about();
    if let Some(resume) = resume {
        resume.check_backend(name, &about)?;
    }
    reporter.event(&Event::BackendStarted(BackendStarted {
        backend: Arc::clone(name),
        name: about.name.clone(),
        version: about.version.clone(),
        trials: plan.count(),
        arguments: arguments.clone(),
    }));
    let run = ParticipantRun {
        plan,
        is_whole_suite,
        participant,
        about: &about,
        options,
        resume,
    };
    Ok(run.run(first, reporter))
}

/// Reports the events of a backend that had finished before the run was resumed.
fn replay(records: &BackendRecords, tally: &mut Tally, reporter: &mut dyn Reporter) {
    records.events().for_each(|event| reporter.event(&event));
    tally.counts.add(&records.counts());
    let finished = records.finished.as_ref();
    tally.stale += finished.map_or(0, |finished| finished.stale.len());
}
