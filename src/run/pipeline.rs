//! The pipeline: a suite through the participants, as a stream of events. Every selected trial gets exactly one verdict.

use super::classify::check_baseline;
use super::participant::Participant;
use super::participant_run::ParticipantRun;
use super::resume::Resume;
use super::start::{RunOptions, case_records, run_started, vocabulary};
use crate::error::Error;
use crate::event::stream::BackendRecords;
use crate::event::{
    BackendFinished, BackendNotRun, BackendStarted, Counts, Event, NotRun, Note, Reporter,
    RunFinished, VerdictKind,
};
use crate::suite::Suite;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use std::sync::Arc;
use std::time::Instant;

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// All verdicts.
    pub(crate) counts: Counts,
    /// The number of lines of known failures that matched no trial.
    pub(crate) stale: usize,
    /// Whether a backend died where no trial can be blamed and no known failure allows it.
    pub(crate) died: bool,
    /// Why the first backend that did not run did not run; `None` if all ran.
    pub(crate) not_run: Option<NotRun>,
    /// Whether it stopped before every trial had its verdict.
    pub(crate) cut_short: bool,
}

impl Tally {
    /// Adds the recorded end of a backend.
    pub(crate) fn add(&mut self, records: &BackendRecords) {
        self.counts.add(&records.counts());
        self.died |= records.died();
        let finished = records.finished.as_ref();
        self.stale += finished.map_or(0, |finished| finished.stale.len());
    }
}

/// Runs the selected trials through each participant in turn. Fails when no trial is selected, the run to resume is
/// another one, or the baseline shares nothing with this run. A participant that does not start is in the tally, and
/// the others run. Whatever a backend does later is an outcome.
pub(crate) fn run(
    suite: &Suite,
    selection: &Selection,
    participants: &[Participant],
    options: &RunOptions<'_>,
    reporter: &mut dyn Reporter,
) -> Result<Tally, Error> {
    let plan = Plan::new(suite, selection, options.partition).not_empty(suite, selection)?;
    let plan = plan.in_running_order(selection);
    if let Some(stream) = options.baseline {
        check_baseline(stream, &plan, participants)?;
    }
    let started = run_started(suite, selection, &plan, participants, options);
    let cases = case_records(&plan);
    // A stream without a vocabulary is resumed without one.
    let vocabulary = match options.resume {
        Some(resumed) if resumed.lacks_vocabulary() => Vec::new(),
        Some(_) | None => vocabulary(&plan),
    };
    let resumed = |stream| Resume::new(stream, &plan, &started, &vocabulary, &cases);
    let resume = options.resume.map(resumed).transpose()?;
    let begun = Instant::now();
    reporter.event(&Event::RunStarted(started));
    vocabulary.iter().for_each(|event| reporter.event(event));
    for case in cases {
        reporter.event(&Event::Case(case));
    }
    let mut tally = Tally::default();
    for participant in in_order(participants, resume.as_ref()) {
        let name = &participant.label.name;
        if let Some(records) = resume.as_ref().and_then(|resume| resume.finished(name)) {
            records.events().for_each(|event| reporter.event(&event));
            tally.add(records);
            continue;
        }
        let resume = resume.as_ref();
        let finished = run_participant(&plan, selection, participant, options, resume, reporter);
        if options.is_stopped() {
            tally.cut_short = true;
            // A participant that was just starting has no counts.
            if let Ok((finished, _)) = finished {
                tally.counts.add(&finished.counts);
            }
            return Ok(tally);
        }
        let not_run = match finished {
            Ok((finished, given_up)) => {
                tally.counts.add(&finished.counts);
                tally.stale += finished.stale.len();
                // The stream does not contain the end of a stopped backend.
                tally.died |= given_up.is_none() && finished.died();
                if given_up.is_none() {
                    reporter.event(&Event::BackendFinished(finished));
                }
                given_up
            }
            Err(error) => Some(not_run(participant, error)?),
        };
        if let Some(not_run) = not_run {
            tally.not_run = tally.not_run.or(Some(not_run.why));
            reporter.event(&Event::BackendNotRun(not_run));
        }
    }
    some_were_run(&tally, options)?;
    // Without one of its backends the run is incomplete, and can be resumed.
    if tally.not_run.is_none() {
        let counts = tally.counts.clone();
        let took = u64::try_from(begun.elapsed().as_millis()).ok();
        reporter.event(&Event::RunFinished(RunFinished {
            counts,
            milliseconds: took.filter(|_| options.resume.is_none()),
        }));
    }
    Ok(tally)
}

/// An error if no trial ran, because a run without passes is not green. A part of a run may skip all of its own.
fn some_were_run(tally: &Tally, options: &RunOptions<'_>) -> Result<(), Error> {
    let of = |kind| tally.counts.of(kind);
    let (skipped, quarantined) = (of(VerdictKind::Skipped), of(VerdictKind::Quarantined));
    let is_whole = options.partition.is_none() && tally.not_run.is_none();
    match is_whole && skipped + quarantined == tally.counts.total() {
        true => Err(Error::NothingSelected(format!(
            "no trial was run: the backend does not claim {skipped}, and {quarantined} are quarantined"
        ))),
        false => Ok(()),
    }
}

/// The participants in the order of their runs. Those that a resumed run has recorded come first, in its stream's
/// order; among these, the finished ones come first, because new records go after all recorded ones.
fn in_order<'a>(
    participants: &'a [Participant],
    resume: Option<&Resume<'_>>,
) -> Vec<&'a Participant> {
    let mut ordered: Vec<_> = participants.iter().collect();
    if let Some(resume) = resume {
        ordered.sort_by_key(|participant| {
            let name = &participant.label.name;
            (resume.finished(name).is_none(), resume.place(name))
        });
    }
    ordered
}

/// The record of a participant that did not start. Fails with any other error: the run cannot continue.
fn not_run(participant: &Participant, error: Error) -> Result<BackendNotRun, Error> {
    let why = if matches!(error, Error::AdapterStart { .. }) {
        NotRun::DidNotStart
    } else if matches!(error, Error::Protocol { .. }) {
        NotRun::ProtocolError
    } else {
        return Err(error);
    };
    Ok(BackendNotRun {
        backend: Arc::clone(&participant.label.name),
        why,
        message: error.to_string(),
    })
}

/// Starts a participant and runs the plan's trials through it: those that patterns name even outside its sample.
fn run_participant(
    plan: &Plan,
    selection: &Selection,
    participant: &Participant,
    options: &RunOptions<'_>,
    resume: Option<&Resume<'_>>,
    reporter: &mut dyn Reporter,
) -> Result<(BackendFinished, Option<BackendNotRun>), Error> {
    let label = &participant.label;
    let begun = Instant::now();
    let first = (participant.start)()?;
    reporter.note(Note::StartedIn(&label.name, begun.elapsed()));
    let mut about = first.about();
    about.supports.most_data = options.most_data;
    if !selection.patterns.is_empty() {
        about.supports.sample = None;
    }
    if let Some(resume) = resume {
        resume.check_backend(&label.name, &about)?;
    }
    let planned = plan.set();
    reporter.event(&Event::BackendStarted(BackendStarted {
        backend: Arc::clone(&label.name),
        name: about.name.clone(),
        version: about.version.clone(),
        trials: planned.count,
        trials_hash: Some(planned.hash()),
        arguments: label.arguments.clone(),
        only_similar: about.supports.only_similar,
        rewrites: about.supports.rewrites,
        config_line: label.config_line,
        about: label.about.clone(),
        tracker: label.tracker.clone(),
        suite: None,
    }));
    let run = ParticipantRun {
        plan,
        selection,
        participant,
        about: &about,
        options,
        resume,
    };
    run.run(first, planned, reporter)
}
