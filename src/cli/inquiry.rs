//! A request that `explain` explains, and what backends answer to it.

use crate::backend::{About, Backend};
use crate::error::Error;
use crate::model::surroundings;
use crate::names::UnknownName;
use crate::report::explanation::Answered;
use crate::report::style::out;
use crate::run::run_calls;
use crate::semantics::operator::{Binding, Operator, in_short};
use crate::semantics::oracle;
use crate::semantics::outcome::Outcome;
use crate::semantics::request::{Call, Request};
use crate::semantics::surrounding::Surrounding;
use crate::suite::Suite;
use crate::suite::case::{Case, Expectation};
use crate::suite::generated::trial_named;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill, Tensor};
use crate::verdict::diagnosis::mutants_explaining;
use crate::verdict::judge::judge;
use std::sync::Arc;

/// The most elements of data with which a backend is asked for a request typed by hand.
const MOST_ELEMENTS: u64 = 1 << 20;

/// A request to explain.
pub(super) struct Inquiry {
    pub(super) request: Request,
    expectation: Expectation,
    /// The case it is from; `None` for a request typed by hand.
    case: Option<Arc<Case>>,
    /// The bindings with which backends are asked.
    bindings: Vec<Binding>,
    /// The surrounding in which they are asked.
    surrounding: Option<Surrounding>,
}

/// The operators and the element type that are wanted of a case.
pub(super) struct Filter<'a> {
    /// The operators; all if there is none.
    pub(super) operators: &'a [&'static Operator],
    /// The element type; any if it is `None`.
    pub(super) element_type: Option<ElementType>,
    /// The option that takes the same cases; empty for the built-in suite.
    pub(super) cases: &'a str,
}

impl Filter<'_> {
    fn takes(&self, operator: &'static Operator) -> bool {
        self.operators.is_empty() || self.operators.contains(&operator)
    }

    fn takes_type(&self, element_type: ElementType) -> bool {
        self.element_type
            .is_none_or(|wanted| wanted == element_type)
    }
}

impl Inquiry {
    /// A request typed by hand.
    pub(super) fn typed(request: Request) -> Self {
        Self {
            expectation: oracle::resolve(&request).into(),
            bindings: request.operator.bindings.to_vec(),
            request,
            case: None,
            surrounding: None,
        }
    }

    /// The requests of a name: of a case, of one of its trials, or of a trial that a search generates. The suite is loaded
    /// only if it is needed.
    pub(super) fn named(
        name: &str,
        suite: impl FnOnce() -> Result<Suite, Error>,
        filter: &Filter<'_>,
    ) -> Result<Vec<Self>, Error> {
        if let Some(trial) = trial_named(name) {
            return Self::of_trial(name, trial, filter).map(|inquiry| vec![inquiry]);
        }
        let suite = suite()?;
        let case = super::list::find(&suite, name)?;
        let parts = Parts::of(name, filter)?;
        let inquiries: Vec<_> = case
            .operators
            .iter()
            .filter_map(|operator| Self::of_case(case, operator, &parts, filter))
            .collect();
        if inquiries.is_empty() {
            let is_one = |of: &&Operator| parts.operator.is_none_or(|named| named == of.name);
            let mut operators = case.operators.iter().copied();
            let about = match operators
                .find(|of| is_one(of))
                .filter(|of| filter.takes(of))
            {
                // The other parts are what it does not have.
                Some(operator) => format!("the case has other trials of {operator}"),
                None => format!("the case is about {}", in_short(&case.operators)),
            };
            let (case, cases) = (&case.name, filter.cases);
            let why = format!("{about}; `list '{case}/**'{cases}` shows its trials");
            return Err(nothing(name, &why));
        }
        Ok(inquiries)
    }

    fn of_trial(name: &str, trial: Trial, filter: &Filter<'_>) -> Result<Self, Error> {
        if !filter.takes(trial.operator) || !filter.takes_type(trial.element_type) {
            let why = "the trial is of another operator or element type than those asked for";
            return Err(nothing(name, why));
        }
        Ok(Self {
            request: Request::clone(trial.request()),
            expectation: Expectation::clone(trial.expectation()),
            bindings: vec![trial.binding],
            surrounding: trial.surrounding,
            case: Some(trial.case),
        })
    }

    /// A case for one operator; `None` if the name or the filter excludes it.
    fn of_case(
        case: &Arc<Case>,
        operator: &'static Operator,
        parts: &Parts<'_>,
        filter: &Filter<'_>,
    ) -> Option<Self> {
        if !filter.takes(operator) || parts.operator.is_some_and(|name| name != operator.name) {
            return None;
        }
        let types = case.element_types(operator);
        let element_type = match parts.element_type.or(filter.element_type) {
            Some(wanted) => types.contains(&wanted).then_some(wanted)?,
            None => types.first().copied().unwrap_or(ElementType::F32),
        };
        let mut bindings: Vec<_> = case
            .bindings(operator)
            .filter(|binding| parts.binding.is_none_or(|named| named == *binding))
            .collect();
        let request = case.request(operator, element_type);
        if let Some(surrounding) = parts.surrounding {
            let all: Vec<_> = case.bindings(operator).collect();
            let candidates = surroundings::candidates(&all, case.content.is_by_index());
            let candidates: Vec<_> = candidates.collect();
            bindings.retain(|binding| {
                candidates.contains(&(*binding, surrounding))
                    && surroundings::is_possible(&request, *binding, surrounding)
            });
        }
        (!bindings.is_empty()).then(|| Self {
            request,
            surrounding: parts.surrounding,
            expectation: Expectation::clone(&case.allows(operator, element_type)),
            case: Some(Arc::clone(case)),
            bindings,
        })
    }

    /// What a backend answers under the bindings it supports; equal answers are joined.
    pub(super) fn ask(&self, backend: &mut dyn Backend) -> Result<Vec<Answered>, Error> {
        let (about, data) = (backend.about(), self.data()?);
        let mut answers: Vec<Answered> = Vec::new();
        for binding in &self.bindings {
            let supports = &about.supports;
            if !supports.covers(&self.request, *binding, self.surrounding) {
                continue;
            }
            let call = Call {
                request: &self.request,
                binding: *binding,
                surrounding: self.surrounding,
                data: &data,
            };
            let mut outcome = None;
            run_calls(backend, &[call], &mut |_, done| outcome = Some(done));
            if let Some(what) = backend.gone() {
                let adapter = about.name;
                return Err(Error::AdapterStart { adapter, what });
            }
            let Some(outcome) = outcome else { continue };
            match answers.iter_mut().find(|answer| answer.outcome == outcome) {
                Some(same) => same.bindings.push(*binding),
                None => answers.push(self.answered(&about, *binding, &data, outcome)),
            }
        }
        if answers.is_empty() {
            let About { name, version, .. } = &about;
            out(format!("{name} {version} does not claim this"));
        }
        Ok(answers)
    }

    fn data(&self) -> Result<Tensor, Error> {
        let request = &self.request;
        if let Some(case) = &self.case {
            return case.data(request.element_type).map_err(Error::Usage);
        }
        let count = Count::of(&request.data_shape).as_u64();
        if count.is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(Error::Usage(format!(
                "--data: a backend is asked with at most {MOST_ELEMENTS} elements"
            )));
        }
        Ok(Fill::Index.tensor(request.element_type, request.data_shape.clone()))
    }

    fn answered(
        &self,
        about: &About,
        binding: Binding,
        data: &Tensor,
        outcome: Outcome,
    ) -> Answered {
        let trial = self.case.as_ref().map(|case| {
            let (operator, element_type) = (self.request.operator, self.request.element_type);
            let mut trial = Trial::new(Arc::clone(case), operator, element_type, binding);
            trial.surrounding = self.surrounding;
            trial
        });
        Answered {
            backend: format!("{} {}", about.name, about.version),
            bindings: vec![binding],
            verdict: judge(&self.expectation, data, &outcome),
            alike: trial.map_or_else(Vec::new, |trial| mutants_explaining(&trial, &outcome)),
            outcome,
        }
    }
}

/// The parts of a name after the case's, each `None` if the name ends before it.
struct Parts<'a> {
    operator: Option<&'a str>,
    element_type: Option<ElementType>,
    binding: Option<Binding>,
    surrounding: Option<Surrounding>,
}

impl<'a> Parts<'a> {
    fn of(name: &'a str, filter: &Filter<'_>) -> Result<Self, Error> {
        let mut parts = name.split('/').skip(1);
        let (operator, element_type, binding) = (parts.next(), parts.next(), parts.next());
        let element_type: Option<ElementType> = element_type
            .map(str::parse)
            .transpose()
            .map_err(|why: UnknownName| nothing(name, &why.to_string()))?;
        let (binding, surrounding) = match binding.and_then(|way| way.split_once('+')) {
            Some((binding, surrounding)) => (Some(binding), Some(surrounding)),
            None => (binding, None),
        };
        let binding: Option<Binding> = binding
            .map(str::parse)
            .transpose()
            .map_err(|why: UnknownName| nothing(name, &why.to_string()))?;
        let surrounding: Option<Surrounding> = surrounding
            .map(str::parse)
            .transpose()
            .map_err(|why: UnknownName| nothing(name, &why.to_string()))?;
        if parts.next().is_some() || !element_type.is_none_or(|named| filter.takes_type(named)) {
            let why = "a trial is named case/operator/element type/binding, and --element-type names no other type";
            return Err(nothing(name, why));
        }
        Ok(Self {
            operator,
            element_type,
            binding,
            surrounding,
        })
    }
}

fn nothing(name: &str, why: &str) -> Error {
    Error::NothingSelected(format!("{name}: {why}"))
}
