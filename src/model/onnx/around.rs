//! The surroundings of the suite that a model has around a Reshape.

use super::proto::Node;
use super::value::{Contents, Value};
use crate::model::found::{FoundNode, NoNode};
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::TargetSource;
use std::collections::{HashMap, HashSet};

/// The most nodes that take a value, or give a part of a target, to look at: each Reshape of a hostile model has them all.
const MAX_NEIGHBORS: usize = 64;

/// The nodes of a graph by the values that they give and take.
#[derive(Default)]
pub(super) struct Neighbors<'a> {
    givers: HashMap<&'a str, &'a Node>,
    takers: HashMap<&'a str, Vec<&'a Node>>,
    /// The inputs of the graph that have a value in the model, too.
    pub(super) defaults: HashSet<&'a str>,
    /// The surrounding that the graph is the inner part of.
    inside: Option<Surrounding>,
}

/// What is known about a Reshape beside its neighbors.
pub(super) struct Own {
    pub(super) has_constant_data: bool,
    /// Whether the model declares the dims of its output.
    pub(super) is_declared: bool,
    pub(super) source: TargetSource,
    /// Whether the model leaves a dim of the data open.
    pub(super) dynamic: bool,
}

impl Own {
    /// `None` for a node that is not compared with the suite.
    pub(super) fn of(found: &Result<FoundNode, NoNode>, data: Option<&Value<'_>>) -> Option<Self> {
        let (source, dynamic, is_declared) = match found {
            Ok(node) => (node.source, node.dynamic, node.output.shape().is_some()),
            Err(NoNode::Stated(stated)) => (stated.source, true, false),
            Err(NoNode::Unknown(_) | NoNode::Malformed(_)) => return None,
        };
        Some(Self {
            has_constant_data: data
                .is_some_and(|data| matches!(data.contents, Contents::Constant(_))),
            is_declared,
            source,
            dynamic,
        })
    }
}

impl<'a> Neighbors<'a> {
    pub(super) fn of(nodes: &'a [Node], inside: Option<Surrounding>) -> Self {
        let mut neighbors = Self {
            inside,
            ..Self::default()
        };
        for node in nodes {
            for name in node.input.iter().filter(|name| !name.is_empty()) {
                let takers = neighbors.takers.entry(name).or_default();
                if takers.len() < MAX_NEIGHBORS {
                    takers.push(node);
                }
            }
            let gives = node.output.iter().map(|name| (name.as_str(), node));
            neighbors.givers.extend(gives);
        }
        neighbors
    }

    /// The surroundings around a Reshape, with those left out in which the suite has the target in another binding.
    pub(super) fn around(&self, node: &Node, own: &Own) -> Vec<Surrounding> {
        use Surrounding::{ComputedTarget, ComputedTargetFirst, ComputedTargetSliced};
        let is_bound_alike = |of: &Surrounding| {
            let mut source = own.source;
            // The suite's name for such a target is that of the values which the graph computes with, or replaces.
            if [ComputedTarget, ComputedTargetFirst, ComputedTargetSliced].contains(of) {
                source = TargetSource::Constant;
            } else if *of == Surrounding::TargetOverridable {
                source = TargetSource::Runtime;
            }
            of.source(own.dynamic) == Some(source)
        };
        let all = Surrounding::ALL.iter().copied();
        let around = all.filter(|of| self.is_around(*of, node, own));
        around.filter(is_bound_alike).collect()
    }

    fn is_around(&self, surrounding: Surrounding, node: &Node, own: &Own) -> bool {
        let [data, target] = [0, 1].map(|index| node.input.get(index).map_or("", String::as_str));
        let output = node.output.first().map_or("", String::as_str);
        let takers = |name| self.takers.get(name).map_or(&[][..], Vec::as_slice);
        let comes_from = |name, kind| self.giver(name) == Some(kind);
        let goes_to = |kind| takers(output).iter().any(|of| of.op_type == kind);
        // The parts of a joined target, and whether each is a constant.
        let joined = self.givers.get(target).filter(|of| of.op_type == "Concat");
        let parts: &[String] = joined.map_or(&[], |of| &of.input);
        let constant = |name: &String| self.giver(name).is_none_or(|kind| kind == "Constant");
        let constants: Vec<bool> = parts.iter().take(MAX_NEIGHBORS).map(constant).collect();
        match surrounding {
            Surrounding::AfterReshape => comes_from(data, "Reshape"),
            Surrounding::BeforeReshape => goes_to("Reshape"),
            Surrounding::BetweenReshapes => comes_from(data, "Reshape") && goes_to("Reshape"),
            Surrounding::AfterTranspose => comes_from(data, "Transpose"),
            Surrounding::AfterCast => comes_from(data, "Cast"),
            Surrounding::Quantised => {
                comes_from(data, "DequantizeLinear") && goes_to("QuantizeLinear")
            }
            Surrounding::BeforeFlatten => goes_to("Flatten"),
            Surrounding::ConstantData => own.has_constant_data,
            Surrounding::SharedData => takers(data).len() > 1,
            Surrounding::DeclaredOutput => own.is_declared,
            Surrounding::TargetFromReshape => comes_from(target, "Reshape"),
            Surrounding::TargetOverridable => self.defaults.contains(target),
            Surrounding::ComputedTargetNone => {
                constants.first() == Some(&true) && !constants.contains(&false)
            }
            Surrounding::ComputedTargetFirst => {
                constants.first() == Some(&false) && !constants[1..].contains(&false)
            }
            Surrounding::ComputedTarget => {
                let last = constants.split_last();
                last.is_some_and(|(last, others)| *last && !others.contains(&true))
            }
            Surrounding::ComputedTargetSliced => {
                parts.first().is_some_and(|name| comes_from(name, "Slice"))
            }
            Surrounding::InsideIf | Surrounding::InsideLoop | Surrounding::InsideFunction => {
                self.inside == Some(surrounding)
            }
            // How its constants are written, and other runs, are not around a node.
            Surrounding::TypedFields
            | Surrounding::ComputedTargetAfterOtherShape
            | Surrounding::AfterOtherData
            | Surrounding::AfterOtherShape
            | Surrounding::AfterOtherTarget
            | Surrounding::AfterRefusal
            | Surrounding::BetweenOtherModels
            | Surrounding::BesideOtherRuns => false,
        }
    }

    /// The operator that gives a value; `None` for an input or a constant of the graph.
    fn giver(&self, name: &str) -> Option<&str> {
        self.givers.get(name).map(|of| of.op_type.as_str())
    }
}
