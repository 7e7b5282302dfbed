//! The surroundings of the suite that a model has around a Reshape.

use super::proto::{Node, ValueInfo};
use super::value::{Contents, Ints, Value};
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
    /// The outputs of the graph.
    outputs: HashSet<&'a str>,
    /// The inputs of the graph that have a value in the model, too.
    pub(super) defaults: HashSet<&'a str>,
    /// The surrounding that the graph is the inner part of.
    inside: Option<Surrounding>,
}

/// What is known about a Reshape beside its neighbors.
pub(super) struct Own {
    has_constant_data: bool,
    /// Whether the model declares the dims of its output.
    is_declared: bool,
    source: TargetSource,
    /// Whether the model leaves a dim of the data open.
    dynamic: bool,
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
    pub(super) fn of(
        nodes: &'a [Node],
        outputs: &'a [ValueInfo],
        inside: Option<Surrounding>,
    ) -> Self {
        let mut neighbors = Self {
            inside,
            outputs: outputs.iter().map(|of| of.name.as_str()).collect(),
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
    /// `ints` gives what is known about the integers of a value.
    pub(super) fn around(
        &self,
        node: &Node,
        own: &Own,
        ints: &dyn Fn(&str) -> Option<Ints>,
    ) -> Vec<Surrounding> {
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
        let [data, target] = [0, 1].map(|index| input(node, index));
        let output = node.output.first().map_or("", String::as_str);
        let takers = |name| self.takers.get(name).map_or(&[][..], Vec::as_slice);
        // A node before or after has its value for itself, so that a backend may leave the node out.
        let is_own = |name| takers(name).len() == 1 && !self.outputs.contains(name);
        let comes_from = |kind| self.giver(data) == Some(kind) && is_own(data);
        let next = takers(output).first();
        let next = next.filter(|of| is_own(output) && input(of, 0) == output);
        let goes_to = |kind| next.is_some_and(|of| of.op_type == kind);
        // What the target of a Reshape behind it holds.
        let behind = || -> Option<Vec<i128>> {
            let next = next.filter(|of| of.op_type == "Reshape")?;
            let values = ints(input(next, 1))?.values;
            values.iter().map(|of| of.as_ref()?.known()).collect()
        };
        let behind = behind().unwrap_or_default();
        // Whether it copies every dim; the suite's Reshape before the last may infer it.
        let copies = |infers: bool| {
            behind.split_last().is_some_and(|(last, others)| {
                others.iter().all(|of| *of == 0) && (*last == 0 || infers && *last == -1)
            })
        };
        // The parts of a joined target, and whether each is a constant; the others come from the dims of the data.
        let joined = self.givers.get(target).filter(|of| of.op_type == "Concat");
        let parts: &[String] = joined.map_or(&[], |of| &of.input);
        let parts = &parts[..parts.len().min(MAX_NEIGHBORS)];
        let constant = |name: &String| self.giver(name).is_none_or(|kind| kind == "Constant");
        let constants: Vec<bool> = parts.iter().map(constant).collect();
        let is_known = |name| constant(name) || self.is_of_shape(name, data);
        let is_computed = parts.iter().all(is_known);
        let is_around = |of: &Surrounding| match of {
            Surrounding::AfterReshape => comes_from("Reshape"),
            Surrounding::BeforeReshape => copies(false),
            Surrounding::BeforeLengths => behind.iter().min().is_some_and(|least| *least > 0),
            Surrounding::BetweenReshapes => comes_from("Reshape") && copies(true),
            Surrounding::AfterTranspose => comes_from("Transpose"),
            Surrounding::AfterCast => comes_from("Cast"),
            Surrounding::Quantised => comes_from("DequantizeLinear") && goes_to("QuantizeLinear"),
            Surrounding::BeforeFlatten => goes_to("Flatten"),
            Surrounding::ConstantData => own.has_constant_data,
            Surrounding::SharedData => {
                let others = takers(data).iter().filter(|of| of.op_type != "Shape");
                others.count() > 1
            }
            Surrounding::DeclaredOutput => own.is_declared,
            Surrounding::TargetFromReshape => self.giver(target) == Some("Reshape"),
            Surrounding::TargetFromReshapeDeclared => {
                own.is_declared && self.giver(target) == Some("Reshape")
            }
            Surrounding::TargetOverridable => self.defaults.contains(target),
            Surrounding::ComputedTargetNone => {
                constants.first() == Some(&true) && !constants.contains(&false)
            }
            Surrounding::ComputedTargetFirst => {
                let first = constants.split_first();
                is_computed && first.is_some_and(|(first, rest)| !first && !rest.contains(&false))
            }
            Surrounding::ComputedTarget => {
                let last = constants.split_last();
                let computes = |others: &[bool]| !others.is_empty() && !others.contains(&true);
                is_computed && last.is_some_and(|(last, others)| *last && computes(others))
            }
            Surrounding::ComputedTargetSliced => {
                let first = parts.first().filter(|_| is_computed);
                first.is_some_and(|name| self.giver(name) == Some("Slice"))
            }
            Surrounding::InsideIf | Surrounding::InsideLoop | Surrounding::InsideFunction => {
                self.inside == Some(*of)
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
        };
        let all = Surrounding::ALL.iter().copied();
        all.filter(|of| is_bound_alike(of) && is_around(of))
            .collect()
    }

    /// Whether a value comes from the Shape of the data, through the nodes that exporters write.
    fn is_of_shape(&self, name: &str, data: &str) -> bool {
        let mut giver = self.givers.get(name);
        for _ in 0..MAX_NEIGHBORS {
            match giver {
                Some(node) if node.op_type == "Shape" => return input(node, 0) == data,
                Some(node) => giver = self.givers.get(input(node, 0)),
                None => return false,
            }
        }
        false
    }

    /// The operator that gives a value; `None` for an input or a constant of the graph.
    fn giver(&self, name: &str) -> Option<&str> {
        self.givers.get(name).map(|of| of.op_type.as_str())
    }
}

/// The name of an input; empty if the node has none.
pub(super) fn input(node: &Node, index: usize) -> &str {
    node.input.get(index).map_or("", String::as_str)
}
