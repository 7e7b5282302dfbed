//! Situations: data dims, target and zero mode, made into cases whose expectation is the oracle's.

use crate::backend::About;
use crate::case::{Case, Cover, ZeroMode};
use crate::operator::{Binding, OPERATORS, Operator};
use crate::oracle;
use crate::plan::Trial;
use crate::tensor::ElementType;
use std::sync::Arc;

/// One request, said neutrally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Situation {
    pub data: Vec<u64>,
    pub target: Vec<i64>,
    /// How zeros are read; `None` where the target holds none.
    pub zero: Option<ZeroMode>,
}

/// Where to search: operators with an element type each, and bindings.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    pub cells: Vec<(&'static Operator, ElementType, Binding)>,
}

impl Space {
    /// What the backend has of these operators and bindings (all if there is none named), in one element type each: the
    /// one asked for, or `f32`, or the first there is.
    pub(crate) fn of(about: &About, operators: &[&'static Operator], bindings: &[Binding], wanted: Option<ElementType>) -> Self {
        let mut cells = Vec::new();
        for operator in OPERATORS.iter().filter(|operator| operators.is_empty() || operators.contains(operator)) {
            for binding in operator.bindings.iter().filter(|binding| bindings.is_empty() || bindings.contains(binding)) {
                let types = about.supports.cells().get(&(operator.name, *binding));
                let has = |t: &ElementType| types.is_some_and(|types| types.contains(t)) && operator.element_types.contains(t);
                let first = || [ElementType::F32].into_iter().chain(operator.element_types.iter().copied()).find(has);
                let element_type = match wanted {
                    Some(wanted) => Some(wanted).filter(has),
                    None => first(),
                };
                cells.extend(element_type.map(|element_type| (operator, element_type, *binding)));
            }
        }
        Self { cells }
    }
}

impl Situation {
    /// The modes in which an operator can read this target's zeros.
    pub(crate) fn modes(operator: &Operator, target: &[i64]) -> &'static [Option<ZeroMode>] {
        match (target.contains(&0), operator.zero_attribute().is_some()) {
            (false, _) => &[None],
            (true, false) => &[Some(ZeroMode::Copy)],
            (true, true) => &[Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
        }
    }

    /// Its name as a case.
    fn name(&self) -> String {
        let list = |values: Vec<String>| if values.is_empty() { "nothing".to_owned() } else { values.join("-") };
        let value = |value: &i64| if *value < 0 { format!("minus-{}", value.unsigned_abs()) } else { value.to_string() };
        let data = if self.data.is_empty() { "scalar".to_owned() } else { list(self.data.iter().map(u64::to_string).collect()) };
        let zero = match self.zero {
            None => "",
            Some(ZeroMode::Copy) => "-copied",
            Some(ZeroMode::Literal) => "-literal",
        };
        format!("search-{data}-to-{}{zero}", list(self.target.iter().map(value).collect()))
    }

    /// The trial in one cell.
    pub(crate) fn trial(&self, operator: &'static Operator, element_type: ElementType, binding: Binding) -> Trial {
        let case =
            Case::made(self.name(), operator, element_type, self.data.clone(), self.target.clone(), self.zero, |request| {
                let resolution = oracle::resolve(request);
                let covers = oracle::rules(request, &resolution).into_iter().map(Cover::Rule).collect();
                (resolution.into(), covers)
            });
        Trial { case: Arc::new(case), operator, element_type, binding }
    }

    /// The situation of a trial that was made here.
    pub(crate) fn of(trial: &Trial) -> Self {
        let values = trial.case.target.iter().flat_map(|target| &target.values);
        let target = values.map(|value| i64::try_from(*value).unwrap_or_default()).collect();
        Self { data: trial.case.data_shape.clone(), target, zero: trial.case.zero }
    }
}
