//! The verdict of a trial, and the details of a failure that reports show.

use super::failure::{FailureKind, Severity};
use super::outcome::OutcomeRecord;
use super::place::EntryRecord;
use super::verdict::VerdictKind;
use crate::names::named_enum;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// A trial has its verdict. A run holds a million of these, so what many have in common is held once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = add_name_parts))]
pub(crate) struct TrialRecord {
    /// The trial's name: case/operator/element type/binding, and +surrounding if it has one.
    pub trial: String,
    /// The time since the previous answer of the same worker, in microseconds; 0 if it did not run.
    pub microseconds: u64,
    /// Everything else but the details of a failure.
    #[serde(flatten)]
    pub result: Arc<ResultRecord>,
    /// The details of a failure, known or not.
    #[serde(rename = "story", default)]
    pub detail: Option<Box<FailureDetail>>,
}

/// The part of a trial's record that equals that of many others.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ResultRecord {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// The kind of its verdict.
    pub verdict: VerdictKind,
    /// The outcome; `None` if the backend was not asked.
    #[serde(default)]
    pub outcome: Option<OutcomeRecord>,
    /// How it differs from the text, if it is a failure, known or not.
    #[serde(default)]
    pub failure: Option<FailureKind>,
    /// The question that the text leaves open, and the backend's answer.
    #[serde(default)]
    pub question: Option<Answer>,
    /// The reason of the known failure that matches it.
    #[serde(default)]
    pub known_failure: Option<String>,
    /// The entry of that known failure.
    #[serde(default)]
    pub known_failure_entry: Option<EntryRecord>,
    /// The verdict of each attempt, if it ran again.
    #[serde(default)]
    pub attempts: Vec<VerdictKind>,
    /// Why this machine cannot run it, if it was skipped for that.
    #[serde(default)]
    pub unavailable: Option<String>,
    /// The sample of the adapter's manifest, such as 1/16, if it was skipped because the sample leaves it out.
    #[serde(default)]
    pub outside_sample: Option<String>,
    /// Its verdict in the baseline, if that is another one.
    #[serde(default)]
    pub before: Option<VerdictKind>,
}

impl Deref for TrialRecord {
    type Target = ResultRecord;

    fn deref(&self) -> &ResultRecord {
        &self.result
    }
}

/// The parts of a trial's name, as the stream has them too, and what each is.
const NAME_PARTS: [(&str, &str); 4] = [
    ("case", "The case."),
    ("operator", "The operator."),
    ("element_type", "The element type."),
    (
        "binding",
        "The binding, and +surrounding if the trial has one.",
    ),
];

#[cfg(test)]
fn add_name_parts(schema: &mut schemars::Schema) {
    let parts = NAME_PARTS.map(|(name, description)| {
        let schema = serde_json::json!({"description": description, "type": "string"});
        (name, schema)
    });
    let object = schema.ensure_object();
    if let Some(properties) = object["properties"].as_object_mut() {
        properties.extend(parts.clone().map(|(name, part)| (name.to_owned(), part)));
    }
    if let Some(required) = object["required"].as_array_mut() {
        required.extend(parts.map(|(name, _)| name.into()));
    }
}

impl Serialize for TrialRecord {
    /// The fields of the record, and after its name the parts of that.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("backend", &self.backend)?;
        map.serialize_entry("trial", &self.trial)?;
        for ((name, _), part) in NAME_PARTS.iter().zip(self.name_parts()) {
            map.serialize_entry(name, part)?;
        }
        map.serialize_entry("verdict", &self.verdict)?;
        map.serialize_entry("microseconds", &self.microseconds)?;
        let mut entry = Optional(&mut map);
        entry.add("outcome", self.outcome.as_ref())?;
        entry.add("failure", self.failure.as_ref())?;
        entry.add("question", self.question.as_ref())?;
        entry.add("known_failure", self.known_failure.as_ref())?;
        entry.add("known_failure_entry", self.known_failure_entry.as_ref())?;
        let attempts = Some(&self.attempts).filter(|attempts| !attempts.is_empty());
        entry.add("attempts", attempts)?;
        entry.add("unavailable", self.unavailable.as_ref())?;
        entry.add("outside_sample", self.outside_sample.as_ref())?;
        entry.add("before", self.before.as_ref())?;
        entry.add("story", self.detail.as_ref())?;
        map.end()
    }
}

/// Adds the fields that are there to a map.
struct Optional<'a, M>(&'a mut M);

impl<M: SerializeMap> Optional<'_, M> {
    fn add<T: Serialize>(&mut self, name: &str, value: Option<T>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.0.serialize_entry(name, &value))
    }
}

impl TrialRecord {
    /// Case, operator, element type, and the binding with its surrounding; empty if the name lacks a part.
    fn name_parts(&self) -> [&str; 4] {
        let mut parts = self.trial.rsplitn(4, '/');
        let mut part = || parts.next().unwrap_or_default();
        let (binding, element_type, operator, case) = (part(), part(), part(), part());
        [case, operator, element_type, binding]
    }

    /// The case.
    pub(crate) fn case(&self) -> &str {
        self.name_parts()[0]
    }

    /// The operator.
    pub(crate) fn operator(&self) -> &str {
        self.name_parts()[1]
    }

    /// The element type.
    pub(crate) fn element_type(&self) -> &str {
        self.name_parts()[2]
    }

    /// The binding, and +surrounding if the trial has one.
    pub(crate) fn binding(&self) -> &str {
        self.name_parts()[3]
    }

    /// Whether the backend does not claim it, on any machine.
    pub(crate) fn is_declined(&self) -> bool {
        self.verdict == VerdictKind::Skipped
            && self.outside_sample.is_none()
            && self.unavailable.is_none()
    }

    /// The backend's message, if it passed by accident: it rejected by an internal error instead of a check.
    pub(crate) fn accident(&self) -> Option<&str> {
        let Some(OutcomeRecord::Rejected {
            message,
            internal: true,
            ..
        }) = &self.outcome
        else {
            return None;
        };
        let is_judged = self.failure.is_none() && self.question.is_none();
        is_judged.then_some(message)
    }

    /// The verdict by the text alone, without known failures.
    pub(crate) fn judged(&self) -> VerdictKind {
        match (self.outcome.as_ref(), &self.failure, &self.question) {
            (_, Some(_), _) => VerdictKind::Failed,
            (_, _, Some(_)) => VerdictKind::Recorded,
            (None, ..) => VerdictKind::Skipped,
            (Some(OutcomeRecord::Crashed(_)), ..) => VerdictKind::Crashed,
            (Some(OutcomeRecord::TimedOut(_)), ..) => VerdictKind::TimedOut,
            (Some(OutcomeRecord::OutOfMemory(_)), ..) => VerdictKind::OutOfMemory,
            (Some(OutcomeRecord::ProtocolError(_)), ..) => VerdictKind::ProtocolError,
            // It declined, or nothing shows what the trial asks.
            _ if self.verdict == VerdictKind::Skipped => VerdictKind::Skipped,
            (
                Some(
                    OutcomeRecord::Reshaped { .. }
                    | OutcomeRecord::Inferred { .. }
                    | OutcomeRecord::Rejected { .. }
                    | OutcomeRecord::Unsupported { .. },
                ),
                ..,
            ) => VerdictKind::Passed,
        }
    }

    /// Whether it differs from the text, known or not. A trial that is not run because it does harm does not count as a
    /// pass.
    pub(crate) fn deviates(&self) -> bool {
        self.judged().is_red() || self.verdict == VerdictKind::Quarantined
    }

    /// The order of failures: the smallest first, then by name; those without details come last.
    pub(crate) fn by_size(&self) -> ((usize, u64), &str) {
        let size = self.detail.as_ref().map(|detail| detail.size);
        (size.unwrap_or((usize::MAX, u64::MAX)), &self.trial)
    }

    /// Leaves out what takes much memory: its details, and the backend's words.
    pub(super) fn drop_details(&mut self) {
        self.detail = None;
        if let Some(outcome) = &mut Arc::make_mut(&mut self.result).outcome {
            outcome.drop_words();
        }
    }

    /// The command that runs a failure again; `None` if it did not fail.
    pub(crate) fn again(&self) -> Option<&str> {
        Some(&self.detail.as_ref()?.again)
    }

    /// The severity of its failure, known or not; `None` if it did not fail, or if its adapter is at fault. A known
    /// failure can state it. For a failure that ends a process, it can only state that memory is harmed, or that Reshape is
    /// not at fault. Only what ends or hangs a process is quarantined.
    pub(crate) fn severity(&self) -> Option<Severity> {
        let shown = match self.failure {
            _ if self.ends_or_hangs() => Severity::Crash,
            failure => failure?.severity()?,
        };
        let entry = self.known_failure_entry.as_ref();
        let stated = entry.and_then(|entry| entry.severity);
        let ends = [VerdictKind::Crashed, VerdictKind::OutOfMemory].contains(&self.judged());
        let holds =
            |of: &Severity| !ends || matches!(of, Severity::Memory | Severity::BesideReshape);
        Some(stated.filter(holds).unwrap_or(shown))
    }

    /// The kinds of deviation that it shows: its severity, and for harm to memory also what its failure shows.
    pub(crate) fn severities(&self) -> impl Iterator<Item = Severity> {
        let severity = self.severity();
        let harms = severity == Some(Severity::Memory) && !self.ends_or_hangs();
        let shown = self.failure.filter(|_| harms);
        let shown = shown.and_then(FailureKind::severity);
        severity.into_iter().chain(shown)
    }

    /// Whether its process ended or did not answer in time, or it is not run for that reason.
    pub(crate) fn ends_or_hangs(&self) -> bool {
        use VerdictKind::{Crashed, OutOfMemory, Quarantined, TimedOut};
        matches!(self.judged(), Crashed | TimedOut | OutOfMemory) || self.verdict == Quarantined
    }
}

records! {
    /// The answer to an open question.
    #[derive(Hash)]
    pub(crate) struct Answer {
        /// The question.
        pub id: String,
        /// `rejected`, or the shape.
        pub answer: String,
    }

    /// The details of a failure.
    pub(crate) struct FailureDetail {
        /// The number of dims of data and target together, and of the data's elements. Small trials explain a failure best.
        pub size: (usize, u64),
        /// The expected and the actual result, line by line.
        pub diff: Vec<Line>,
        /// The oracle's steps to the expectation.
        pub trace: Vec<TraceStep>,
        /// The command that reruns it.
        pub again: String,
    }

    /// A line of a diff.
    pub(crate) struct Line {
        /// The kind of the line.
        pub kind: LineKind,
        /// The text, without a line's end.
        pub text: String,
    }

    /// A step of the oracle.
    pub(crate) struct TraceStep {
        /// The finding of the step, in a sentence.
        #[serde(rename = "says")]
        pub description: String,
        /// Whether it is a fault of the request.
        pub fault: bool = "std::ops::Not::not",
        /// The ids of the clauses it rests on.
        pub clauses: Vec<String>,
    }
}

named_enum! {
    /// Kinds of a diff's lines.
    pub(crate) enum LineKind, "kind of line" {
        /// A remark.
        Text = "text",
        /// What the text requires.
        Expected = "expected",
        /// What the backend did.
        Got = "got",
        /// A mark under the part of the line above that differs.
        Mark = "mark",
        /// An element that is on both sides.
        Same = "same",
        /// A missing element.
        Minus = "minus",
        /// An extra element.
        Plus = "plus",
        /// A line of the backend's log.
        Log = "log",
    }
}

/// A multiset of trial names, of which only the count and a hash are kept. The order does not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TrialSet {
    /// The number of names.
    pub(crate) count: usize,
    /// The sum of their hashes, modulo 2^128.
    sum: u128,
}

impl TrialSet {
    /// Adds a name.
    pub(crate) fn add(&mut self, trial: &str) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(xxh3_128(trial.as_bytes()));
    }

    /// The sum as 32 hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        format!("{:032x}", self.sum)
    }
}

impl<S: AsRef<str>> FromIterator<S> for TrialSet {
    fn from_iter<I: IntoIterator<Item = S>>(trials: I) -> Self {
        let mut set = Self::default();
        trials.into_iter().for_each(|trial| set.add(trial.as_ref()));
        set
    }
}
