//! The capabilities of a backend, and the limits of how requests reach it.

use crate::spec::operator::{Binding, OPERATORS, Operator};
use crate::spec::request::{AttributeValue, Request};
use crate::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet};

/// The operators × element types × bindings that a backend supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supports {
    /// The element types that any entry has, by operator and binding.
    cells: BTreeMap<(&'static str, Binding), BTreeSet<ElementType>>,
    /// The entries; a request is supported if one of them covers it whole.
    entries: Vec<Entry>,
    limits: Limits,
}

/// Element types × bindings of one operator, and the values to which attributes are limited there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    operator: &'static str,
    element_types: Vec<ElementType>,
    bindings: Vec<Binding>,
    attributes: BTreeMap<String, Vec<i64>>,
}

impl Entry {
    fn covers(&self, request: &Request, binding: Binding) -> bool {
        self.operator == request.operator.name
            && self.element_types.contains(&request.element_type)
            && self.bindings.contains(&binding)
            && self
                .attributes
                .iter()
                .all(|(attribute, values)| has_value(request, attribute, values))
    }
}

/// Limits of what can be passed to a backend, for every operator, element type and binding. `None` means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// The highest rank of data and target.
    pub rank: Option<u64>,
    /// The highest rank of the data.
    pub data_rank: Option<u64>,
    /// The ranks of the target tensor itself: 1 is a list, 0 is a scalar.
    pub target_ranks: Option<Vec<u64>>,
    /// The element types of the target.
    pub target_types: Option<Vec<ElementType>>,
    /// The names of the attributes that a node can carry.
    pub attributes: Option<Vec<String>>,
}

impl Limits {
    /// Whether a request is within the limits.
    fn allow(&self, request: &Request) -> bool {
        fn within(limit: Option<u64>, rank: usize) -> bool {
            limit.is_none_or(|limit| rank as u64 <= limit)
        }
        fn listed<T: PartialEq>(list: Option<&Vec<T>>, item: &T) -> bool {
            list.is_none_or(|list| list.contains(item))
        }
        let data_rank = request.data_shape.len();
        let target = request.target.as_ref().is_none_or(|target| {
            within(self.rank, target.values.len())
                && listed(self.target_ranks.as_ref(), &(target.dims.len() as u64))
                && listed(self.target_types.as_ref(), &target.element_type)
        });
        target
            && within(self.rank, data_rank)
            && within(self.data_rank, data_rank)
            && request
                .attributes
                .keys()
                .all(|name| listed(self.attributes.as_ref(), name))
    }
}

impl Supports {
    /// Every operator and binding with every element type, including those that the operator's text does not list.
    #[must_use]
    pub fn everything() -> Self {
        let mut supports = Self::default();
        for operator in OPERATORS {
            supports.add(operator, ElementType::ALL, operator.bindings);
        }
        supports
    }

    /// These operators with the element types that their texts list, through every binding.
    #[must_use]
    pub fn operators(operators: &[&'static Operator]) -> Self {
        let mut supports = Self::default();
        for operator in operators {
            supports.add(operator, operator.element_types, operator.bindings);
        }
        supports
    }

    /// Adds element types × bindings of one operator. Ignores bindings that the operator does not have.
    pub fn add(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
    ) {
        self.add_limited(operator, types, bindings, BTreeMap::new());
    }

    /// Adds element types × bindings of one operator, for nodes whose integer attributes of these names have one of these
    /// values. A node without the attribute is not covered. What else is added is not limited by them.
    pub fn add_limited(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
        attributes: BTreeMap<String, Vec<i64>>,
    ) {
        let has = |binding: &&Binding| operator.bindings.contains(binding);
        let bindings: Vec<Binding> = bindings.iter().filter(has).copied().collect();
        for binding in &bindings {
            let cell = self.cells.entry((operator.name, *binding));
            cell.or_default().extend(types);
        }
        self.entries.push(Entry {
            operator: operator.name,
            element_types: types.to_vec(),
            bindings,
            attributes,
        });
    }

    /// Sets the limits.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The highest rank that both data and target can have; `None` if there is no limit.
    pub(crate) fn highest_rank(&self) -> Option<u64> {
        self.limits
            .rank
            .into_iter()
            .chain(self.limits.data_rank)
            .min()
    }

    /// Whether a request is supported through a binding.
    #[must_use]
    pub fn covers(&self, request: &Request, binding: Binding) -> bool {
        self.limits.allow(request)
            && self
                .entries
                .iter()
                .any(|entry| entry.covers(request, binding))
    }

    /// The first operator and binding whose element types differ between this manifest and a handshake, as text; `None`
    /// if there is no such difference. The handshake carries no limits and no attribute values, so they are not compared.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        let none = BTreeSet::new();
        self.cells
            .keys()
            .chain(handshake.cells.keys())
            .find_map(|key| {
                let ours = self.cells.get(key).unwrap_or(&none);
                let theirs = handshake.cells.get(key).unwrap_or(&none);
                let parts: Vec<_> = [
                    ("manifest", ours.difference(theirs)),
                    ("handshake", theirs.difference(ours)),
                ]
                .into_iter()
                .filter_map(|(place, types)| {
                    let names: Vec<_> = types.map(|element_type| element_type.name()).collect();
                    (!names.is_empty())
                        .then(|| format!("only the {place} has {}", names.join(", ")))
                })
                .collect();
                let (operator, binding) = key;
                (!parts.is_empty()).then(|| format!("{operator} {binding}: {}", parts.join("; ")))
            })
    }

    /// The operators of which anything is supported, in the order of the operator table.
    pub fn supported_operators(&self) -> impl Iterator<Item = &'static Operator> {
        OPERATORS
            .iter()
            .filter(|operator| self.cells.keys().any(|(name, _)| *name == operator.name))
    }

    /// The supported element types by operator name and binding.
    pub(crate) fn cells(&self) -> &BTreeMap<(&'static str, Binding), BTreeSet<ElementType>> {
        &self.cells
    }
}

/// Whether an attribute of the node is present with one of these values.
fn has_value(request: &Request, attribute: &str, values: &[i64]) -> bool {
    matches!(request.attributes.get(attribute), Some(AttributeValue::Int(value)) if values.contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::request::Attributes;

    #[test]
    fn an_attribute_limit_holds_for_its_own_entry_alone() {
        let operator = Operator::named("onnx.Reshape-14").unwrap();
        let mut supports = Supports::default();
        let (one, other) = (ElementType::F32, ElementType::F16);
        let limit = BTreeMap::from([("allowzero".to_owned(), vec![1])]);
        supports.add_limited(operator, &[one], operator.bindings, limit);
        supports.add(operator, &[other], operator.bindings);
        let covers = |element_type, attributes: Attributes| {
            let request = Request {
                operator,
                element_type,
                data_shape: vec![6],
                target: None,
                attributes,
            };
            supports.covers(&request, operator.bindings[0])
        };
        let set = || Attributes::from([("allowzero".to_owned(), AttributeValue::Int(1))]);
        assert!(covers(one, set()) && !covers(one, Attributes::new()));
        assert!(covers(other, set()) && covers(other, Attributes::new()));
    }
}
