//! The fast path: requests that every reader resolves alike, resolved in one pass. The readers give the same answer
//! with every step; `explain` always asks them.

use crate::semantics::operator::Reason;
use crate::semantics::operator::rules::ZeroRule;
use crate::semantics::request::{AttributeValue, Request};
use crate::tensor::Shape;

/// The highest rank of data and target for the fast path. Above it, a refusal may be a limit.
const HIGHEST_RANK: usize = 8;
/// The most elements, and so the longest dim. Above it, a refusal may be a limit.
const MAX_ELEMENTS: u64 = (1 << 31) - 1;

/// The shape of a request on the fast path, or the only reason to reject it; `None` for any other request.
pub(super) fn resolve(request: &Request) -> Option<Result<Shape, Reason>> {
    let (rules, dims) = (&request.operator.rules, &request.data_shape);
    let target = request.target.as_ref().filter(|of| of.is_flat())?;
    let types = request.operator.element_types;
    let has_fast_types = types.contains(&request.element_type)
        && rules.target.element_types.contains(&target.element_type);
    let is_fast_rank = |rank| (1..=HIGHEST_RANK).contains(&rank);
    if !has_fast_types || !is_fast_rank(dims.len()) || !is_fast_rank(target.values.len()) {
        return None;
    }
    let (copies, count) = (copies_zero(request)?, fast_count(dims)?);
    let (mut lengths, mut known, mut inferred) = ([1; HIGHEST_RANK], 1_u64, None);
    for (index, value) in target.values.iter().enumerate() {
        lengths[index] = match *value {
            1.. => u64::try_from(*value).ok()?,
            0 if copies => *dims.get(index)?,
            -1 if inferred.is_none() => {
                inferred = Some(index);
                1
            }
            _ => return None,
        };
        known = lengths[index].checked_mul(known)?;
    }
    let shape = |lengths| Shape::from_buf_and_len(lengths, target.values.len());
    Some(match inferred {
        None if known != count => Err(Reason::VolumeMismatch),
        Some(_) if count % known != 0 => Err(Reason::NotDivisible),
        Some(index) => {
            lengths[index] = count / known;
            Ok(shape(lengths))
        }
        None => Ok(shape(lengths)),
    })
}

/// The element count of nonempty data; `None` if it is empty or has too many elements.
fn fast_count(dims: &[u64]) -> Option<u64> {
    let mut dims = dims.iter();
    let count = dims.try_fold(1_u64, |count, dim| count.checked_mul(*dim))?;
    (1..=MAX_ELEMENTS).contains(&count).then_some(count)
}

/// Whether a 0 copies; `None` if the node has another attribute, or an undefined value of the one that decides.
fn copies_zero(request: &Request) -> Option<bool> {
    let attributes = &request.attributes;
    let zero = match request.operator.rules.zero {
        ZeroRule::AlwaysCopies => return attributes.is_empty().then_some(true),
        ZeroRule::AlwaysLiteral => return attributes.is_empty().then_some(false),
        ZeroRule::Attribute(zero) => zero,
    };
    let (name, value) = match attributes.len() {
        0 => return zero.copies_by_default,
        1 => attributes.first_key_value()?,
        _ => return None,
    };
    if name != zero.name || !value.is(zero.kind) {
        return None;
    }
    match value {
        AttributeValue::Bool(set) => Some(*set == zero.copies_when_set),
        AttributeValue::Int(set @ 0..=1) => Some((*set == 1) == zero.copies_when_set),
        AttributeValue::Int(_)
        | AttributeValue::Float(_)
        | AttributeValue::String(_)
        | AttributeValue::Ints(_) => None,
    }
}
