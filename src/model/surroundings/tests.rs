//! Each surrounding gives the node the case's data and target, and passes its output on.

use super::*;
use crate::backend::{Backend, Reference};
use crate::model::call::Call;
use crate::model::graph::{Body, Nesting, Node, OUTPUT, Operation, list};
use crate::semantics::operator::Operator;
use crate::semantics::outcome::Outcome;
use crate::semantics::request::{AttributeValue, Attributes, Target};
use crate::tensor::{Fill, Tensor};
use std::collections::HashMap;

fn request(data: &[u64], target: &[i64], attributes: &[(&str, i64)]) -> Request {
    let operator = Operator::named("onnx.Reshape-19").expect("an operator of that name");
    let attributes = attributes.iter();
    let attributes =
        attributes.map(|(name, value)| ((*name).to_owned(), AttributeValue::Int(*value)));
    Request {
        attributes: Attributes::new(attributes.collect()),
        ..Request::plain(operator, data, target)
    }
}

/// What the graph of a call does when every node does what its operation says, the node under test by the reference.
/// `None` where the node refuses. Checks which data and target the node gets.
fn run(call: &Call<'_>) -> Option<Tensor> {
    let graph = call.graph().expect("a graph");
    for input in &graph.inputs {
        let is_taken = graph.nodes.iter().any(|node| takes(node, input.name));
        assert!(is_taken, "a node takes {}", input.name);
    }
    let mut values: HashMap<String, Tensor> = graph.constants.iter().cloned().collect();
    values.insert("data".to_owned(), call.input().into_owned());
    let target = call.request.target.as_ref();
    if let Some(target) = target.filter(|_| graph.takes_target()) {
        let held = values.insert("shape".to_owned(), target.tensor());
        let given = Some(target.tensor());
        assert_ne!(held, given, "the model holds another target");
    }
    result_of_nodes(&graph.nodes, values, OUTPUT, call)
}

/// Whether a node, or one in its bodies, takes the value of this name.
fn takes(node: &Node, name: &str) -> bool {
    let in_body = |body: &Body| body.nodes.iter().any(|node| takes(node, name));
    matches!(&node.operation, Operation::Nested(_, bodies) if bodies.iter().any(in_body))
        || node.inputs.iter().any(|of| of == name)
}

type Values = HashMap<String, Tensor>;

fn result_of_nodes(
    nodes: &[Node],
    mut values: Values,
    output: &str,
    call: &Call<'_>,
) -> Option<Tensor> {
    for node in nodes {
        let taken: Vec<&Tensor> = node.inputs.iter().map(|name| &values[name]).collect();
        let result = result_of(&node.operation, &taken, &values, call)?;
        values.insert(node.output.clone(), result);
    }
    values.remove(output)
}

/// A condition must be true, and all iterations of a loop give the same.
fn result_of_body(
    body: &Body,
    taken: &[&Tensor],
    mut values: Values,
    call: &Call<'_>,
) -> Option<Tensor> {
    let names = body.inputs.iter().map(|(name, ..)| (*name).to_owned());
    values.extend(names.zip(taken.iter().map(|of| (*of).clone())));
    let (output, ..) = body.outputs.last()?;
    result_of_nodes(&body.nodes, values, output, call)
}

fn result_of(
    operation: &Operation,
    taken: &[&Tensor],
    values: &Values,
    call: &Call<'_>,
) -> Option<Tensor> {
    let integers = |of: &Tensor| -> Vec<i64> {
        let integer = |index| of.integer(index).and_then(|value| value.try_into().ok());
        (0..of.len()).filter_map(integer).collect()
    };
    Some(match operation {
        Operation::UnderTest => {
            assert_eq!(taken[0], call.data, "the node gets the data");
            if let Some(target) = taken.get(1) {
                let wanted = call.request.target.as_ref().map(Target::tensor);
                assert_eq!(Some((*target).clone()), wanted, "the node gets the target");
            }
            referred(call)?
        }
        Operation::Reshape(target) => {
            let count = taken[0].len() as i64;
            let copied = target.iter().enumerate().map(|(index, value)| match value {
                0 => taken[0].shape()[index].cast_signed(),
                value => *value,
            });
            let mut dims: Vec<i64> = copied.collect();
            let known: i64 = dims.iter().filter(|dim| **dim >= 0).product();
            dims.iter_mut()
                .filter(|dim| **dim < 0)
                .for_each(|dim| *dim = count / known);
            assert_eq!(dims.iter().product::<i64>(), count);
            taken[0].with_shape(dims.into_iter().map(i64::cast_unsigned).collect())
        }
        Operation::Transpose(order) => transposed(taken[0], order),
        Operation::Shape => {
            let dims = taken[0].shape().iter().map(|dim| dim.cast_signed());
            let dims: Vec<i64> = dims.collect();
            list(&dims)
        }
        Operation::Gather(index) => {
            let value = integers(taken[0])[usize::try_from(*index).expect("an index")];
            list(&[value]).with_shape(Vec::new())
        }
        Operation::Unsqueeze => taken[0].with_shape(vec![1]),
        Operation::Slice(from, to) => {
            let range =
                usize::try_from(*from).expect("a start")..usize::try_from(*to).expect("an end");
            list(&integers(taken[0])[range])
        }
        Operation::Concat => {
            let all: Vec<i64> = taken.iter().flat_map(|of| integers(of)).collect();
            list(&all)
        }
        // What they come to does not matter: it is subtracted from the same of the output.
        Operation::Negative | Operation::Subtract => taken[0].clone(),
        Operation::Sum(_) | Operation::Least(_) => taken[0].clone(),
        Operation::Add | Operation::Flatten | Operation::Identity => taken[0].clone(),
        Operation::Nested(Nesting::Function, bodies) => {
            result_of_body(&bodies[0], taken, Values::new(), call)?
        }
        Operation::Nested(_, bodies) => {
            let first = taken[0].bits(0);
            assert_ne!(first, Some(0), "it takes the first branch, or iterates");
            result_of_body(&bodies[0], taken, values.clone(), call)?
        }
        Operation::Cast(to) if *to == call.request.element_type => call.data.clone(),
        Operation::Cast(to) => {
            let values: Vec<_> = (0..taken[0].len()).map(|at| taken[0].integer(at)).collect();
            Tensor::from_bits(*to, taken[0].shape().to_vec(), |at| {
                values[at].unwrap_or(0) as u128
            })
        }
        Operation::Quantise | Operation::Dequantise => taken[0].clone(),
    })
}

/// What the reference gives; `None` if it refuses.
fn referred(call: &Call<'_>) -> Option<Tensor> {
    if let Outcome::Reshaped { output, .. } = Reference.reshape(call) {
        return Some(output);
    }
    None
}

/// By the definition: the element at an index of the result is the one at the permuted index.
fn transposed(tensor: &Tensor, order: &[i64]) -> Tensor {
    let dims = tensor.shape();
    let order = order.iter().filter_map(|of| (*of).try_into().ok());
    let order: Vec<usize> = order.collect();
    let result: Vec<u64> = order.iter().map(|from| dims[*from]).collect();
    Tensor::from_bits(tensor.element_type(), result.clone(), |index| {
        let mut rest = index as u64;
        let mut place = vec![0; dims.len()];
        for (axis, length) in result.iter().enumerate().rev() {
            place[order[axis]] = rest % length;
            rest /= length;
        }
        let places = place.iter().zip(dims);
        let flat = places.fold(0, |flat, (at, dim)| flat * dim + at);
        tensor
            .bits(usize::try_from(flat).expect("an index"))
            .expect("an element")
    })
}

fn planned(request: &Request) -> Vec<(Binding, Surrounding)> {
    let elements = Elements {
        by_index: true,
        fit_i8: true,
    };
    candidates(request.operator.bindings, elements)
        .filter(|(binding, surrounding)| is_possible(request, *binding, *surrounding))
        .collect()
}

fn check(request: &Request) -> Vec<String> {
    let data = Fill::Index.tensor(request.element_type, request.data_shape.clone());
    let mut planned = planned(request);
    planned.retain(|(_, surrounding)| !surrounding.is_sequence());
    for (binding, surrounding) in &planned {
        let call = Call {
            request,
            binding: *binding,
            surrounding: Some(*surrounding),
            data: &data,
        };
        let expected = referred(&call);
        assert_eq!(run(&call), expected, "{binding}+{surrounding} {request:?}");
    }
    let name = |(binding, surrounding): &(Binding, Surrounding)| format!("{binding}+{surrounding}");
    planned.iter().map(name).collect()
}

#[test]
fn every_surrounding_hands_on_data_target_and_output() {
    let all = check(&request(&[3, 4], &[3, 4], &[]));
    let graphs = Surrounding::ALL.iter().filter(|of| !of.is_sequence());
    assert_eq!(all.len(), 2 * graphs.count());
    for (data, target) in [
        (&[2, 3, 4][..], &[2, 3, 4][..]),
        (&[2, 3, 4], &[4, 3, -1]),
        (&[2, 3, 4], &[0, -1]),
        (&[0, 3], &[3, 0]),
        (&[0, 3], &[-1, 3]),
        (&[6], &[2, 3]),
        (&[], &[1]),
        (&[2, 3], &[7]),
        (&[2, 3], &[-1, -1]),
        (&[5, 1], &[1, 0]),
    ] {
        assert!(!check(&request(data, target, &[])).is_empty());
        check(&request(data, target, &[("allowzero", 1)]));
    }
}

#[test]
fn a_target_is_computed_as_far_as_it_agrees_with_the_dims() {
    let with = |data: &[u64], target: &[i64]| check(&request(data, target, &[])).join(" ");
    assert!(!with(&[6], &[2, 3]).contains("computed-target-first"));
    assert!(with(&[6], &[2, 3]).contains("computed-target-none"));
    let first_only = with(&[2, 3], &[2, -1]);
    assert!(first_only.contains("computed-target-first") && first_only.contains("sliced"));
    let swapped = with(&[2, 3, 1], &[3, 2, -1]);
    assert!(swapped.contains("+computed-target ") && !swapped.contains("sliced"));
}

#[test]
fn an_open_question_has_no_declared_output() {
    let open = check(&request(&[2, 3], &[-3, 2], &[]));
    assert!(!open.is_empty() && open.iter().all(|name| !name.ends_with("declared-output")));
    let refused = check(&request(&[2, 3], &[4, 2], &[]));
    assert!(refused.iter().any(|name| name.ends_with("declared-output")));
}

#[test]
fn what_other_operators_may_not_take_has_no_surroundings() {
    let mut bools = request(&[2, 3], &[6], &[]);
    bools.element_type = ElementType::Bool;
    assert!(check(&bools).is_empty());
    assert!(planned(&request(&[1 << 17], &[-1], &[])).is_empty());
}

#[test]
fn the_manual_lists_every_surrounding() {
    let manual = include_str!("../../../docs/cases.md");
    for surrounding in Surrounding::ALL {
        let has_row = manual.contains(&format!("\n| `{surrounding}` | "));
        assert!(has_row, "{surrounding}");
    }
}
