//! Situations: data dims, target and zero mode, made into cases whose expectation is the oracle's. Their names say all of
//! them, so a trial can be made again from its name.

use crate::spec::operator::{Binding, Operator};
use crate::spec::oracle;
use crate::suite::case::{Case, Cover, ZeroMode};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// One request, said neutrally.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GeneratedCase {
    pub data: Vec<u64>,
    pub target: Vec<i64>,
    /// How zeros are read; `None` where the node does not say it, or the target holds none.
    pub zero: Option<ZeroMode>,
}

/// What begins the name of each such case.
pub(crate) const PREFIX: &str = "search-";
/// The most elements of data: what a name says is not allocated beyond this.
pub(crate) const MOST_ELEMENTS: u64 = 1 << 20;
/// The most dims of data and of target.
pub(crate) const MOST_DIMS: usize = 64;
/// Data of rank 0.
const SCALAR: &str = "scalar";
/// A target without values.
const NOTHING: &str = "nothing";

impl GeneratedCase {
    /// The modes in which an operator can read this target's zeros.
    pub(crate) fn modes(operator: &Operator, target: &[i64]) -> &'static [Option<ZeroMode>] {
        match (target.contains(&0), operator.zero_attribute().is_some()) {
            (false, _) => &[None],
            (true, false) => &[Some(ZeroMode::Copy)],
            (true, true) => &[Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
        }
    }

    /// All that a node can say of zeros, whether this target holds any or not: what does not matter to the text may matter
    /// to a backend.
    pub(crate) fn all_modes(operator: &Operator, target: &[i64]) -> &'static [Option<ZeroMode>] {
        match (
            target.contains(&0),
            operator.zero_attribute().map(|zero| zero.copies_by_default),
        ) {
            (_, None) => Self::modes(operator, target),
            (_, Some(Some(_))) => &[None, Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
            (true, Some(None)) => &[Some(ZeroMode::Copy), Some(ZeroMode::Literal)],
            // Without zeros and a mode the attribute that has to be there is false.
            (false, Some(None)) => &[None, Some(ZeroMode::Copy)],
        }
    }

    /// This one, if a node of this operator can say it; or else the nearest that can be said.
    pub(crate) fn sayable(mut self, operator: &Operator) -> Self {
        let modes = Self::all_modes(operator, &self.target);
        self.zero = self.zero.filter(|zero| modes.contains(&Some(*zero)));
        self
    }

    /// Its name as a case.
    fn name(&self) -> String {
        let list = |values: Vec<String>, none: &str| {
            if values.is_empty() {
                none.to_owned()
            } else {
                values.join("-")
            }
        };
        let value = |value: &i64| {
            if *value < 0 {
                format!("minus-{}", value.unsigned_abs())
            } else {
                value.to_string()
            }
        };
        let data = list(self.data.iter().map(u64::to_string).collect(), SCALAR);
        let target = list(self.target.iter().map(value).collect(), NOTHING);
        let zero = match self.zero {
            None => "",
            Some(ZeroMode::Copy) => "-copied",
            Some(ZeroMode::Literal) => "-literal",
        };
        format!("{PREFIX}{data}-to-{target}{zero}")
    }

    /// The one of this name.
    fn named(name: &str) -> Option<Self> {
        let (data, target) = name.strip_prefix(PREFIX)?.split_once("-to-")?;
        let data = match data {
            SCALAR => Vec::new(),
            dims => dims
                .split('-')
                .map(|dim| dim.parse().ok())
                .collect::<Option<_>>()?,
        };
        let (target, zero) = if let Some(target) = target.strip_suffix("-copied") {
            (target, Some(ZeroMode::Copy))
        } else if let Some(target) = target.strip_suffix("-literal") {
            (target, Some(ZeroMode::Literal))
        } else {
            (target, None)
        };
        let target = match target {
            NOTHING => Vec::new(),
            values => values
                .replace("minus-", "_")
                .split('-')
                .map(value)
                .collect::<Option<_>>()?,
        };
        Some(Self { data, target, zero })
    }

    /// The trial in one cell.
    pub(crate) fn trial(
        &self,
        operator: &'static Operator,
        element_type: ElementType,
        binding: Binding,
    ) -> Trial {
        let name = self.name();
        // Other elements in every trial, so that those of another one show.
        let fill = Fill::From(xxh3_64(name.as_bytes()) as u32 & 0xff);
        let case = Case::made(
            name,
            operator,
            element_type,
            (self.data.clone(), fill),
            self.target.clone(),
            self.zero,
            |request| {
                let resolution = oracle::resolve(request);
                let covers = oracle::rules(request, &resolution)
                    .into_iter()
                    .map(Cover::Rule)
                    .collect();
                (resolution.into(), covers)
            },
        );
        Trial::new(Arc::new(case), operator, element_type, binding)
    }

    /// The situation of a trial that was made here.
    pub(crate) fn of(trial: &Trial) -> Self {
        let values = trial.case.target.iter().flat_map(|target| &target.values);
        let target = values
            .map(|value| i64::try_from(*value).unwrap_or_default())
            .collect();
        Self {
            data: trial.case.data_shape.clone(),
            target,
            zero: trial.case.zero,
        }
    }
}

/// `7`, or `_7` for the value below 0.
fn value(text: &str) -> Option<i64> {
    match text.strip_prefix('_') {
        Some(digits) => format!("-{digits}").parse().ok(),
        None => text.parse().ok(),
    }
}

/// The trial of this name, if it is one that is made here.
pub(crate) fn trial_named(name: &str) -> Option<Trial> {
    let mut parts = name.split('/');
    let mut part = || parts.next();
    let (case, operator, element_type, binding) = (part()?, part()?, part()?, part()?);
    let (operator, situation) = (Operator::named(operator)?, GeneratedCase::named(case)?);
    let (element_type, binding) = (element_type.parse().ok()?, binding.parse().ok()?);
    let there_is = situation.data.len().max(situation.target.len()) <= MOST_DIMS
        && situation.data.iter().all(|dim| i64::try_from(*dim).is_ok())
        && operator.bindings.contains(&binding)
        && operator.element_types.contains(&element_type)
        && GeneratedCase::all_modes(operator, &situation.target).contains(&situation.zero)
        && Count::of(&situation.data)
            .as_u64()
            .is_some_and(|count| count <= MOST_ELEMENTS);
    if !there_is {
        return None;
    }
    let trial = situation.trial(operator, element_type, binding);
    // One name, one trial: no other spelling of the same.
    (trial.to_string() == name).then_some(trial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_made_again_from_its_name() {
        let operator = Operator::named("onnx.Reshape-14").expect("one");
        for (data, target) in [
            (vec![], vec![]),
            (vec![2, 3], vec![-1, 6]),
            (vec![0, i64::MAX as u64], vec![0, i64::MIN, -1, i64::MAX]),
            (vec![7], vec![-9, -8, 0]),
        ] {
            for zero in GeneratedCase::all_modes(operator, &target) {
                let situation = GeneratedCase {
                    data: data.clone(),
                    target: target.clone(),
                    zero: *zero,
                };
                for binding in operator.bindings {
                    let trial = situation.trial(operator, ElementType::F32, *binding);
                    let again = trial_named(&trial.to_string()).expect("its name says it all");
                    assert_eq!(
                        (GeneratedCase::of(&again), again.binding),
                        (situation.clone(), *binding),
                        "{trial}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_name_of_such_a_trial_is_none() {
        for name in [
            "",
            "search-2-to-2",
            "search-2-to-2/onnx.Reshape-14/f32",
            "search-2-to-2/onnx.Reshape-14/f32/constant-static/more",
            "search-02-to-2/onnx.Reshape-14/f32/constant-static",
            "search-2-to-_2/onnx.Reshape-14/f32/constant-static",
            "search--to-2/onnx.Reshape-14/f32/constant-static",
            "search-2-to-2-/onnx.Reshape-14/f32/constant-static",
            "search-2-to-0/openvino.Reshape-1/f32/constant-static",
            "search-2-to-0/onnx.Reshape-13/f32/constant-static",
            "search-2-to-2-literal/openvino.Reshape-1/f32/constant-static",
            "search-2-to-2-copied/onnx.Reshape-13/f32/constant-static",
            "search-2-to-0-literal/onnx.Reshape-13/f32/constant-static",
            "search-2-to-2/onnx.Reshape-14/f32/attribute-static",
            "search-99999999999-to-2/onnx.Reshape-14/f32/constant-static",
            "search-99999999999999999999-to-2/onnx.Reshape-14/f32/constant-static",
            "copied-zero/onnx.Reshape-14/f32/constant-static",
        ] {
            assert!(trial_named(name).is_none(), "{name}");
        }
    }
}
