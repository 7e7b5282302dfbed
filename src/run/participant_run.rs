//! The run of one participant.

use super::alone::Examples;
use super::circuit_breaker::CircuitBreaker;
use super::classify::Classifier;
use super::history::History;
use super::participant::{Label, Participant};
use super::record::{trial_record, unattributed_record};
use super::rerun::Rerun;
use super::result::TrialResult;
use super::resume::Resume;
use super::retry::retry;
use super::start::RunOptions;
use super::unclaimed::Unclaimed;
use super::workers::{Report, run_groups};
use crate::backend::{About, Backend, UnattributedFailures};
use crate::error::Error;
use crate::event::{
    AllowedDeaths, BackendDied, BackendFinished, BackendNotRun, Cause, Counts, Event, Finding,
    Note, Place, Reporter, TrialRecord, TrialSet, UnattributedRecord, VerdictKind,
};
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::{Group, Trial};
use crate::verdict::diagnosis::Observations;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct ParticipantRun<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) selection: &'a Selection,
    pub(crate) participant: &'a Participant,
    pub(crate) about: &'a About,
    pub(crate) options: &'a RunOptions<'a>,
    /// The run to resume.
    pub(crate) resume: Option<&'a Resume<'a>>,
}

impl ParticipantRun<'_> {
    /// Runs all trials; `first` is the participant's first instance. Also returns why the backend was stopped.
    pub(crate) fn run(
        &self,
        first: Box<dyn Backend + Send>,
        planned: TrialSet,
        reporter: &mut dyn Reporter,
    ) -> Result<(BackendFinished, Option<BackendNotRun>), Error> {
        let label = &self.participant.label;
        let known = self.participant.known_failures.as_ref();
        let classifier = Classifier {
            known: known.map(|known| known.of_version(&self.about.version)),
            backend: &label.name,
            baseline: self.options.baseline,
            level: self.options.level,
            selection: self.selection,
        };
        let mut results = Results {
            label,
            reporter,
            counts: Counts::default(),
            judged: TrialSet::default(),
            observations: Observations::default(),
            settled: HashSet::new(),
            timeouts: HashSet::new(),
        };
        let mut unclaimed = self.about.supports.claims_nothing.then(Unclaimed::default);
        let done = self.take_recorded(&classifier, unclaimed.as_mut(), &mut results);
        let (mut failed, mut history) = (Vec::new(), History::default());
        let stop = AtomicBool::new(false);
        let mut circuit_breaker = CircuitBreaker::new(self.options.circuit_breaker, &stop);
        let ran = run_groups(
            self.groups(&done, &stop),
            self.participant,
            first,
            self.about,
            (self.options.jobs.max(1), &stop),
            &mut |report| {
                if let Report::Unattributed { failures, .. } = &report
                    && let Some(unattributed) = unattributed_record(self.arguments(), failures)
                {
                    let backend = Arc::clone(&label.name);
                    results.reporter.event(&Event::BackendDied(BackendDied {
                        backend,
                        unattributed,
                    }));
                }
                let Some(result) = circuit_breaker.result_in(report, &label.name) else {
                    return;
                };
                history.add(&result);
                let sorted = match &mut unclaimed {
                    Some(unclaimed) => unclaimed.sort(result),
                    None => Some(result),
                };
                let Some(mut result) = sorted else { return };
                classifier.classify(&mut result);
                circuit_breaker.note(&result);
                if self.options.retries > 0 && result.kind().is_red() && result.outcome.is_some() {
                    failed.push(result);
                    results.reporter.note(Note::WillRunAgain(failed.len()));
                } else {
                    results.add(&result);
                }
            },
        );
        let given_up = circuit_breaker.reason;
        let unclaimed = unclaimed.filter(|_| !self.options.is_stopped());
        for mut result in unclaimed.into_iter().flat_map(Unclaimed::settle) {
            classifier.classify(&mut result);
            results.add(&result);
        }
        if ran.is_err() || given_up.is_some() {
            failed.drain(..).for_each(|result| results.add(&result));
        }
        let mut unattributed = ran?;
        if let Some((why, message)) = given_up {
            results.report_findings_of_part();
            let given_up = BackendNotRun {
                backend: Arc::clone(&label.name),
                why,
                message,
            };
            let finished = self.finished(results.counts, Vec::new(), &unattributed);
            return Ok((finished, Some(given_up)));
        }
        // A resumed run takes over what an interrupt leaves out.
        if !self.options.is_stopped() {
            results.reporter.note(Note::Doing("running failures again"));
            let (rerun, times) = (self.rerun(), self.options.retries);
            let settled = retry(rerun, &history, times, failed, &mut unattributed);
            results.reporter.note(Note::WillRunAgain(0));
            settled.iter().for_each(|result| results.add(result));
        }
        let mut unmatched = Vec::new();
        if !self.options.is_stopped() {
            results.check(planned)?;
            if results.timeouts.len() < ENOUGH_TIMEOUTS {
                results.settled.extend(results.timeouts.drain());
            }
            let examples = Examples {
                rerun: self.rerun(),
                history: &history,
                settled: &results.settled,
                arguments: self.arguments(),
            };
            let causes = examples.causes(&mut results.observations, results.reporter);
            results.report_findings(causes);
            // In a part of the suite an entry may match nothing.
            if self.selection.is_everything() {
                let cases = self.plan.cases.iter();
                let cases: Vec<_> = cases.map(|of| of.case.name.as_str()).collect();
                unmatched = classifier.unmatched(&cases);
                unmatched.extend(self.deaths_that_stayed_away(&results.counts, &unattributed));
            }
        } else {
            // Whoever stops a run does not wait for more of its trials.
            results.report_findings_of_part();
        }
        let finished = self.finished(results.counts, unmatched, &unattributed);
        Ok((finished, None))
    }

    /// Takes over the results of the resumed run, and returns the names of their trials.
    fn take_recorded(
        &self,
        classifier: &Classifier<'_>,
        mut unclaimed: Option<&mut Unclaimed>,
        results: &mut Results<'_>,
    ) -> HashSet<&str> {
        let name = &self.participant.label.name;
        let recorded = self.resume.map(|resume| resume.recorded(name));
        let recorded = recorded.unwrap_or_default();
        for (trial, record) in &recorded {
            classifier.note_match(&record.trial);
            if let Some(unclaimed) = &mut unclaimed {
                unclaimed.note(trial, record);
            }
            results.add_record(trial, (*record).clone());
        }
        for died in self.died_before() {
            results.reporter.event(&Event::BackendDied(died.clone()));
        }
        let recorded = recorded.into_iter();
        recorded.map(|(_, record)| record.trial.as_str()).collect()
    }

    /// The groups of the plan without the finished trials, until the run or the backend is stopped.
    fn groups<'b>(
        &'b self,
        done: &'b HashSet<&str>,
        stop: &'b AtomicBool,
    ) -> impl Iterator<Item = Group> + Send + 'b {
        let stops = [&*self.options.stop, stop];
        let known = self.participant.known_failures.as_ref();
        // A shuffled run keeps its order.
        let known = known.filter(|_| !self.plan.is_shuffled);
        let known = known.map(|known| known.of_version(&self.about.version));
        // Whether a known failure says that a trial ends the process, or hangs.
        let is_ending = move |trial: &Trial| {
            let (name, expectation) = (trial.to_string(), trial.expectation());
            let known = known.as_ref();
            known.is_some_and(|known| known.expects_death(&name, expectation))
        };
        let is_left =
            move |trial: &Trial| done.is_empty() || !done.contains(trial.to_string().as_str());
        // Such a trial comes last, each in a group of its own: the process that another has ended is new, so that nobody
        // else is suspect, and no trial runs again for it. Groups are made on demand, because a copy of a plan is large.
        let (mut groups, mut ending) = (self.plan.groups.iter(), VecDeque::new());
        let groups = std::iter::from_fn(move || {
            for group in groups.by_ref() {
                let mut group = group.clone();
                group.trials.retain(is_left);
                let ends = group.trials.extract_if(.., |of| is_ending(of));
                ending.extend(ends.map(Group::single));
                if !group.trials.is_empty() {
                    return Some(group);
                }
            }
            ending.pop_front()
        });
        groups.take_while(move |_| !stops.iter().any(|stop| stop.load(Ordering::Relaxed)))
    }

    fn rerun(&self) -> Rerun<'_> {
        Rerun {
            participant: self.participant,
            about: self.about,
            jobs: self.options.jobs.max(1),
            stop: &self.options.stop,
            deadline: None,
        }
    }

    /// The arguments that make `run` take the backend; `None` if such a command would run the trials in another order.
    fn arguments(&self) -> Option<&str> {
        Some(self.participant.label.arguments.as_str()).filter(|_| !self.plan.is_shuffled)
    }

    fn finished(
        &self,
        counts: Counts,
        unmatched: Vec<Place>,
        unattributed: &UnattributedFailures,
    ) -> BackendFinished {
        let (stale, unmatched) = match self.options.partition {
            // Other parts may match them.
            Some(_) => (Vec::new(), unmatched),
            None => (unmatched, Vec::new()),
        };
        let memory = self.participant.memory_used.lock().ok();
        BackendFinished {
            backend: Arc::clone(&self.participant.label.name),
            counts,
            stale,
            unmatched,
            memory: memory.and_then(|of| of.clone()),
            unattributed: self.unattributed_record(unattributed),
            allowed_deaths: self.allowed_deaths(),
        }
    }

    /// The places of the known failures whose deaths did not occur; empty if a trial may have been blamed for them.
    fn deaths_that_stayed_away(&self, counts: &Counts, now: &UnattributedFailures) -> Vec<Place> {
        use VerdictKind::{Crashed, Flaky, TimedOut};
        let blamed = [Crashed, TimedOut, Flaky];
        if blamed.iter().any(|kind| counts.of(*kind) > 0) {
            return Vec::new();
        }
        let died = self.unattributed_record(now);
        let occurred = |of: &AllowedDeaths| died.iter().any(|died| of.occurred(died));
        let allowed = self.allowed_deaths().into_iter();
        let stale = allowed.filter(|of| !of.flaky && !occurred(of));
        stale.map(|of| of.place).collect()
    }

    /// The record of its deaths, including those of the resumed run.
    fn unattributed_record(&self, now: &UnattributedFailures) -> Option<UnattributedRecord> {
        let before = self.died_before().iter().map(|died| &died.unattributed);
        UnattributedRecord::of_all(before.chain(&unattributed_record(self.arguments(), now)))
    }

    /// Its deaths in the resumed run.
    fn died_before(&self) -> &[BackendDied] {
        let name = &self.participant.label.name;
        self.resume.map_or(&[], |resume| resume.died(name))
    }

    fn allowed_deaths(&self) -> Vec<AllowedDeaths> {
        let known = self.participant.known_failures.as_ref();
        let known = known.map(|known| known.of_version(&self.about.version));
        known.map_or_else(Vec::new, |known| known.allowed_deaths())
    }
}

/// Counts, diagnoses and reports results.
struct Results<'a> {
    label: &'a Label,
    reporter: &'a mut dyn Reporter,
    counts: Counts,
    /// The trials that have a verdict.
    judged: TrialSet,
    observations: Observations,
    /// The red trials that need not run alone again, because they did.
    settled: HashSet<String>,
    /// The red trials that did not answer in time.
    timeouts: HashSet<String>,
}

/// The minimum number of trials without an answer in time, from which an example runs alone. It may take as long again.
const ENOUGH_TIMEOUTS: usize = 3;

impl Results<'_> {
    fn add(&mut self, result: &TrialResult) {
        self.add_record(&result.trial, trial_record(self.label, result));
    }

    fn add_record(&mut self, trial: &Trial, record: TrialRecord) {
        self.observations.add_record(trial, &record);
        self.counts.count(record.verdict);
        self.judged.add(&record.trial);
        if record.verdict.is_red() && !record.attempts.is_empty() {
            self.settled.insert(record.trial.clone());
        } else if record.verdict == VerdictKind::TimedOut {
            self.timeouts.insert(record.trial.clone());
        }
        self.reporter.event(&Event::Trial(Box::new(record)));
    }

    /// Checks that each trial of the plan has one verdict. Whatever went wrong before, no run loses a trial unnoticed.
    fn check(&self, planned: TrialSet) -> Result<(), Error> {
        let (name, judged) = (&self.label.name, self.judged);
        match judged == planned {
            true => Ok(()),
            false => Err(Error::Internal(format!(
                "'{name}' has {} verdicts, not one for each of its {} trials",
                judged.count, planned.count
            ))),
        }
    }

    /// The findings of a run that ends early. Nothing runs for them.
    fn report_findings_of_part(&mut self) {
        self.observations.ended_early = true;
        let causes = self.observations.causes();
        self.report_findings(causes);
    }

    fn report_findings(&mut self, causes: Vec<Cause>) {
        for cause in causes {
            let backend = Arc::clone(&self.label.name);
            let finding = Finding { backend, cause };
            self.reporter.event(&Event::Finding(finding));
        }
    }
}
