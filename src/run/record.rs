//! Records of results, for the stream.

use super::failure_lines::{element_differences, failure_lines};
use super::history::again_in_order;
use super::participant::Label;
use super::result::TrialResult;
use crate::backend::UnattributedFailures;
use crate::event::shorten::{MAX_MESSAGE, shorten_log, shorten_message};
use crate::event::{
    Answer, DeathRecord, FailureDetail, Line, LineKind, OutcomeRecord, ProcessFailureRecord,
    ResultRecord, TraceStep, TrialRecord, UnattributedRecord,
};
use crate::semantics::oracle;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use crate::suite::trial::Trial;
use crate::verdict::judge::{Failure, Verdict};
use crate::verdict::known_failures::Classification;
use std::sync::Arc;

pub(crate) fn trial_record(label: &Label, result: &TrialResult) -> TrialRecord {
    let trial = &result.trial;
    let reason = result.classification.reason();
    let is_failure = result.verdict.kind().is_red();
    let failed = is_failure.then_some((trial, &result.verdict));
    let has_detail = is_failure || result.kind().is_red();
    let (outcome, unavailable) = (result.outcome.as_ref(), result.unavailable.as_deref());
    TrialRecord {
        trial: trial.to_string(),
        microseconds: u64::try_from(result.duration.as_micros()).unwrap_or(u64::MAX),
        result: Arc::new(ResultRecord {
            backend: label.name.clone(),
            verdict: result.kind(),
            outcome: outcome.map(|outcome| outcome_record(outcome, failed)),
            failure: result.verdict.failure(),
            question: answer(&result.verdict),
            known_failure: reason.map(ToOwned::to_owned),
            known_failure_entry: result.entry.clone().filter(|_| reason.is_some()),
            attempts: result.attempts.clone(),
            unavailable: unavailable.map(shorten_message),
            outside_sample: result.outside_sample.map(|sample| sample.to_string()),
            before: result.before,
        }),
        detail: has_detail.then(|| Box::new(failure_detail(label, result))),
    }
}

/// The answer to an open question; `None` if the text leaves nothing open, or the answer is a failure.
fn answer(verdict: &Verdict) -> Option<Answer> {
    let Verdict::Recorded { question, answer } = verdict else {
        return None;
    };
    let (id, answer) = (question.name().to_owned(), answer.clone());
    Some(Answer { id, answer })
}

fn failure_detail(label: &Label, result: &TrialResult) -> FailureDetail {
    let trial = &result.trial;
    let (_, steps) = oracle::explain(trial.request());
    let trace = steps.into_iter().map(|step| {
        let clauses = trial.operator.clauses_of(step.rule);
        TraceStep {
            clauses: clauses.map(|of| of.to_string()).collect(),
            description: step.description,
            fault: step.fault,
        }
    });
    let mut diff = failure_lines(trial, &result.verdict, result.outcome.as_ref());
    if result.classification == Classification::Stateful {
        let text = "fails after other trials, passes alone".to_owned();
        let kind = LineKind::Text;
        diff.push(Line { kind, text });
    }
    FailureDetail {
        size: trial.size(),
        diff,
        trace: trace.collect(),
        again: format!(
            "reshape-conformance run{} --exact '{trial}'",
            label.arguments
        ),
    }
}

/// The record of the failures that belong to no trial; `None` without such failures. `arguments` make `run` take the
/// backend; `None` if such a command would not run the trials, or in another order.
pub(crate) fn unattributed_record(
    arguments: Option<&str>,
    unattributed: &UnattributedFailures,
) -> Option<UnattributedRecord> {
    let last = unattributed.deaths().last().or(unattributed.all().last())?;
    let deaths = unattributed.all().iter().map(|of| DeathRecord {
        times: of.times,
        message: shorten_message(&of.last.what),
        did_not_start: of.did_not_start,
        doing: of.doing.clone(),
        received: of.calls.len(),
        trials: of.trials.clone(),
        again: arguments
            .filter(|_| !of.trials.is_empty())
            .map(|arguments| again_in_order(arguments, &of.trials)),
    });
    Some(UnattributedRecord {
        times: unattributed.deaths().map(|of| of.times).sum(),
        last: process_failure_record(&last.last),
        deaths: deaths.collect(),
    })
}

/// The record of an outcome. If the trial failed, it holds what diagnosis needs to know about the elements.
pub(crate) fn outcome_record(
    outcome: &Outcome,
    failed: Option<(&Trial, &Verdict)>,
) -> OutcomeRecord {
    let is_failure = failed.is_some();
    match outcome {
        Outcome::Reshaped {
            output, inferred, ..
        } => OutcomeRecord::Reshaped {
            shape: output.shape().to_vec(),
            inferred: inferred.clone(),
            element_type: is_failure.then(|| output.element_type().name().to_owned()),
            content: is_failure.then(|| format!("{:016x}", output.content_hash())),
            elements: match failed {
                Some((trial, Verdict::Failed(Failure::WrongContent(output)))) => {
                    element_differences(trial, output)
                }
                Some(_) | None => Vec::new(),
            },
            without_elements: false,
        },
        Outcome::Claimed {
            element_type,
            shape,
        } => OutcomeRecord::Reshaped {
            shape: shape.clone(),
            inferred: None,
            element_type: is_failure.then(|| element_type.name().to_owned()),
            content: None,
            elements: Vec::new(),
            without_elements: true,
        },
        Outcome::Inferred(inferred) => OutcomeRecord::Inferred {
            inferred: inferred.clone(),
        },
        Outcome::Rejected {
            phase,
            message,
            internal,
        } => OutcomeRecord::Rejected {
            phase: *phase,
            message: shorten_message(message),
            internal: *internal,
        },
        Outcome::ChangedEarlier(own) => outcome_record(own, failed),
        Outcome::WrongConcurrentRun(run) => outcome_record(&run.outcome, failed),
        Outcome::Unsupported(message) => OutcomeRecord::Unsupported {
            message: shorten_message(message),
        },
        Outcome::Crashed(of) => OutcomeRecord::Crashed(process_failure_record(of)),
        Outcome::TimedOut(of) => OutcomeRecord::TimedOut(process_failure_record(of)),
        Outcome::OutOfMemory(of) => OutcomeRecord::OutOfMemory(process_failure_record(of)),
        Outcome::ProtocolError(of) => OutcomeRecord::ProtocolError(process_failure_record(of)),
    }
}

fn process_failure_record(failure: &ProcessFailure) -> ProcessFailureRecord {
    ProcessFailureRecord {
        message: shorten_message(&failure.what),
        log: shorten_log(&failure.log, MAX_MESSAGE).into_owned(),
    }
}
