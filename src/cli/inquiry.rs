//! A request that `explain` explains, and what backends answer to it.

use crate::backend::{About, Backend};
use crate::error::Error;
use crate::names::UnknownName;
use crate::report::explanation::Answered;
use crate::report::style::out;
use crate::run::run_calls;
use crate::semantics::operator::{Binding, Operator, in_short};
use crate::semantics::oracle;
use crate::semantics::request::{Call, Request};
use crate::semantics::surrounding::Surrounding;
use crate::suite::Suite;
use crate::suite::case::Expectation;
use crate::suite::generated::trial_named;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill, Tensor};
use crate::verdict::diagnosis::mutants_explaining;
use crate::verdict::judge::judge;
use std::sync::Arc;

/// The most elements of data with which a backend is asked for a request typed by hand.
const MOST_ELEMENTS: u64 = 1 << 20;

/// A request to explain.
pub(super) struct Inquiry {
    pub(super) request: Arc<Request>,
    expectation: Arc<Expectation>,
    /// The bindings with which backends are asked, each with its trial; `None` for a request typed by hand.
    asked: Vec<(Binding, Option<Trial>)>,
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
        let bindings = request.operator.bindings.iter();
        Self {
            asked: bindings.map(|binding| (*binding, None)).collect(),
            expectation: Arc::new(oracle::resolve(&request).into()),
            request: Arc::new(request),
        }
    }

    /// The request that some trials make, each in another binding; `None` without a trial.
    fn of_trials(trials: Vec<Trial>) -> Option<Self> {
        let first = trials.first()?;
        Some(Self {
            request: Arc::clone(first.request()),
            expectation: Arc::clone(first.expectation()),
            asked: trials
                .into_iter()
                .map(|of| (of.binding, Some(of)))
                .collect(),
        })
    }

    /// The requests of a name: of a case, of one of its trials, or of a trial that a search generates. The suite is loaded
    /// only if it is needed.
    pub(super) fn named(
        name: &str,
        suite: impl FnOnce() -> Result<Suite, Error>,
        filter: &Filter<'_>,
    ) -> Result<Vec<Self>, Error> {
        if let Some(trial) = trial_named(name) {
            if !filter.takes(trial.operator) || !filter.takes_type(trial.element_type) {
                let why = "the trial is of another operator or element type than those asked for";
                return Err(nothing(name, why));
            }
            return Ok(Self::of_trials(vec![trial]).into_iter().collect());
        }
        let suite = suite()?;
        let case = super::list::find(&suite, name)?;
        let mut parts: Vec<_> = name.split('/').collect();
        check_parts(&parts, filter).map_err(|why| nothing(name, &why))?;
        let is_trial = parts.len() == 4;
        parts.resize(4, "*");
        let selection = Selection::new(&[parts.join("/")], is_trial, None).map_err(Error::Usage)?;
        let plan = Plan::new(&suite, &selection, None);
        let inquiry = |operator: &&'static Operator| {
            let trials = plan.trials().filter(|of| of.operator == *operator);
            let trials: Vec<_> = trials
                .filter(|of| filter.takes_type(of.element_type))
                .collect();
            let mut types = case.element_types(operator).iter();
            let is_of = |element_type| trials.iter().any(|of| of.element_type == element_type);
            let first = *types.find(|of| is_of(**of))?;
            // In the order of the case.
            let bindings = case.bindings(operator).filter_map(|binding| {
                let mut trials = trials.iter();
                trials.find(|of| (of.element_type, of.binding) == (first, binding))
            });
            Self::of_trials(bindings.map(|trial| Trial::clone(trial)).collect())
        };
        let operators = || case.operators.iter().filter(|of| filter.takes(of));
        let inquiries: Vec<_> = operators().filter_map(inquiry).collect();
        if inquiries.is_empty() {
            let is_one = |of: &&&Operator| parts[1] == "*" || parts[1] == of.name;
            let about = match operators().find(is_one) {
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

    /// What a backend answers under the bindings it supports; equal answers are joined.
    pub(super) fn ask(&self, backend: &mut dyn Backend) -> Result<Vec<Answered>, Error> {
        let (about, data) = (backend.about(), self.data()?);
        let mut answers: Vec<Answered> = Vec::new();
        for (binding, trial) in &self.asked {
            let surrounding = trial.as_ref().and_then(|trial| trial.surrounding);
            if !(about.supports).covers(&self.request, *binding, surrounding) {
                continue;
            }
            let call = Call {
                request: &self.request,
                binding: *binding,
                surrounding,
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
                None => answers.push(Answered {
                    backend: format!("{} {}", about.name, about.version),
                    bindings: vec![*binding],
                    verdict: judge(&self.expectation, &data, &outcome),
                    alike: trial
                        .as_ref()
                        .map_or_else(Vec::new, |trial| mutants_explaining(trial, &outcome)),
                    outcome,
                }),
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
        if let Some((_, Some(trial))) = self.asked.first() {
            return trial.case.data(request.element_type).map_err(Error::Usage);
        }
        let count = Count::of(&request.data_shape).as_u64();
        if count.is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(Error::Usage(format!(
                "--data: a backend is asked with at most {MOST_ELEMENTS} elements"
            )));
        }
        Ok(Fill::Index.tensor(request.element_type, request.data_shape.clone()))
    }
}

/// Checks the parts of a trial's name after the case's, as far as there are any.
fn check_parts(parts: &[&str], filter: &Filter<'_>) -> Result<(), String> {
    let in_words = |why: UnknownName| why.to_string();
    let element_type = parts.get(2).map(|name| name.parse::<ElementType>());
    let element_type = element_type.transpose().map_err(in_words)?;
    if let Some(way) = parts.get(3) {
        let (binding, surrounding) = way.split_once('+').unzip();
        binding
            .unwrap_or(way)
            .parse::<Binding>()
            .map_err(in_words)?;
        let surrounding = surrounding.map(|name: &str| name.parse::<Surrounding>());
        surrounding.transpose().map_err(in_words)?;
    }
    match parts.len() > 4 || !element_type.is_none_or(|of| filter.takes_type(of)) {
        true => Err("a trial is named case/operator/element type/binding, and --element-type names no other type".to_owned()),
        false => Ok(()),
    }
}

fn nothing(name: &str, why: &str) -> Error {
    Error::NothingSelected(format!("{name}: {why}"))
}
