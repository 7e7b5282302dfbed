//! A hypothesis: the backend behaves like these mutants.

use super::observations::{Failure, Observation};
use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::Layout;
use crate::semantics::outcome::Outcome;
use crate::semantics::request::Request;
use crate::suite::case::{Case, Expectation};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill, Tensor};
use crate::verdict::judge::judge_trial;
use crate::verdict::mutant::{Behavior, CATALOGUE, Mutant, OracleAnswer, Session, behavior};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// A combination of mutants, and their joint behavior.
#[derive(Default)]
pub(crate) struct Hypothesis {
    pub(super) mutants: Vec<&'static Mutant>,
    behavior: Behavior,
    contents: RefCell<HashMap<ContentKey, KnownContent>>,
}

/// What determines the elements besides the output's shape: the case, by its address in memory, and how it runs.
/// Operators do not affect the elements, and bindings only by their layout.
type ContentKey = (usize, ElementType, Option<Surrounding>, Layout);

/// What is known about the elements of trials with the same key. Computing the elements takes most of the time.
struct KnownContent {
    /// Keeps the case at its address.
    _case: Arc<Case>,
    /// The output's shape.
    shape: Vec<u64>,
    /// Whether its elements differ from the data's.
    changes: OnceCell<bool>,
    /// What is observed of the output.
    observed: OnceCell<Observation>,
}

/// Whether these mutants together would have given this outcome.
pub(crate) fn explains(mutants: &[String], trial: &Trial, outcome: &Outcome) -> bool {
    let mutants = mutants.iter().filter_map(|name| Mutant::named(name));
    let (context, observed) = (TrialContext::of(trial), Observation::of(outcome));
    Hypothesis::of(mutants.collect()).explains(&observed, &context)
}

/// The descriptions of the mutants that would have given this outcome.
pub(crate) fn mutants_explaining(trial: &Trial, outcome: &Outcome) -> Vec<&'static str> {
    let (context, observed) = (TrialContext::of(trial), Observation::of(outcome));
    CATALOGUE
        .iter()
        .filter(|mutant| Hypothesis::of(vec![*mutant]).explains(&observed, &context))
        .map(|mutant| mutant.description)
        .collect()
}

/// Whether these mutants, which have a memory, would fail the last of these trials after the others.
pub(crate) fn fail_after(mutants: &[String], trials: &[&Trial]) -> bool {
    let mutants = mutants.iter().filter_map(|name| Mutant::named(name));
    let hypothesis = Hypothesis::of(mutants.collect());
    let mut session = Session::default();
    let answers = trials.iter().map(|trial| {
        let context = TrialContext::of(trial);
        let answer = session.answer(&hypothesis.behavior, &context.call());
        judge_trial(trial, context.data(), &answer).kind()
    });
    hypothesis.is_stateful() && answers.last().is_some_and(|kind| kind.is_red())
}

impl Hypothesis {
    pub(crate) fn of(mutants: Vec<&'static Mutant>) -> Self {
        Self {
            behavior: behavior(&mutants),
            mutants,
            contents: RefCell::default(),
        }
    }

    /// The result of `of` for the elements of a trial, in an output of this shape.
    fn content<T>(&self, trial: &Trial, shape: &[u64], of: impl FnOnce(&KnownContent) -> T) -> T {
        let place = Arc::as_ptr(&trial.case) as usize;
        let layout = trial.binding.layout();
        let key = (place, trial.element_type, trial.surrounding, layout);
        let unknown = || KnownContent {
            _case: Arc::clone(&trial.case),
            shape: shape.to_vec(),
            changes: OnceCell::new(),
            observed: OnceCell::new(),
        };
        let mut contents = self.contents.borrow_mut();
        let known = contents.entry(key).or_insert_with(unknown);
        if known.shape != shape {
            *known = unknown();
        }
        of(known)
    }

    /// Whether the mutants' answers depend on earlier trials.
    pub(crate) fn is_stateful(&self) -> bool {
        self.behavior.has_memory()
    }

    /// Whether the mutants are wrong in some surroundings only.
    pub(super) fn is_of_neighbors(&self) -> bool {
        !self.behavior.neighbors.is_empty()
    }

    /// Whether the mutants' answer in this trial depends on the runs of its sequence.
    fn remembers(&self, trial: &Trial) -> bool {
        self.is_stateful() && trial.is_in_sequence()
    }

    /// Whether the mutants would have given this observation in a trial. Only the trial's own sequence counts as
    /// earlier runs: the effect of other trials cannot be predicted.
    pub(super) fn explains(&self, observed: &Observation, context: &TrialContext<'_>) -> bool {
        let shape = self.shape(context);
        self.explains_with(shape.as_deref(), observed, context)
    }

    /// As `explains`, for a failed trial whose expectation also fails the mutants.
    pub(super) fn fails_alike(&self, failure: &Failure) -> bool {
        let context = TrialContext::of(&failure.trial);
        self.explains(&failure.observed, &context) && self.answer_fails(&context)
    }

    /// As `explains`; and if not, whether they would fail the trial differently. They do not explain an inference before
    /// the run that is the reference's.
    pub(super) fn explains_or_fails(
        &self,
        failure: &Failure,
        context: &TrialContext<'_>,
    ) -> (bool, bool) {
        let shape = self.shape(context);
        let is_right = failure.is_before_run() && shape == context.reference;
        let explains =
            !is_right && self.explains_with(shape.as_deref(), &failure.observed, context);
        let fails = !explains && self.fails_with(shape.as_deref(), context);
        (explains, fails)
    }

    /// Whether mutants that give this shape would have given this observation.
    fn explains_with(
        &self,
        shape: Option<&[u64]>,
        observed: &Observation,
        context: &TrialContext<'_>,
    ) -> bool {
        if self.remembers(context.trial) {
            return observed.agrees_with(&Observation::of(&self.answer(context)));
        }
        if *observed == Observation::WrongSharing {
            return shape == context.reference.as_deref() && self.shares_wrongly(context.trial);
        }
        // The shape is cheap, but the elements are not. No text says what an output of another count holds.
        let data = &context.trial.request().data_shape;
        let has_another_count = shape.is_some_and(|shape| Count::of(shape) != Count::of(data));
        let is_output = matches!(observed, Observation::Reshaped { .. });
        !observed.excludes(shape)
            && (is_output && has_another_count
                || observed.agrees_with(&self.prediction(context, shape)))
    }

    /// What the mutants, which give this shape, would do in a trial.
    fn prediction(&self, context: &TrialContext<'_>, shape: Option<&[u64]>) -> Observation {
        let trial = context.trial;
        let keeps_elements = self.behavior(trial).keeps_elements(trial.element_type);
        match shape {
            None => Observation::Rejected,
            Some(shape) if !keeps_elements => self.content(trial, shape, |known| {
                let answer = || Observation::of(&self.answer(context));
                known.observed.get_or_init(answer).clone()
            }),
            Some(shape) if Count::of(shape) == Count::of(&context.trial.request().data_shape) => {
                let (data, content) = context.data_and_hash();
                Observation::Reshaped {
                    shape: shape.to_vec(),
                    element_type: data.element_type(),
                    content: *content,
                }
            }
            // With another count the elements differ from the data's.
            Some(_) => Observation::of(&self.answer(context)),
        }
    }

    /// Whether the mutants change the elements of the trial's data, in an output of this shape.
    fn changes_content(&self, context: &TrialContext<'_>, shape: &[u64]) -> bool {
        self.content(context.trial, shape, |known| {
            let changes = || self.behavior.changes_content(&context.call(), shape);
            *known.changes.get_or_init(changes)
        })
    }

    /// Whether the mutants would fail the trial. The reference passes every trial, so the same answer passes too.
    pub(crate) fn fails(&self, context: &TrialContext<'_>) -> bool {
        let shape = self.shape(context);
        self.fails_with(shape.as_deref(), context)
    }

    /// Whether mutants that give this shape would fail the trial.
    fn fails_with(&self, shape: Option<&[u64]>, context: &TrialContext<'_>) -> bool {
        let trial = context.trial;
        if self.remembers(trial) {
            return self.answer_fails(context);
        }
        let expectation = trial.expectation();
        if shape == context.reference.as_deref() {
            let Some(shape) = shape else {
                return false;
            };
            if self.shares_wrongly(trial) {
                return true;
            }
            // In the right shape the elements must be the data's, except those that a question concerns.
            let changes = !self.behavior(trial).keeps_elements(trial.element_type)
                && self.changes_content(context, shape);
            if !changes || !trial.is_open() {
                return changes;
            }
        }
        // If the text decides, the shape suffices; data that is materialized for each trial takes most of the time.
        let decided = match &**expectation {
            Expectation::Rejected(_) => Some(shape.is_some()),
            Expectation::Reshaped(wanted) if shape != Some(wanted) => Some(true),
            Expectation::Reshaped(_) | Expectation::Open { .. } => None,
        };
        decided.unwrap_or_else(|| self.answer_fails(context))
    }

    /// Whether the mutants' whole answer fails the trial.
    fn answer_fails(&self, context: &TrialContext<'_>) -> bool {
        let verdict = judge_trial(context.trial, context.data(), &self.answer(context));
        verdict.kind().is_red()
    }

    /// Whether their output shares memory against what the trial tests.
    fn shares_wrongly(&self, trial: &Trial) -> bool {
        let must = trial.sharing();
        must.is_some() && self.behavior.shares(trial.request()) != must
    }

    /// The behavior of the mutants in the trial's surrounding.
    fn behavior(&self, trial: &Trial) -> Cow<'_, Behavior> {
        self.behavior.within(trial.surrounding)
    }

    /// The shape that the mutants give; `None` for a rejection.
    fn shape(&self, context: &TrialContext<'_>) -> Option<Vec<u64>> {
        let trial = context.trial;
        let behavior = self.behavior(trial);
        behavior.resolve(trial.request(), trial.binding, &context.oracle)
    }

    fn answer(&self, context: &TrialContext<'_>) -> Outcome {
        let call = context.call();
        if self.remembers(context.trial) {
            let others = context.others.get_or_init(|| call.others());
            return Session::default().answer_among(others, &self.behavior, &call);
        }
        self.behavior.answer_with(&call, &context.oracle)
    }
}

/// A trial with what every hypothesis needs to know about it, computed once.
pub(crate) struct TrialContext<'a> {
    pub(crate) trial: &'a Trial,
    oracle: OracleAnswer,
    /// The reference's shape; `None` for a rejection.
    reference: Option<Vec<u64>>,
    /// The data and the hash of its elements; empty until needed.
    data: OnceCell<(Tensor, u64)>,
    /// The other runs of its sequence; empty until needed.
    others: OnceCell<Vec<(Request, Tensor)>>,
}

impl<'a> TrialContext<'a> {
    pub(crate) fn of(trial: &'a Trial) -> Self {
        let oracle = OracleAnswer::of(trial.request());
        let reference = Behavior::default().resolve(trial.request(), trial.binding, &oracle);
        Self {
            trial,
            oracle,
            reference,
            data: OnceCell::new(),
            others: OnceCell::new(),
        }
    }

    /// The data of the trial.
    pub(crate) fn data(&self) -> &Tensor {
        &self.data_and_hash().0
    }

    pub(crate) fn call(&self) -> Call<'_> {
        self.trial.call(self.data())
    }

    fn data_and_hash(&self) -> &(Tensor, u64) {
        self.data.get_or_init(|| {
            // The trial has run, so its data can be materialized.
            let data = self.trial.case.data(self.trial.element_type);
            let data = data.unwrap_or_else(|_| Fill::Index.tensor(ElementType::U8, vec![0]));
            let content = data.content_hash();
            (data, content)
        })
    }
}
