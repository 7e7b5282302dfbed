//! Observations: what a backend did in the trials of a run.

use crate::event::shorten::{process_failure_in_short, shorten, without_numbers};
use crate::event::{
    Alone, ElementDifference, FailureKind, OutcomeRecord, ProcessFailureRecord, TrialRecord,
    VerdictKind, exit_status,
};
use crate::model::surroundings::OtherRuns;
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::outcome::{Allowed, Outcome, ShapePattern, fits};
use crate::suite::trial::Trial;
use crate::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A failed trial.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) trial: Trial,
    pub(super) observed: Observation,
    /// How it failed; `None` for a process failure.
    pub(super) kind: Option<FailureKind>,
    /// Whether the run gave an output.
    pub(super) has_run: bool,
    /// The start of the backend's message, if it refused or answered `unsupported`; else empty.
    pub(super) message: Box<str>,
    /// How its elements differ, if only these are wrong.
    pub(super) elements: Vec<ElementDifference>,
}

impl Failure {
    /// Whether it refused what the text accepts, also in a concurrent run.
    pub(super) fn is_refusal(&self) -> bool {
        if let Observation::WrongConcurrentRun(run) = &self.observed {
            return **run == Observation::Rejected;
        }
        self.observed == Observation::Rejected && self.kind == Some(FailureKind::Rejected)
    }

    /// Whether it inferred a wrong shape before a run that gave the right one.
    pub(super) fn is_before_run(&self) -> bool {
        self.has_run && self.kind == Some(FailureKind::WrongInference)
    }

    /// The line of its message that says most; empty without a message.
    pub(super) fn line(&self) -> &str {
        let mut lines = self.message.lines().filter(|line| !line.trim().is_empty());
        // A traceback ends with its error.
        let line = match self.message.starts_with("Traceback") {
            true => lines.next_back(),
            false => lines.next(),
        };
        line.unwrap_or_default()
    }
}

/// What a backend does in failures that other trials cause, or that are intermittent.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Aside {
    /// It refuses with this message.
    Refuses(String),
    /// To be read after "it".
    Does(String),
}

/// What a backend did in the trials of a run, for diagnosis.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(super) failures: Vec<Failure>,
    /// Failed trials in which the reference gives the same answer.
    pub(super) misjudged: Vec<Trial>,
    /// The trials that fail after other trials, and pass alone.
    pub(super) stateful: Vec<Trial>,
    /// The trials that fail, and pass in the same circumstances.
    pub(super) unsteady: Vec<Trial>,
    pub(super) passes: Vec<Trial>,
    /// The messages with which it refused what the text rejects.
    pub(super) refusals: HashSet<String>,
    /// What the backend does where it fails after others or now and then.
    pub(super) aside: BTreeSet<Aside>,
    /// What it gave in these failures, by the name of the trial.
    pub(super) given: HashMap<String, Observation>,
    /// Whether the backend was asked no more before the end of the run.
    pub(crate) ended_early: bool,
}

/// What a process does that does not answer, to be read after "it".
const HANGS: &str = "does not answer in time";
/// What a backend does in failures of several kinds, or of an unknown one, to be read after "it".
pub(super) const FAILS: &str = "fails";
/// The maximum number of failures retained, and of passes. Diagnosis of a longer run uses its first trials.
const MAX_FAILURES: usize = 50_000;
const MAX_RETAINED: usize = 200_000;
/// The most lone nodes to run.
const MAX_LONE_NODES: usize = 100;
/// The most different messages of right refusals to keep.
const MAX_REFUSALS: usize = 1_000;
/// The most characters of a message to keep.
const MAX_MESSAGE: usize = 300;

/// The names of those trials that are of a lone node.
pub(super) fn lone_nodes<'a>(trials: impl Iterator<Item = &'a Trial>) -> HashSet<String> {
    let trials = trials.filter(|trial| trial.surrounding.is_none());
    trials.map(ToString::to_string).collect()
}

impl Observations {
    /// Adds a trial from its record.
    pub(crate) fn add_record(&mut self, trial: &Trial, record: &TrialRecord) {
        let outcome = record.outcome.as_ref();
        self.add(trial, record.verdict, record.failure, outcome);
    }

    /// Adds a trial that the backend passed.
    pub(crate) fn add_pass(&mut self, trial: &Trial) {
        if self.passes.len() < MAX_RETAINED {
            self.passes.push(trial.clone());
        }
    }

    /// Takes the failures with these names as passing alone, and failing after other trials or intermittently. Their
    /// results do not indicate a mutant that answers each trial independently.
    pub(crate) fn set_aside(&mut self, names: &HashSet<&str>, alone: &Alone) {
        let (aside, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.failures)
            .into_iter()
            .partition(|of| names.contains(of.trial.to_string().as_str()));
        self.failures = rest;
        // What one of several runs at once gets says little.
        let own = |of: &&Failure| !matches!(of.observed, Observation::WrongConcurrentRun(_));
        let does = aside.iter().filter(own).map(|of| {
            if let Observation::Process(what) = &of.observed {
                // A silent end is known by its exit status.
                let does = what.split(':').next().unwrap_or_default();
                let status = exit_status(what);
                Aside::Does(format!("{does} {status}").trim_end().to_owned())
            } else if of.is_refusal() && !of.message.is_empty() {
                Aside::Refuses(without_numbers(of.line()))
            } else {
                Aside::Does(of.how().to_owned())
            }
        });
        self.aside.extend(does);
        let place = match alone {
            Alone::Stateful { .. } => &mut self.stateful,
            Alone::Unsteady => &mut self.unsteady,
        };
        for failure in aside {
            let name = failure.trial.to_string();
            self.given.insert(name, failure.observed);
            place.push(failure.trial);
        }
    }

    /// What of the right output of `earlier` the backend gave in this trial, which fails after others; or `None`.
    pub(crate) fn repeated(&self, trial: &Trial, earlier: &Trial) -> Option<&'static str> {
        let Some(Observation::Reshaped { shape, content, .. }) = self.given.get(&trial.to_string())
        else {
            return None;
        };
        let is_right = |of: &Trial| {
            of.expectation().shape() == Some(shape)
                || matches!(resolve(of.request()), Resolution::Open { choice: Allowed::Reshaped(of), .. } if fits(shape, &of))
        };
        let holds = |of: &Trial| {
            let data = of.case.data(of.element_type);
            data.is_ok_and(|data| data.content_hash() == *content)
        };
        let is: [&dyn Fn(&Trial) -> bool; 2] = [&is_right, &holds];
        match is.map(|is| is(earlier) && !is(trial)) {
            [true, true] => Some("output"),
            [true, false] => Some("shape"),
            [false, true] => Some("elements"),
            [false, false] => None,
        }
    }

    /// Takes failures in sequences as after other runs, if the node passes alone or itself fails after other trials.
    pub(crate) fn set_sequences_aside(&mut self) {
        let alone = lone_nodes(self.passes.iter().chain(&self.stateful));
        let of_runs = |trial: &Trial| {
            trial.is_in_sequence() && alone.contains(&trial.of_lone_node().to_string())
        };
        let names = self.failed().filter(|of| of_runs(of));
        let names: Vec<_> = names.map(ToString::to_string).collect();
        let names = names.iter().map(String::as_str).collect();
        self.set_aside(&names, &Alone::after_unknown());
    }

    /// The lone nodes of failures in surroundings that did not run. A surrounding is to blame only if its node passes.
    pub(crate) fn lone_nodes_to_run(&self) -> Vec<Trial> {
        let failures = self.failures.iter().filter(|of| !of.observed.hangs());
        let failures = failures.map(|failure| &failure.trial);
        let failures = failures.filter(|trial| trial.surrounding.is_some());
        let nodes = failures.map(|trial| trial.of_lone_node());
        let mut nodes: BTreeMap<_, _> = nodes.map(|node| (node.to_string(), node)).collect();
        let ran = self.passes.iter().chain(self.failed());
        let mut ran = ran.filter(|trial| trial.surrounding.is_none());
        while !nodes.is_empty()
            && let Some(trial) = ran.next()
        {
            nodes.remove(&trial.to_string());
        }
        nodes.into_values().take(MAX_LONE_NODES).collect()
    }

    /// The failures after other trials prove to be intermittent.
    pub(crate) fn are_unsteady(&mut self) {
        self.unsteady.append(&mut self.stateful);
    }

    /// The failures that are not known to pass alone.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &Trial> {
        self.failures.iter().map(|failure| &failure.trial)
    }

    /// The failures in sequences of the model's own runs, whether or not they pass alone.
    pub(crate) fn after_own_runs(&self) -> impl Iterator<Item = &Trial> {
        let all = self.failed().chain(&self.stateful);
        let all = all.filter(|of| of.is_in_sequence());
        all.filter(|of| of.surrounding.is_some_and(|of| !of.has_other_models()))
    }

    /// Adds a trial. `outcome` is `None` if the trial did not run.
    pub(super) fn add(
        &mut self,
        trial: &Trial,
        kind: VerdictKind,
        failure: Option<FailureKind>,
        outcome: Option<&OutcomeRecord>,
    ) {
        if kind == VerdictKind::Stateful {
            // Such a result depends on others, so it is no sign of a mutant, which answers each trial independently.
            self.aside.insert(Aside::Does(FAILS.to_owned()));
            if self.stateful.len() < MAX_RETAINED {
                self.stateful.push(trial.clone());
            }
        } else if kind.is_red() {
            if self.failures.len() < MAX_FAILURES
                && let Some(outcome) = outcome
            {
                let (mut message, mut elements) = ("", Vec::new());
                if let OutcomeRecord::Rejected { message: of, .. }
                | OutcomeRecord::Unsupported { message: of } = outcome
                {
                    message = of;
                } else if let OutcomeRecord::Reshaped { elements: of, .. } = outcome {
                    elements.clone_from(of);
                }
                self.failures.push(Failure {
                    trial: trial.clone(),
                    observed: Observation::in_failure(outcome, failure),
                    kind: failure,
                    has_run: matches!(outcome, OutcomeRecord::Reshaped { .. }),
                    message: shorten(message, MAX_MESSAGE).into(),
                    elements,
                });
            }
        } else if kind.passes() {
            self.add_pass(trial);
            if let Some(OutcomeRecord::Rejected { message, .. }) = outcome
                && trial.is_rejected()
                && self.refusals.len() < MAX_REFUSALS
                && !self.refusals.contains(message)
            {
                self.refusals.insert(message.clone());
            }
        }
    }

    /// The failures that a mutant can explain.
    pub(super) fn predictable(&self) -> impl Iterator<Item = &Failure> {
        let failures = self.failures.iter();
        failures.filter(|of| of.observed.is_predictable())
    }
}

/// What a backend did in one trial; equal if it did the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Observation {
    Reshaped {
        shape: Vec<u64>,
        element_type: ElementType,
        /// The hash of the elements.
        content: u64,
    },
    /// A shape without its elements.
    Claimed(Vec<u64>),
    Inferred(Option<ShapePattern>),
    Rejected,
    /// A change of the output of an earlier run.
    ChangedEarlier,
    /// A right output that shares the data's memory, or does not, against the text.
    WrongSharing,
    /// This wrong answer to a concurrent run.
    WrongConcurrentRun(Box<Observation>),
    /// A process failure, which no mutant predicts, in short, to be read after "it".
    Process(String),
    /// Anything else that no mutant predicts.
    Unpredictable,
}

impl Observation {
    /// What a process does that takes more memory than its limit, to be read after "it".
    pub(super) const OUT_OF_MEMORY: &str = "takes more memory than it may";

    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Reshaped { output, .. } => Self::Reshaped {
                shape: output.shape().to_vec(),
                element_type: output.element_type(),
                content: output.content_hash(),
            },
            Outcome::Claimed { shape, .. } => Self::Claimed(shape.clone()),
            Outcome::Inferred(shape) => Self::Inferred(shape.clone()),
            Outcome::Rejected { .. } => Self::Rejected,
            Outcome::ChangedEarlier(_) => Self::ChangedEarlier,
            Outcome::WrongConcurrentRun(run) => {
                Self::WrongConcurrentRun(Box::new(Self::of(&run.outcome)))
            }
            // No mutant does this.
            Outcome::Crashed(_)
            | Outcome::TimedOut(_)
            | Outcome::OutOfMemory(_)
            | Outcome::ProtocolError(_)
            | Outcome::Unsupported(_) => Self::Unpredictable,
        }
    }

    /// As `of`, for the outcome in a record, where a process can also fail.
    pub(super) fn of_record(outcome: &OutcomeRecord) -> Self {
        match outcome {
            OutcomeRecord::Reshaped {
                shape,
                without_elements: true,
                ..
            } => Self::Claimed(shape.clone()),
            OutcomeRecord::Reshaped {
                shape,
                element_type,
                content,
                ..
            } => {
                let element_type = element_type.as_deref().and_then(|name| name.parse().ok());
                let content = content.as_deref();
                let content = content.and_then(|text| u64::from_str_radix(text, 16).ok());
                match (element_type, content) {
                    (Some(element_type), Some(content)) => Self::Reshaped {
                        shape: shape.clone(),
                        element_type,
                        content,
                    },
                    (None | Some(_), None | Some(_)) => Self::Unpredictable,
                }
            }
            OutcomeRecord::Inferred { inferred } => Self::Inferred(inferred.clone()),
            OutcomeRecord::Rejected { .. } => Self::Rejected,
            OutcomeRecord::Crashed(failure) => Self::process("crashes", failure),
            OutcomeRecord::TimedOut(failure) => Self::process(HANGS, failure),
            OutcomeRecord::OutOfMemory(failure) => Self::process(Self::OUT_OF_MEMORY, failure),
            OutcomeRecord::ProtocolError(failure) => Self::process("breaks the protocol", failure),
            OutcomeRecord::Unsupported { .. } => Self::Unpredictable,
        }
    }

    /// A process failure by what the process does, and what happened, in whatever run of a sequence.
    fn process(does: &str, failure: &ProcessFailureRecord) -> Self {
        let message = &failure.message;
        let places = OtherRuns::ALL.iter().map(|of| of.name());
        let mut after = places.filter_map(|place| message.strip_prefix(place)?.strip_prefix(": "));
        let message = after.next().unwrap_or(message);
        let why = process_failure_in_short(message, &failure.log, str::to_owned);
        Self::Process(format!("{does}: {why}"))
    }

    /// The observation for a failure of this kind. Of a wrong inference before a right result, it is the inference.
    fn in_failure(outcome: &OutcomeRecord, failure: Option<FailureKind>) -> Self {
        if let OutcomeRecord::Reshaped { inferred, .. } = outcome
            && failure == Some(FailureKind::WrongInference)
        {
            return Self::Inferred(inferred.clone());
        }
        let this = Self::of_record(outcome);
        match (failure, &this) {
            // The shape is right, and no mutant omits the elements.
            (Some(FailureKind::WrongContent), Self::Claimed(_)) => Self::Unpredictable,
            (Some(FailureKind::EarlierOutputChanged), _) => Self::ChangedEarlier,
            (Some(FailureKind::WrongSharing), _) => Self::WrongSharing,
            (Some(FailureKind::WrongRunBeside), _) => Self::WrongConcurrentRun(Box::new(this)),
            _ => this,
        }
    }

    /// Whether a process did not answer in time. To run such a trial again takes long.
    pub(super) fn hangs(&self) -> bool {
        matches!(self, Self::Process(does) if does.starts_with(HANGS))
    }

    /// Whether a mutant could predict it.
    pub(super) fn is_predictable(&self) -> bool {
        !matches!(self, Self::Process(_) | Self::Unpredictable)
    }

    /// Whether no mutant that gives this shape, or rejects, can have given this observation, whatever the elements.
    pub(super) fn excludes(&self, predicted: Option<&[u64]>) -> bool {
        match (self, predicted) {
            (Self::Reshaped { shape, .. } | Self::Claimed(shape), Some(predicted)) => {
                shape != predicted
            }
            (Self::Inferred(Some(pattern)), Some(predicted)) => !fits(predicted, pattern),
            (Self::Inferred(None), Some(_)) | (Self::Rejected, None) => false,
            (Self::Rejected, Some(_)) => true,
            (Self::Reshaped { .. } | Self::Claimed(_) | Self::Inferred(_), None) => true,
            (
                Self::ChangedEarlier
                | Self::WrongSharing
                | Self::WrongConcurrentRun(_)
                | Self::Process(_)
                | Self::Unpredictable,
                _,
            ) => true,
        }
    }

    /// Whether a mutant that does `predicted` would have given this observation.
    pub(super) fn agrees_with(&self, predicted: &Self) -> bool {
        match (self, predicted) {
            (Self::Inferred(None), Self::Reshaped { .. }) => true,
            (Self::Inferred(Some(pattern)), Self::Reshaped { shape, .. }) => fits(shape, pattern),
            (Self::Claimed(claimed), Self::Reshaped { shape, .. }) => claimed == shape,
            (Self::Process(_) | Self::Unpredictable | Self::Claimed(_), _) => false,
            (
                Self::Reshaped { .. }
                | Self::Inferred(_)
                | Self::Rejected
                | Self::ChangedEarlier
                | Self::WrongSharing
                | Self::WrongConcurrentRun(_),
                _,
            ) => self == predicted,
        }
    }
}
