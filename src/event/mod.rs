//! Events: what a run tells its reporters. They know nothing of how it runs.
//!
//! An event is a line of the event stream, and holds all that a report shows of it: a report that is rendered afterwards
//! from the file is the one that was rendered live. The format is described in `docs/events.md`.

mod counts;
pub mod stream;
mod verdict_kind;

pub use counts::Counts;
pub use verdict_kind::VerdictKind;

use crate::error::Fault;
use crate::spec::operator::Level;
use crate::spec::outcome::{Phase, ShapePattern};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version of the stream's format: it changes when a reader of the older one would be misled.
pub const FORMAT: u32 = 1;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The run begins: what is run, where, and which part of it.
    RunStarted(RunStarted),
    /// A case of the suite that the run takes trials of.
    Case(CaseRecord),
    /// A backend has started.
    BackendStarted(BackendStarted),
    /// A trial has its verdict.
    Trial(Box<TrialRecord>),
    /// What several failures of a backend have in common.
    Finding(Finding),
    /// A backend is done.
    BackendFinished(BackendFinished),
    /// All backends are done.
    RunFinished(RunFinished),
    /// A search begins.
    SearchStarted(SearchStarted),
    /// Trials that a search saw pass.
    Passed(Passed),
    /// Failures of one cause that a search found.
    Found(Box<Found>),
    /// A search is over.
    SearchFinished(SearchFinished),
    /// An event of a later version of this program.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// The run begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunStarted {
    /// The version of this format, 1.
    pub format: u32,
    /// The version of the program that ran, which holds the built-in suite.
    pub suite_version: String,
    /// A hash of all case files: equal if the suite was the same, down to the bytes.
    pub suite_hash: String,
    /// A hash of the names of all selected trials, of every partition: equal if the same was to be run.
    pub plan_hash: String,
    /// Cases in the suite, selected or not.
    pub cases: usize,
    /// Selected trials for each backend, of all partitions together.
    pub trials: usize,
    /// The backends in their order, as the command line names them.
    pub backends: Vec<String>,
    /// What was selected.
    #[serde(default)]
    pub selection: Selected,
    /// Which part this is, such as `hash:1/3`, if it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The order of the trials, if it was not the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The least strict level that makes the run red: `must` or `should`.
    pub level: Level,
    /// The file of the earlier run that it is compared with, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// When it began, in milliseconds since 1970 began (UTC).
    pub started: u64,
    /// The operating system and the processor, as Rust names them: `linux x86_64`.
    pub system: String,
}

impl RunStarted {
    /// What keeps two runs from being parts of one, or one from going on with the other, if anything does.
    pub(crate) fn differs_from(&self, other: &Self) -> Option<&'static str> {
        let differs = [
            (
                "suites",
                self.suite_hash != other.suite_hash || self.suite_version != other.suite_version,
            ),
            ("selections", self.plan_hash != other.plan_hash),
            ("backends", self.backends != other.backends),
            ("levels", self.level != other.level),
        ];
        differs
            .iter()
            .find(|(_, differs)| *differs)
            .map(|(what, _)| *what)
    }
}

/// What was selected of the suite.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Selected {
    /// Patterns over names of trials; all if there is none.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// Whether each pattern is the whole name of a trial.
    #[serde(default)]
    pub exact: bool,
    /// The operators; all if there is none.
    #[serde(default)]
    pub operators: Vec<String>,
}

/// A case, as far as reports show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseRecord {
    /// Its name.
    pub case: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins on, from 1.
    pub line: usize,
    /// What it cites: rules, or ids of clauses.
    pub covers: Vec<String>,
    /// For each operator it asks, what it tests.
    pub operators: Vec<CaseOperator>,
}

/// A case for one operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseOperator {
    /// The operator.
    pub operator: String,
    /// The strictest level of these clauses.
    pub level: Level,
    /// The ids of the clauses it tests, such as `onnx.Reshape-14/zero-copies`.
    pub clauses: Vec<String>,
    /// What is asked, in a line, without the element type: `[2, 3] to [0, -1], allowzero=1`.
    pub asks: String,
    /// What the text says, in a line: a shape, `rejected: …` or `open (…): …`.
    pub expects: String,
}

/// A backend has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BackendStarted {
    /// The backend as the command line names it: `onnxruntime`, `openvino:onnx-front-end`, a command, `reference`.
    pub backend: Arc<str>,
    /// What it calls itself in the handshake.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// Trials to come.
    pub trials: usize,
    /// The arguments of `run` that name it again, with a space before each.
    pub arguments: String,
}

/// A trial has its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialRecord {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// The trial's name: case/operator/element type/binding.
    pub trial: String,
    /// The case.
    pub case: String,
    /// The operator.
    pub operator: String,
    /// The element type.
    pub element_type: String,
    /// The binding.
    pub binding: String,
    /// As what the trial is counted.
    pub verdict: VerdictKind,
    /// The time since the answer before it from the same worker; 0 if it was not run.
    pub microseconds: u64,
    /// What the backend did, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeRecord>,
    /// How that differs from the text, if it is a failure, known or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The question that the text leaves open, and the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Answer>,
    /// The reason of the known failure that speaks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_failure: Option<String>,
    /// What came of it each time it was run, if it was run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<VerdictKind>,
    /// What it was in the baseline, if there is one and it was something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<VerdictKind>,
    /// What is shown of a failure, known or not.
    #[serde(rename = "story", default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<FailureDetail>>,
}

/// What is shown of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailureDetail {
    /// Dims of data and target together, and the data's elements: small trials say most.
    pub size: (usize, u64),
    /// What was expected and got, line by line.
    pub diff: Vec<Line>,
    /// The oracle's steps to what it expects.
    pub trace: Vec<TraceStep>,
    /// The command that runs it again.
    pub again: String,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line {
    /// What kind of line.
    pub kind: LineKind,
    /// The text, without a line's end.
    pub text: String,
}

/// Kinds of a diff's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Something said.
    Text,
    /// What the text wants.
    Expected,
    /// What the backend did.
    Got,
    /// A mark under the part of the line above that differs.
    Mark,
    /// An element that is on both sides.
    Same,
    /// An element that is missing.
    Minus,
    /// An element that should not be there.
    Plus,
    /// A line of the backend's log.
    Log,
}

/// A step of the oracle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TraceStep {
    /// What was found, in a sentence.
    pub says: String,
    /// Whether that is a fault of the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fault: bool,
    /// The ids of the clauses it rests on.
    pub clauses: Vec<String>,
}

/// The answer to an open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The question.
    pub id: String,
    /// `rejected`, or the shape.
    pub answer: String,
}

/// What a backend did. The elements of a tensor are not in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OutcomeRecord {
    /// It gave a tensor.
    Reshaped {
        /// The output's dims.
        shape: Vec<u64>,
        /// The dims it inferred beforehand, `null` for one it did not know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inferred: Option<ShapePattern>,
        /// The output's element type, where the trial failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_type: Option<String>,
        /// A hash of its elements, where the trial failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// It only infers.
    Inferred {
        /// The dims, or `null` if it accepted without knowing the rank.
        inferred: Option<ShapePattern>,
    },
    /// It said no.
    Rejected {
        /// When.
        phase: Phase,
        /// Its words.
        message: String,
    },
    /// It answered that it cannot.
    Unsupported {
        /// Its words.
        message: String,
    },
    /// It ended before it answered.
    Crashed(ProcessFailureRecord),
    /// It did not answer in time.
    TimedOut(ProcessFailureRecord),
    /// It took more memory than it may.
    OutOfMemory(ProcessFailureRecord),
    /// It broke the protocol.
    ProtocolError(ProcessFailureRecord),
}

impl OutcomeRecord {
    /// The kind in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Reshaped { .. } => "reshaped",
            Self::Inferred { .. } => "inferred",
            Self::Rejected { .. } => "rejected",
            Self::Unsupported { .. } => "unsupported",
            Self::Crashed(_) => "crashed",
            Self::TimedOut(_) => "timed-out",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::ProtocolError(_) => "protocol-error",
        }
    }
}

/// How a backend's process went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProcessFailureRecord {
    /// What happened.
    pub message: String,
    /// Its last lines on standard error.
    pub log: String,
}

/// What several failures have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cause {
    /// What the backend seems to do, to be read after "it".
    pub says: String,
    /// The mutants that do so: one, or two at once.
    pub mutants: Vec<String>,
    /// Where it does so, if not everywhere: operators, element types, bindings.
    pub only: Vec<String>,
    /// How many trials of these places it would fail although the backend passed them: 0 if nothing speaks against it.
    pub against: usize,
    /// Other mutants that nothing in the run tells from it.
    pub or: Vec<String>,
    /// The names of the trials that it explains, smallest first.
    pub trials: Vec<String>,
}

/// What several failures of a backend have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// What they have in common.
    #[serde(flatten)]
    pub cause: Cause,
}

/// A backend is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BackendFinished {
    /// The backend, as in `backend-started`.
    pub backend: Arc<str>,
    /// For every verdict how many.
    pub counts: Counts,
    /// Lines of its known failures that meet no trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Place>,
    /// Lines of its known failures that met no trial of this partition; those that meet none in any are stale.
    #[serde(rename = "unmet", default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<Place>,
    /// What went wrong with it and is no trial's outcome, if anything did.
    #[serde(rename = "mishaps", default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<UnattributedRecord>,
}

/// What went wrong with a backend and is no trial's outcome: a fresh child did not do it again, or it came after the last
/// trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnattributedRecord {
    /// How often.
    pub times: u64,
    /// The last.
    pub last: ProcessFailureRecord,
}

impl UnattributedRecord {
    /// Those of several parts.
    pub(crate) fn of_all<'a>(parts: impl Iterator<Item = &'a Self>) -> Option<Self> {
        parts.cloned().reduce(|before, next| Self {
            times: before.times.saturating_add(next.times),
            last: next.last,
        })
    }
}

impl std::fmt::Display for UnattributedRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            times,
            last: ProcessFailureRecord { message, .. },
        } = self;
        let times = if *times == 1 {
            "once".to_owned()
        } else {
            format!("{times} times")
        };
        write!(
            f,
            "went wrong {times} where no trial can be blamed, such as while it released a model; the last time: {message}"
        )
    }
}

/// A place in a file, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters are meant.
    pub length: usize,
    /// The line's text.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Place {
    /// The place of a fault.
    #[must_use]
    pub fn of(fault: &Fault) -> Self {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault
            .source
            .text
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or_default();
        let length = fault
            .source
            .text
            .get(fault.span.clone())
            .map_or(0, |meant| meant.chars().count());
        Self {
            file: fault.source.file.to_string(),
            line,
            column,
            length: length.min(text.chars().count()),
            text: text.chars().take(240).collect(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
        }
    }
}

impl TrialRecord {
    /// The verdict as the text alone has it, whatever was known.
    #[must_use]
    pub fn judged(&self) -> VerdictKind {
        match (&self.outcome, &self.failure, &self.question) {
            (_, Some(_), _) => VerdictKind::Failed,
            (_, _, Some(_)) => VerdictKind::Recorded,
            (None, ..) => VerdictKind::Skipped,
            (Some(OutcomeRecord::Crashed(_)), ..) => VerdictKind::Crashed,
            (Some(OutcomeRecord::TimedOut(_)), ..) => VerdictKind::TimedOut,
            (Some(OutcomeRecord::OutOfMemory(_)), ..) => VerdictKind::OutOfMemory,
            (Some(OutcomeRecord::ProtocolError(_)), ..) => VerdictKind::ProtocolError,
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
}

/// A search begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchStarted {
    /// The version of this format, 1.
    pub format: u32,
    /// The version of the program that searched.
    pub suite_version: String,
    /// The backend, as the command line names it.
    pub backend: Arc<str>,
    /// What it calls itself in the handshake.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// What is searched, in words that are the same for every part of it.
    pub space: String,
    /// Which part this is, such as `slice:1/3`, if it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// Some trials that a search saw pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Passed {
    /// Their names.
    pub trials: Vec<String>,
}

/// Failures of one cause that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Found {
    /// What they have in common: what the backend seems to do; or, without mutants, how they fail.
    #[serde(flatten)]
    pub cause: Cause,
    /// The smallest that still fails for the same reason, once somebody looked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<TrialRecord>,
    /// Whether the smallest trial as it was met passes in a fresh child that is asked nothing else: what was asked before
    /// it matters then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes_alone: bool,
}

/// A search is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchFinished {
    /// The verdicts of all trials.
    pub counts: Counts,
    /// What stopped it before its end, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// What went wrong with the backend and is no trial's outcome, if anything did.
    #[serde(rename = "mishaps", default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<UnattributedRecord>,
}

/// What stops a search before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CutShort {
    /// The time it was given.
    Time,
    /// Somebody who had seen enough.
    Interrupt,
}

/// All backends are done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunFinished {
    /// The verdicts of all backends together.
    pub counts: Counts,
}

/// Something that is told of events.
pub trait Reporter {
    /// Takes one event.
    fn event(&mut self, event: &Event);
}
