//! Generated cases: data dims, target and zero mode, with the oracle's expectation. The name of such a case contains
//! all of them, so the name recreates its trials.

use crate::model::surroundings::{Surrounding, bindings_of, is_possible};
use crate::semantics::operator::{Binding, Operator};
use crate::semantics::oracle;
use crate::semantics::request::{Request, Target};
use crate::suite::case::{Case, Content, Cover, Stated, ZeroMode};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill};
use std::fmt::Write;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A request that is independent of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GeneratedCase {
    pub data: Vec<u64>,
    pub target: Vec<i64>,
    /// How zeros are read; `None` if the node does not state it.
    pub zero: Option<ZeroMode>,
}

/// An operator with an element type and a binding, alone or in a surrounding.
pub(crate) type Cell = (&'static Operator, ElementType, Binding, Option<Surrounding>);

/// The prefix of the name of every generated case.
pub(crate) const PREFIX: &str = "search-";
/// The maximum number of elements of the data, because a name could ask for any allocation.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 20;
/// The maximum number of dims of the data, and of values of the target.
pub(crate) const MAX_DIMS: usize = 64;
/// Data of rank 0, in a name.
const SCALAR: &str = "scalar";
/// A target without values, in a name.
const NOTHING: &str = "nothing";

impl GeneratedCase {
    /// The modes in which an operator can read this target's zeros; only `None` for a target without zeros.
    pub(crate) fn modes(operator: &Operator, target: &[i64]) -> &'static [Option<ZeroMode>] {
        if !target.contains(&0) {
            return &[None];
        }
        match (operator.can_copy_zeros(), operator.can_have_literal_zeros()) {
            (true, false) => &[Some(ZeroMode::Copy)],
            (false, _) => &[Some(ZeroMode::Literal)],
            (true, true) => &[Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
        }
    }

    /// The modes that a node can state, even without zeros: one without meaning to the text may matter to a backend.
    pub(crate) fn all_modes(operator: &Operator, target: &[i64]) -> &'static [Option<ZeroMode>] {
        match (
            target.contains(&0),
            operator.zero_attribute().map(|zero| zero.copies_by_default),
        ) {
            (_, None) => Self::modes(operator, target),
            (_, Some(Some(_))) => &[None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
            (true, Some(None)) => &[Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
            // Without zeros, `None` sets the required attribute to false.
            (false, Some(None)) => &[None, Some(ZeroMode::Copy)],
        }
    }

    /// This case, without a zero mode that a node of this operator cannot state.
    pub(crate) fn expressible(mut self, operator: &Operator) -> Self {
        let modes = Self::all_modes(operator, &self.target);
        self.zero = self.zero.filter(|zero| modes.contains(&Some(*zero)));
        self
    }

    /// The name of the case.
    fn name(&self) -> String {
        let mut name = String::with_capacity(64);
        name.push_str(PREFIX);
        push_list(&mut name, self.data.iter().map(|dim| (false, *dim)), SCALAR);
        name.push_str("-to-");
        let values = self.target.iter();
        let values = values.map(|value| (*value < 0, value.unsigned_abs()));
        push_list(&mut name, values, NOTHING);
        name.push_str(match self.zero {
            None => "",
            Some(ZeroMode::Copy) => "-copied",
            Some(ZeroMode::Literal) => "-literal",
        });
        name
    }

    /// The generated case with this name.
    fn named(name: &str) -> Option<Self> {
        let (data, target) = name.strip_prefix(PREFIX)?.split_once("-to-")?;
        let data = list(data, SCALAR, |dim| dim.parse().ok())?;
        let (target, zero) = if let Some(target) = target.strip_suffix("-copied") {
            (target, Some(ZeroMode::Copy))
        } else if let Some(target) = target.strip_suffix("-literal") {
            (target, Some(ZeroMode::Literal))
        } else {
            (target, None)
        };
        let target = list(&target.replace("minus-", "_"), NOTHING, value)?;
        Some(Self { data, target, zero })
    }

    /// Its trial in a cell; `None` if it cannot be in the cell's surrounding.
    pub(crate) fn trial_in(&self, cell: Cell) -> Option<Trial> {
        let (operator, element_type, binding, surrounding) = cell;
        let Some(surrounding) = surrounding else {
            return Some(self.trial(operator, element_type, binding));
        };
        // One bit less leaves room for the elements of small data in an i8, which some surroundings need.
        let fits = |most| {
            let (case, request) = self.asked(operator, element_type, most);
            let keeps = surrounding.keeps(case.content.elements(&self.data));
            keeps.then_some((case, request))
        };
        let (case, request) = fits(0xff).or_else(|| fits(0x3f))?;
        let is_there = !bindings_of(surrounding, &[binding]).is_empty()
            && is_possible(&request, binding, surrounding);
        is_there.then(|| {
            let mut trial = judged(case, binding, request);
            trial.surrounding = Some(surrounding);
            trial
        })
    }

    /// Its trial with this operator, element type and binding.
    pub(crate) fn trial(
        &self,
        operator: &'static Operator,
        element_type: ElementType,
        binding: Binding,
    ) -> Trial {
        let (case, request) = self.asked(operator, element_type, 0xff);
        judged(case, binding, request)
    }

    /// The case without expectations, and its request. The first element is at most `most`.
    fn asked(
        &self,
        operator: &'static Operator,
        element_type: ElementType,
        most: u32,
    ) -> (Case, Arc<Request>) {
        let name = self.name();
        // Every case has other elements, so that those of an earlier trial are noticed.
        let fill = Fill::From(xxh3_64(name.as_bytes()) as u32 & most);
        let target = Some(Target::list(self.target.clone()));
        let case = Case {
            element_types: Some(vec![element_type]),
            content: Content::Fill(fill),
            ..Case::asked(&name, vec![operator], self.data.clone(), target, self.zero)
        };
        let request = Arc::new(case.request(operator, element_type));
        (case, request)
    }

    /// The generated case of a trial.
    pub(crate) fn of(trial: &Trial) -> Self {
        let values = trial.case.target.iter().flat_map(|target| &target.values);
        let target = values.map(|value| i64::try_from(*value).unwrap_or_default());
        Self {
            data: trial.case.data_shape.clone(),
            target: target.collect(),
            zero: trial.case.zero,
        }
    }
}

/// The trial of a generated case with this request, with the oracle's expectation.
fn judged(mut case: Case, binding: Binding, request: Arc<Request>) -> Trial {
    let resolution = oracle::resolve(&request);
    let rules = oracle::rules(&request, &resolution);
    case.covers = rules.into_iter().map(Cover::Rule).collect();
    case.expectations = vec![Stated::new(vec![request.operator], resolution.into(), 0..0)];
    Trial::with_request(Arc::new(case), binding, request)
}

/// Writes values, each with its sign; every trial of a search has a name.
fn push_list(name: &mut String, values: impl Iterator<Item = (bool, u64)>, empty: &str) {
    let start = name.len();
    for (is_negative, value) in values {
        if name.len() > start {
            name.push('-');
        }
        if is_negative {
            name.push_str("minus-");
        }
        // Writing to a string cannot fail.
        let _ = write!(name, "{value}");
    }
    if name.len() == start {
        name.push_str(empty);
    }
}

/// The values that [`push_list`] wrote.
fn list<T>(text: &str, empty: &str, value: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    match text == empty {
        true => Some(Vec::new()),
        false => text.split('-').map(value).collect(),
    }
}

/// `7`, or `_7` for the value below 0.
fn value(text: &str) -> Option<i64> {
    match text.strip_prefix('_') {
        Some(digits) => format!("-{digits}").parse().ok(),
        None => text.parse().ok(),
    }
}

/// The trial with this name; `None` if no generated case has it.
pub(crate) fn trial_named(name: &str) -> Option<Trial> {
    let mut parts = name.split('/');
    let mut part = || parts.next();
    let (case, operator, element_type, binding) = (part()?, part()?, part()?, part()?);
    let (operator, generated) = (Operator::named(operator)?, GeneratedCase::named(case)?);
    let (binding, surrounding) = match binding.split_once('+') {
        Some((binding, surrounding)) => (binding, Some(surrounding.parse().ok()?)),
        None => (binding, None),
    };
    let (element_type, binding) = (element_type.parse().ok()?, binding.parse().ok()?);
    let exists = generated.data.len().max(generated.target.len()) <= MAX_DIMS
        && generated.data.iter().all(|dim| i64::try_from(*dim).is_ok())
        && operator.bindings.contains(&binding)
        && operator.element_types.contains(&element_type)
        && GeneratedCase::all_modes(operator, &generated.target).contains(&generated.zero)
        && Count::of(&generated.data).is_at_most(MAX_ELEMENTS);
    if !exists {
        return None;
    }
    let trial = generated.trial_in((operator, element_type, binding, surrounding))?;
    // Accept only the canonical spelling, such as `2` but not `02`.
    (trial.to_string() == name).then_some(trial)
}
