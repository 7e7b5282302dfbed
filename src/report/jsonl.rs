//! The event stream as JSON lines: one object a trial, and one for each start and end.

use crate::event::{Counts, Event, Reporter, TrialResult};
use crate::judge::{Verdict, VerdictKind};
use crate::known_failures::Standing;
use crate::outcome::Outcome;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Writes events as they come.
pub(crate) struct JsonLines<W> {
    output: W,
    /// The first failure to write; nothing is written after it.
    pub fault: Option<std::io::Error>,
}

impl<W: Write> JsonLines<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output, fault: None }
    }

    fn line(&mut self, value: &Value) {
        if self.fault.is_none() {
            self.fault = writeln!(self.output, "{value}").err();
        }
    }
}

impl<W: Write> Reporter for JsonLines<W> {
    fn event(&mut self, event: &Event<'_>) {
        let value = match event {
            Event::RunStarted { cases, trials, backends } => {
                json!({"event": "run-started", "suite_version": env!("CARGO_PKG_VERSION"), "cases": cases, "trials": trials, "backends": backends})
            }
            Event::BackendStarted { label, about, trials } => {
                json!({"event": "backend-started", "backend": label.name, "name": about.name, "version": about.version, "trials": trials})
            }
            Event::Trial { label, result } => trial(&label.name, result),
            Event::Finding { label, finding } => json!({"event": "finding", "backend": label.name, "says": finding.says,
                "mutants": finding.mutants, "only": finding.only, "against": finding.against, "or": finding.or, "trials": finding.trials}),
            Event::BackendFinished { label, counts, .. } => {
                json!({"event": "backend-finished", "backend": label.name, "counts": counted(counts)})
            }
            Event::RunFinished { counts } => json!({"event": "run-finished", "counts": counted(counts)}),
        };
        self.line(&value);
        if matches!(event, Event::RunFinished { .. }) && self.fault.is_none() {
            self.fault = self.output.flush().err();
        }
    }
}

fn counted(counts: &Counts) -> Value {
    let kinds = VerdictKind::ALL.iter().map(|kind| (kind.name().to_owned(), counts.of(*kind).into()));
    Value::Object(kinds.chain([("trials".to_owned(), counts.total().into())]).collect::<Map<_, _>>())
}

fn trial(backend: &str, result: &TrialResult) -> Value {
    let trial = &result.trial;
    let mut value = json!({
        "event": "trial", "backend": backend, "trial": trial.to_string(), "case": trial.case.name,
        "operator": trial.operator, "element_type": trial.element_type, "binding": trial.binding,
        "verdict": result.kind().name(), "microseconds": u64::try_from(result.duration.as_micros()).unwrap_or(u64::MAX),
    });
    if let Some(outcome) = &result.outcome {
        value["outcome"] = outcome_json(outcome);
    }
    match &result.standing {
        Standing::Unknown => {}
        Standing::Known(reason) | Standing::Changed(reason) | Standing::Fixed(reason) | Standing::Quarantined(reason) => {
            value["known_failure"] = json!(reason);
        }
    }
    match &result.verdict {
        Verdict::Failed(failure) => value["failure"] = failure.name().into(),
        Verdict::Recorded { question, answer } => value["question"] = json!({"id": question, "answer": answer}),
        Verdict::Passed
        | Verdict::Skipped
        | Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::OutOfMemory
        | Verdict::ProtocolError => {}
    }
    value
}

fn outcome_json(outcome: &Outcome) -> Value {
    let mut value = json!({"kind": outcome.kind()});
    match outcome {
        Outcome::Reshaped { output, inferred } => {
            value["shape"] = json!(output.shape());
            if let Some(inferred) = inferred {
                value["inferred"] = json!(inferred);
            }
        }
        Outcome::Inferred(shape) => value["inferred"] = json!(shape),
        Outcome::Rejected { phase, message } => {
            value["phase"] = json!(phase);
            value["message"] = json!(message);
        }
        Outcome::Unsupported(message) => value["message"] = json!(message),
        Outcome::Crashed(misfortune)
        | Outcome::TimedOut(misfortune)
        | Outcome::OutOfMemory(misfortune)
        | Outcome::ProtocolError(misfortune) => {
            value["message"] = json!(misfortune.what);
            value["log"] = json!(misfortune.log);
        }
    }
    value
}
