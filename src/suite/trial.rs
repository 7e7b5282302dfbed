//! Trials: case × operator × element type × binding, and groups of them that share a model.

use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{Binding, Operator};
use crate::semantics::oracle::{shares, sharing_rule};
use crate::semantics::request::{Request, data_bytes};
use crate::suite::case::{Case, Expectation};
use crate::tensor::{ElementType, Tensor};
use std::fmt;
use std::sync::Arc;

/// Case × operator × element type × binding, alone or in a surrounding: the unit that is run, counted and named.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    pub case: Arc<Case>,
    pub operator: &'static Operator,
    pub element_type: ElementType,
    pub binding: Binding,
    /// The surrounding; `None` for the node alone.
    pub surrounding: Option<Surrounding>,
    /// The request the case makes of this operator with this element type.
    request: Arc<Request>,
    /// What the text allows.
    expectation: Arc<Expectation>,
}

impl fmt::Display for Trial {
    /// The trial's name, which never changes: `case/operator/element type/binding`, and `+surrounding` if it has one.
    /// Written in one piece, so that a string of it takes no more memory than it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::with_capacity(128);
        self.write_name(&mut name);
        f.write_str(&name)
    }
}

impl Trial {
    /// A trial of a case, with its request.
    pub(crate) fn new(
        case: Arc<Case>,
        operator: &'static Operator,
        element_type: ElementType,
        binding: Binding,
    ) -> Self {
        let request = Arc::new(case.request(operator, element_type));
        Self::with_request(case, binding, request)
    }

    /// The trial of the lone node, without a surrounding.
    pub(crate) fn of_lone_node(&self) -> Self {
        Self {
            surrounding: None,
            ..self.clone()
        }
    }

    /// A trial of a case with the request that the case makes.
    pub(in crate::suite) fn with_request(
        case: Arc<Case>,
        binding: Binding,
        request: Arc<Request>,
    ) -> Self {
        let (operator, element_type) = (request.operator, request.element_type);
        let expectation = case.allows(operator, element_type);
        Self {
            case,
            operator,
            element_type,
            binding,
            surrounding: None,
            request,
            expectation,
        }
    }

    /// Appends its name to `out`, because a run makes the names of all trials.
    pub(crate) fn write_name(&self, out: &mut String) {
        let [plus, surrounding] = self.surrounding.map_or(["", ""], |of| ["+", of.name()]);
        out.extend([
            self.case.name.as_str(),
            "/",
            self.operator.name,
            "/",
            self.element_type.name(),
            "/",
            self.binding.name(),
            plus,
            surrounding,
        ]);
    }

    /// Whether its model makes other runs, before it or concurrently.
    pub(crate) fn is_in_sequence(&self) -> bool {
        self.surrounding.is_some_and(Surrounding::is_sequence)
    }

    /// Whether its model makes concurrent runs.
    pub(crate) fn is_concurrent(&self) -> bool {
        self.surrounding.is_some_and(Surrounding::is_concurrent)
    }

    /// The request to the backend.
    pub(crate) fn request(&self) -> &Arc<Request> {
        &self.request
    }

    /// The call that runs it. `data` is the case's data for the trial's element type.
    pub(crate) fn call<'a>(&'a self, data: &'a Tensor) -> Call<'a> {
        Call {
            request: &self.request,
            binding: self.binding,
            surrounding: self.surrounding,
            data,
        }
    }

    /// What the text allows.
    pub(crate) fn expectation(&self) -> &Arc<Expectation> {
        &self.expectation
    }

    /// Whether the output must share the data's memory, if its case tests that.
    pub(crate) fn sharing(&self) -> Option<bool> {
        let rule = sharing_rule(&self.request)?;
        let mut cited = self.case.clauses_of(self.operator).into_iter();
        cited.find(|of| of.clause.rule == rule)?;
        shares(&self.request)
    }

    /// Whether the text accepts it.
    pub(crate) fn is_accepted(&self) -> bool {
        self.expectation.shape().is_some()
    }

    /// Whether the text rejects it.
    pub(crate) fn is_rejected(&self) -> bool {
        matches!(*self.expectation, Expectation::Rejected(_))
    }

    /// The first reason why the text rejects it, in words; empty if it does not.
    pub(crate) fn why_rejected(&self) -> &'static str {
        match &*self.expectation {
            Expectation::Rejected(reasons) => reasons.first().map_or("", |of| of.description()),
            Expectation::Reshaped(_) | Expectation::Open { .. } => "",
        }
    }

    /// Whether the text leaves it open.
    pub(crate) fn is_open(&self) -> bool {
        matches!(*self.expectation, Expectation::Open { .. })
    }

    /// The size of its data, in bytes.
    pub(in crate::suite) fn data_bytes(&self) -> u64 {
        data_bytes(&self.case.data_shape, self.element_type).unwrap_or(u64::MAX)
    }

    /// How much a person has to read: the number of dims of data and target together, then the number of elements.
    /// Small trials explain a failure best.
    pub(crate) fn size(&self) -> (usize, u64) {
        let dims = self.case.data_shape.len() + self.request().values().len();
        let elements = self.case.data_shape.iter();
        (
            dims,
            elements.fold(1, |count: u64, dim| count.saturating_mul(*dim)),
        )
    }
}

/// The number of elements that empty data counts for when an example is chosen.
const EMPTY: u64 = 8;

/// The order of examples: the fewer elements, dims and values, the better; then alone, then with f32. Empty data is a
/// special case that a few elements explain better.
pub(crate) fn simplicity(trial: &Trial) -> impl Ord + use<> {
    let (dims, elements) = trial.size();
    let elements = if elements == 0 { EMPTY } else { elements };
    let values = trial.request().values().iter();
    (
        elements,
        dims,
        values.fold(0u128, |sum, value| sum.saturating_add(value.unsigned_abs())),
        trial.surrounding.is_some(),
        trial.element_type != ElementType::F32,
        trial.to_string(),
    )
}

/// Trials that share a model; never empty.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub trials: Vec<Trial>,
}

impl Group {
    /// The most trials in a group. If a backend crashes, they are lost and run again.
    pub(crate) const MAX_TRIALS: usize = 64;
    /// The most data of several trials in a group, in bytes, because a worker holds the data of its group.
    pub(in crate::suite) const MAX_BYTES: u64 = 16 << 20;

    /// A group of one trial with its own model.
    pub(crate) fn single(trial: Trial) -> Self {
        Self {
            trials: vec![trial],
        }
    }
}
