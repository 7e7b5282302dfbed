//! Backends: implementations under test, behind one trait.
//!
//! [`Reference`] is the oracle itself; [`ProcessBackend`] is any program that speaks the protocol of `docs/protocol.md`.
//! A Rust author implements [`Backend`] for their own runtime.

pub(crate) mod manifest;
pub(crate) mod mutant;
pub(crate) mod process;
mod reference;
pub(crate) mod serve;
pub(crate) mod wire;

pub use manifest::{Adapter, find_adapters_folder, known_adapters};
pub use process::{ProcessBackend, ProcessOptions};
pub use reference::Reference;
pub use serve::serve;

use crate::spec::operator::{Binding, OPERATORS, Operator};
use crate::spec::outcome::{Outcome, ProcessFailure};
use crate::spec::request::{AttributeValue, Call, Request};
use crate::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet};

/// An implementation of Reshape under test.
pub trait Backend {
    /// Who it is and what it can do. What it does not support is never asked of it.
    fn about(&self) -> About;

    /// Does one Reshape. Whatever comes of it is an outcome; a panic is a crash.
    fn reshape(&mut self, call: &Call<'_>) -> Outcome;

    /// Says what will be asked after the next [`Backend::reshape_all`], for a backend that can begin early.
    fn announce(&mut self, _next: &Request, _binding: Binding) {}

    /// Does several that share a model, and reports each once, by its index, in any order.
    fn reshape_all(&mut self, calls: &[Call<'_>], done: &mut dyn FnMut(usize, Outcome)) {
        for (index, call) in calls.iter().enumerate() {
            done(index, self.reshape(call));
        }
    }

    /// Ends it; says what went wrong with it meanwhile that is no trial's outcome.
    fn finish(&mut self) -> UnattributedFailures {
        UnattributedFailures::default()
    }
}

/// What went wrong with a backend and is no trial's outcome: in a fresh child it did not happen again, or it happened
/// after the last trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnattributedFailures {
    /// How often.
    pub times: u64,
    /// The last.
    pub last: Option<ProcessFailure>,
}

impl UnattributedFailures {
    /// Another one.
    fn add(&mut self, misfortune: ProcessFailure) {
        self.extend(Self {
            times: 1,
            last: Some(misfortune),
        });
    }

    /// Those of another instance too.
    pub(crate) fn extend(&mut self, others: Self) {
        self.times = self.times.saturating_add(others.times);
        self.last = others.last.or(self.last.take());
    }
}

/// The bytes of the ONNX model (a ModelProto) through which a request reaches a runtime: graph inputs `data` and, for a
/// runtime target, `shape`; output `reshaped`.
#[must_use]
pub fn onnx_model(request: &Request, binding: Binding) -> Vec<u8> {
    crate::model::onnx::model(request, binding)
}

/// Who a backend is, and what it can do.
#[derive(Debug, Clone)]
pub struct About {
    /// Its name, as reports show it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it can do.
    pub supports: Supports,
}

/// The operators × element types × bindings that a backend has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supports {
    cells: BTreeMap<(&'static str, Binding), BTreeSet<ElementType>>,
    /// Attribute values it is limited to, by operator.
    attributes: BTreeMap<(&'static str, String), Vec<i64>>,
    limits: Limits,
}

/// What a backend has no way to be asked, whatever the cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// The highest rank of data and target.
    pub rank: Option<u64>,
    /// The highest rank of the data.
    pub data_rank: Option<u64>,
    /// The ranks of a target's own shape: 1 is a list, 0 a bare integer.
    pub target_ranks: Option<Vec<u64>>,
    /// The types of a target's values.
    pub target_types: Option<Vec<ElementType>>,
    /// The attributes that a node may carry.
    pub attributes: Option<Vec<String>>,
}

impl Limits {
    fn allow(&self, request: &Request) -> bool {
        let within = |most: Option<u64>, rank: usize| most.is_none_or(|most| rank as u64 <= most);
        let target = request.target.as_ref().is_none_or(|target| {
            within(self.rank, target.values.len())
                && self
                    .target_ranks
                    .as_ref()
                    .is_none_or(|ranks| ranks.contains(&(target.dims.len() as u64)))
                && self
                    .target_types
                    .as_ref()
                    .is_none_or(|types| types.contains(&target.element_type))
        });
        let known = |name: &String| {
            self.attributes
                .as_ref()
                .is_none_or(|names| names.contains(name))
        };
        let rank = request.data_shape.len();
        target
            && within(self.rank, rank)
            && within(self.data_rank, rank)
            && request.attributes.keys().all(known)
    }
}

impl Supports {
    /// Everything, even element types that no operator lists.
    #[must_use]
    pub fn everything() -> Self {
        let mut supports = Self::default();
        for operator in OPERATORS {
            supports.add(operator, ElementType::ALL, operator.bindings);
        }
        supports
    }

    /// These operators with the element types their texts list, through every binding.
    #[must_use]
    pub fn operators(operators: &[&'static Operator]) -> Self {
        let mut supports = Self::default();
        for operator in operators {
            supports.add(operator, operator.element_types, operator.bindings);
        }
        supports
    }

    /// Adds element types × bindings of one operator.
    pub fn add(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
    ) {
        for binding in bindings
            .iter()
            .filter(|binding| operator.bindings.contains(binding))
        {
            self.cells
                .entry((operator.name, *binding))
                .or_default()
                .extend(types);
        }
    }

    /// Narrows an integer attribute of an operator to some values.
    pub fn limit_attribute(&mut self, operator: &'static Operator, name: &str, values: Vec<i64>) {
        self.attributes
            .insert((operator.name, name.to_owned()), values);
    }

    /// Narrows it to what can be asked.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The highest rank that data and target can both have, if there is a limit.
    pub(crate) fn highest_rank(&self) -> Option<u64> {
        self.limits
            .rank
            .into_iter()
            .chain(self.limits.data_rank)
            .min()
    }

    /// Whether a request is within it.
    #[must_use]
    pub fn covers(&self, request: &Request, binding: Binding) -> bool {
        let name = request.operator.name;
        let cell = self
            .cells
            .get(&(name, binding))
            .is_some_and(|types| types.contains(&request.element_type));
        let limited = self.attributes.iter().filter(|((operator, _), _)| *operator == name).all(|((_, attribute), values)| {
            matches!(request.attributes.get(attribute), Some(AttributeValue::Int(value)) if values.contains(value))
        });
        cell && limited && self.limits.allow(request)
    }

    /// The first cell in which the two differ, in words.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let none = BTreeSet::new();
        for key in self.cells.keys().chain(other.cells.keys()) {
            let (ours, theirs) = (
                self.cells.get(key).unwrap_or(&none),
                other.cells.get(key).unwrap_or(&none),
            );
            let list = |types: Vec<_>| {
                types
                    .into_iter()
                    .map(ElementType::name)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let more: Vec<_> = ours.difference(theirs).copied().collect();
            let less: Vec<_> = theirs.difference(ours).copied().collect();
            if !more.is_empty() || !less.is_empty() {
                let (operator, binding) = key;
                let mut parts = Vec::new();
                if !more.is_empty() {
                    parts.push(format!("only the manifest has {}", list(more)));
                }
                if !less.is_empty() {
                    parts.push(format!("only the handshake has {}", list(less)));
                }
                return Some(format!("{operator} {binding}: {}", parts.join("; ")));
            }
        }
        None
    }

    /// The operators of which anything is supported, in the table's order.
    pub fn supported_operators(&self) -> impl Iterator<Item = &'static Operator> {
        OPERATORS
            .iter()
            .filter(|operator| self.cells.keys().any(|(name, _)| *name == operator.name))
    }

    pub(crate) fn cells(&self) -> &BTreeMap<(&'static str, Binding), BTreeSet<ElementType>> {
        &self.cells
    }
}
