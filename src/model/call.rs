//! A call: the input of a backend for one trial, with the graph and the other runs that its surrounding implies.

use super::graph::Graph;
use super::surroundings::{GIVEN, Surrounding, graph};
use crate::semantics::operator::Binding;
use crate::semantics::request::Request;
use crate::tensor::{Fill, Tensor};
use std::borrow::Cow;

/// The first element of another run, times its number, so that no two runs share elements. f32 holds them all.
const FIRST_ELEMENT: u32 = 1 << 20;
/// The number of rounds of concurrent runs. In a single round, no two may overlap.
const ROUNDS: usize = 4;

/// The input of a backend for one trial: the request, how it reaches the backend, and the elements.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The request.
    pub request: &'a Request,
    /// How it reaches the backend.
    pub binding: Binding,
    /// The graph around the node, or the sequence; `None` for the node alone. A backend without models ignores it.
    pub surrounding: Option<Surrounding>,
    /// The data, of the request's shape and element type.
    pub data: &'a Tensor,
}

impl<'a> Call<'a> {
    /// The graph; `None` if its request cannot be in its surrounding.
    pub(crate) fn graph(&self) -> Option<Graph> {
        let Some(surrounding) = self.surrounding.filter(|of| of.has_graph()) else {
            return Some(Graph::lone(self.request, self.binding));
        };
        let mut graph = graph(self.request, self.binding, surrounding)?;
        if graph.holds_data() {
            graph.add_constant(GIVEN, self.data.clone());
        }
        Some(graph)
    }

    /// What a run passes as `data`; the graph makes the data from it.
    pub(crate) fn input(&self) -> Cow<'a, Tensor> {
        let graph = |surrounding| graph(self.request, self.binding, surrounding);
        let Some(graph) = self.surrounding.and_then(graph) else {
            return Cow::Borrowed(self.data);
        };
        let dims = graph.inputs[0].dims.clone();
        if graph.has_transpose() {
            return Cow::Owned(rotated(self.data, dims));
        }
        Cow::Owned(self.data.with_shape(dims))
    }

    /// The other runs, in order, with their data; empty unless the call is in a sequence.
    pub(crate) fn others(&self) -> Vec<(Request, Tensor)> {
        let requests = self.surrounding.iter();
        let requests = requests.flat_map(|of| of.other_runs(self.request, self.binding));
        let with_data = |(number, request): (u32, Request)| {
            let fill = Fill::From(number * FIRST_ELEMENT);
            let data = fill.tensor(request.element_type, request.data_shape.clone());
            (request, data)
        };
        (1..).zip(requests).map(with_data).collect()
    }

    /// Another run of its sequence, perhaps of another model.
    pub(crate) fn among(&self, request: &'a Request, data: &'a Tensor) -> Self {
        Self {
            request,
            surrounding: None,
            data,
            ..*self
        }
    }
}

/// The order of this many concurrent runs in each round. Each run is the first in some round.
pub(crate) fn rounds(count: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..ROUNDS).map(move |round| (0..count).map(|place| (place + round) % count).collect())
}

/// The tensor with these dims that a Transpose turns into the data: its first dim is moved to the end.
fn rotated(data: &Tensor, dims: Vec<u64>) -> Tensor {
    let first = dims.last().and_then(|dim| usize::try_from(*dim).ok());
    let first = first.unwrap_or(0).max(1);
    let rest = data.len() / first;
    Tensor::from_bits(data.element_type(), dims, |index| {
        data.bits(index % first * rest + index / first).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_runs_at_once_is_the_first_in_some_round() {
        let rounds: Vec<_> = rounds(4).collect();
        for run in 0..4 {
            assert!(rounds.iter().any(|order| order[0] == run));
            assert!(rounds.iter().all(|order| order.contains(&run)));
        }
    }
}
