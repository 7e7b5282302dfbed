//! A session: what the runs of a model leave behind, and how a behavior with a memory uses it.

use super::behavior::{Behavior, Memory};
use crate::model::call::{Call, rounds};
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::TargetSource;
use crate::semantics::oracle::copies_zero;
use crate::semantics::outcome::{Outcome, Phase};
use crate::semantics::request::{Model, Request};
use crate::tensor::Tensor;
use crate::verdict::judge::ConcurrentAnswers;

/// What the calls so far have left behind.
#[derive(Default)]
pub(crate) struct Session {
    /// The model that ran last; `None` before the first, and if it must not run again.
    model: Option<Model>,
    /// What its runs have left behind.
    runs: Runs,
    /// The data of the previous call; `None` before the first.
    last_data: Option<Tensor>,
}

/// What the runs of a model have left behind.
#[derive(Default)]
struct Runs {
    /// The request of the first run; `None` before it.
    first: Option<Request>,
    /// The request of the last run; `None` before the first.
    last: Option<Request>,
    /// The request and the output of the first run that was not refused; `None` before it.
    first_output: Option<(Request, Tensor)>,
    /// The output of the last run that was not refused; `None` before it.
    last_output: Option<Tensor>,
    /// Whether a run was refused.
    refused: bool,
}

impl Session {
    /// The answer to a call, and to the other runs of its sequence.
    pub(crate) fn answer(&mut self, behavior: &Behavior, call: &Call<'_>) -> Outcome {
        self.answer_among(&call.others(), behavior, call)
    }

    /// As `answer`, with the other runs.
    pub(crate) fn answer_among(
        &mut self,
        others: &[(Request, Tensor)],
        behavior: &Behavior,
        call: &Call<'_>,
    ) -> Outcome {
        self.load(call, others.is_empty());
        let others = others.iter();
        let others = others.map(|(request, data)| call.among(request, data));
        if call.surrounding.is_some_and(Surrounding::is_concurrent) {
            let calls: Vec<_> = std::iter::once(*call).chain(others).collect();
            let outcome = self.rounds(behavior, &calls);
            return outcome.unwrap_or_else(|| self.run(behavior, call));
        }
        if !call.surrounding.is_some_and(Surrounding::has_other_models) {
            let has_changed = |of: &Outcome| matches!(of, Outcome::ChangedEarlier(_));
            let earlier = others.map(|earlier| self.run(behavior, &earlier));
            let changed = earlier.filter(has_changed).count() > 0;
            return match self.run(behavior, call) {
                own if changed && !has_changed(&own) => Outcome::ChangedEarlier(Box::new(own)),
                own => own,
            };
        }
        let models: Vec<_> = others.collect();
        for other in &models {
            self.run(behavior, other);
            self.runs = Runs::default();
        }
        let memory = behavior.memory;
        if memory == Memory::Release {
            return Outcome::rejected(Phase::Run, "a mutant has released it");
        }
        let first = models.first().filter(|_| memory == Memory::FirstModel);
        let model = first.or(models.last().filter(|_| memory == Memory::LastModel));
        let request = model.map_or(call.request, |of| of.request);
        self.run(behavior, &Call { request, ..*call })
    }

    /// The answers to concurrent runs of one model.
    pub(crate) fn answer_concurrently(
        &mut self,
        behavior: &Behavior,
        calls: &[Call<'_>],
    ) -> Vec<Outcome> {
        if let Some(call) = calls.first() {
            self.load(call, true);
        }
        self.run_concurrently(behavior, calls)
    }

    /// Loads the model of a call. A sequence has its own model.
    fn load(&mut self, call: &Call<'_>, stays: bool) {
        let model = Model::of(call.request, call.binding);
        if !stays || self.model.as_ref() != Some(&model) {
            self.runs = Runs::default();
        }
        self.model = stays.then_some(model);
    }

    /// The outcome of the first of these calls, which run concurrently in several rounds; `None` without calls.
    fn rounds(&mut self, behavior: &Behavior, calls: &[Call<'_>]) -> Option<Outcome> {
        let mut answers = ConcurrentAnswers::default();
        for order in rounds(calls.len()) {
            let in_order: Vec<_> = order.iter().map(|index| calls[*index]).collect();
            for (index, outcome) in order.iter().zip(self.run_concurrently(behavior, &in_order)) {
                answers.add(&calls[*index], *index == 0, outcome);
            }
        }
        answers.outcome()
    }

    /// The answers to these runs. Each sees the next one as its concurrent run.
    fn run_concurrently(&mut self, behavior: &Behavior, calls: &[Call<'_>]) -> Vec<Outcome> {
        let other = calls.iter().cycle().skip(1);
        let answers = calls.iter().zip(other).map(|(call, other)| {
            let memory = behavior.memory;
            if memory == Memory::InputsOfConcurrentRun {
                return self.run(behavior, other);
            }
            if memory == Memory::TargetOfConcurrentRun
                && call.binding.source() == TargetSource::Runtime
            {
                let mut request = call.request.clone();
                request.target.clone_from(&other.request.target);
                let request = &request;
                return self.run(behavior, &Call { request, ..*call });
            }
            let own = self.run(behavior, call);
            match (memory, &own, behavior.answer(other)) {
                (
                    Memory::ElementsOfConcurrentRun | Memory::ShapeOfConcurrentRun,
                    Outcome::Reshaped { output, .. },
                    Outcome::Reshaped { output: other, .. },
                ) if output.len() == other.len() => {
                    let (elements, shape) = if memory == Memory::ElementsOfConcurrentRun {
                        (&other, output)
                    } else {
                        (output, &other)
                    };
                    Outcome::from(elements.with_shape(shape.shape().to_vec()))
                }
                _ => own,
            }
        });
        answers.collect()
    }

    fn run(&mut self, behavior: &Behavior, call: &Call<'_>) -> Outcome {
        let request = self.runs.request(behavior.memory, call);
        let outcome = behavior.answer(&Call {
            request: request.as_ref().unwrap_or(call.request),
            ..*call
        });
        if behavior.memory == Memory::LastData {
            let given = self.with_last_data(outcome);
            self.last_data = Some(call.data.clone());
            return given;
        }
        let given = self.runs.outcome(behavior.memory, &outcome);
        self.runs.keep(call.request, &outcome);
        given.unwrap_or(outcome)
    }

    /// The outcome with the data of the previous call, if that has as many elements.
    fn with_last_data(&self, mut outcome: Outcome) -> Outcome {
        if let (Outcome::Reshaped { output, .. }, Some(last)) = (&mut outcome, &self.last_data)
            && last.element_type() == output.element_type()
            && last.len() == output.len()
        {
            *output = last.with_shape(output.shape().to_vec());
        }
        outcome
    }
}

impl Runs {
    /// The request that the model answers instead, because of its earlier runs; `None` if it answers the call's own.
    fn request(&self, memory: Memory, call: &Call<'_>) -> Option<Request> {
        let at_run = call.binding.source() == TargetSource::Runtime;
        let is_computed = call.surrounding.is_some_and(Surrounding::has_graph);
        let mut request = call.request.clone();
        let target = request.target.as_mut()?;
        match (memory, at_run, is_computed) {
            (Memory::FirstTarget, true, _) | (Memory::FirstComputedTarget, _, true) => {
                request.target.clone_from(&self.first.as_ref()?.target)
            }
            (Memory::LastComputedTarget, _, true) => {
                request.target.clone_from(&self.last.as_ref()?.target)
            }
            (Memory::ResolvedTarget, false, false) => {
                let (_, output) = self.first_output.as_ref()?;
                target.values = output.shape().iter().map(|dim| (*dim).into()).collect();
            }
            (Memory::FirstDims, ..) if copies_zero(call.request) == Some(true) => {
                let first = &self.first.as_ref()?.data_shape;
                for (value, dim) in target.values.iter_mut().zip(first) {
                    *value = if *value == 0 { (*dim).into() } else { *value };
                }
            }
            (Memory::FirstLength, ..) => {
                let (first, output) = self.first_output.as_ref()?;
                let first = first.target.as_ref()?;
                let lengths = first.values.iter().zip(output.shape());
                for (value, (first, length)) in target.values.iter_mut().zip(lengths) {
                    if (*value, *first) == (-1, -1) {
                        *value = (*length).into();
                    }
                }
            }
            _ => return None,
        }
        Some(request)
    }

    /// The outcome that the model gives instead, because of its earlier runs; `None` if it gives this one.
    fn outcome(&self, memory: Memory, outcome: &Outcome) -> Option<Outcome> {
        let output = match (memory, outcome, &self.last_output) {
            (Memory::Refusal, _, _) if self.refused => {
                return Some(Outcome::rejected(Phase::Run, "a mutant still says no"));
            }
            (Memory::Buffer, Outcome::Reshaped { output, .. }, Some(last))
                if !output.same_content(last) =>
            {
                return Some(Outcome::ChangedEarlier(Box::new(outcome.clone())));
            }
            (Memory::FirstOutput, Outcome::Reshaped { .. }, Some(last)) => {
                let first = self.first_output.as_ref();
                first.map_or(last, |(_, first)| first).clone()
            }
            (Memory::LastOutput, Outcome::Rejected { .. }, Some(last)) => last.clone(),
            (Memory::LastShape, Outcome::Reshaped { output, .. }, Some(last))
                if last.len() == output.len() =>
            {
                output.with_shape(last.shape().to_vec())
            }
            _ => return None,
        };
        Some(Outcome::from(output))
    }

    /// Remembers what a run did.
    fn keep(&mut self, request: &Request, outcome: &Outcome) {
        self.first.get_or_insert_with(|| request.clone());
        self.last = Some(request.clone());
        if let Outcome::Reshaped { output, .. } = outcome {
            let first = || (request.clone(), output.clone());
            self.first_output.get_or_insert_with(first);
            self.last_output = Some(output.clone());
        } else {
            self.refused = true;
        }
    }
}
