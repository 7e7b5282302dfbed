//! The shapes that the nodes of a graph give, as far as they follow from those of their inputs.

use super::fold::{Inputs, bounds};
use super::value::element_type;
use crate::semantics::symbolic::Term;
use crate::tensor::ElementType;

/// Dims; `None` for one that does not follow.
pub(super) type Dims = Vec<Option<Term>>;

/// Operators whose output has the shape of the first input.
const SAME: &str = "Abs BatchNormalization Cast Ceil Celu Clip Cos CumSum DequantizeLinear Dropout Elu Erf Exp Floor \
    Gelu GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization IsInf IsNaN LayerNormalization \
    LeakyRelu Log LogSoftmax LpNormalization LRN Mish Neg Not PRelu QuantizeLinear Reciprocal Relu Round Selu Sigmoid \
    Sign Sin Softmax Softplus Softsign Sqrt Tanh ThresholdedRelu Trilu";
/// Operators that combine elements of all inputs.
const COMBINED: &str = "Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or Pow Sub Sum \
    Where Xor";
/// Operators whose output is of bools.
const BOOL: &str = "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor";

/// The element type and the dims of the first output of a node, as far as they follow.
pub(super) fn infer(inputs: &Inputs<'_, '_>) -> Option<(Option<ElementType>, Dims)> {
    let kind = inputs.node.op_type.as_str();
    let of = |index: usize| inputs.value(index).and_then(|value| value.element_type);
    let element_type = match kind {
        "Cast" => element_type(inputs.int("to")?.try_into().ok()),
        "Shape" => Some(ElementType::I64),
        "ConstantOfShape" => None,
        "Conv" | "DequantizeLinear" | "Where" => of(1),
        "QuantizeLinear" => of(2),
        _ if is_among(BOOL, kind) => Some(ElementType::Bool),
        _ => of(0),
    };
    Some((element_type, dims(inputs, kind)?))
}

fn is_among(names: &str, kind: &str) -> bool {
    names.split(' ').any(|name| name == kind)
}

fn dims(inputs: &Inputs<'_, '_>, kind: &str) -> Option<Dims> {
    let one = || Some(Term::from(1));
    if kind == "ConstantOfShape" {
        return Some(inputs.ints(0)?.values);
    }
    let first = inputs.dims(0);
    if kind == "Conv" {
        let weights = inputs.dims(1)?;
        let data = first.unwrap_or_else(|| vec![None; weights.len()]);
        let channels = [data.first()?.clone(), weights.first()?.clone()];
        let spatial = windows(inputs, data.get(2..)?, weights.get(2..)?);
        return Some([&channels, &spatial[..]].concat());
    }
    let mut dims = first?;
    let rank = dims.len();
    match kind {
        _ if is_among(SAME, kind) || inputs.attribute("broadcast").is_some() => {}
        _ if is_among(COMBINED, kind) => {
            let mut others = (1..inputs.node.input.len()).map(|index| inputs.dims(index));
            dims = others.try_fold(dims, |dims, other| broadcast(dims, other?))?;
        }
        "Expand" => dims = broadcast(dims, inputs.ints(1)?.values)?,
        "Shape" => dims = vec![Some(Term::from(rank as i128))],
        "Transpose" => match inputs.attribute("perm") {
            Some(perm) => {
                let at = |index: &i64| dims.get(usize::try_from(*index).ok()?).cloned();
                dims = perm.ints.iter().map(at).collect::<Option<_>>()?;
            }
            None => dims.reverse(),
        },
        "MatMul" => {
            let mut other = inputs.dims(1)?;
            dims.pop()?;
            let rows = dims.pop();
            let columns = (other.len() > 1).then(|| other.pop()).flatten();
            other.pop()?;
            dims = broadcast(dims, other)?;
            dims.extend(rows.into_iter().chain(columns));
        }
        "MaxPool" | "AveragePool" | "LpPool" => {
            let kernel = inputs.list(usize::MAX, "kernel_shape")?.into_iter();
            let kernel: Dims = kernel.map(|length| Some(Term::from(length))).collect();
            dims.splice(2.., windows(inputs, dims.get(2..)?, &kernel));
        }
        "GlobalAveragePool" | "GlobalMaxPool" => dims.get_mut(2..)?.fill(one()),
        "Squeeze" => {
            let axes = inputs.axes(1, "axes", rank)?;
            let mut at = 0..;
            dims.retain(|_| !at.next().is_some_and(|at| axes.contains(&at)));
        }
        "Unsqueeze" => {
            let mut axes = inputs.axes(1, "axes", rank + inputs.list(1, "axes")?.len())?;
            axes.sort_unstable();
            for at in axes {
                (at <= dims.len()).then(|| dims.insert(at, one()))?;
            }
        }
        "Concat" => dims = concat(inputs, dims)?,
        "Slice" => dims = slice(inputs, dims)?,
        "Gather" => {
            let (axis, indices) = (inputs.axis(rank, 0)?, inputs.dims(1)?);
            dims.splice(axis..=axis, indices);
        }
        "Pad" => dims.fill(None),
        _ if kind.starts_with("Reduce") => {
            let axes = match inputs.attribute("axes").is_some() || inputs.has(1) {
                true => inputs.axes(1, "axes", rank)?,
                false => Vec::new(),
            };
            let is_flag = |name, absent| inputs.int(name).unwrap_or(absent) != 0;
            if axes.is_empty() && is_flag("noop_with_empty_axes", 0) {
                return Some(dims);
            }
            let all = dims.into_iter().enumerate();
            let reduced = |(at, dim)| match axes.is_empty() || axes.contains(&at) {
                true => is_flag("keepdims", 1).then(one),
                false => Some(dim),
            };
            dims = all.filter_map(reduced).collect();
        }
        _ => return None,
    }
    Some(dims)
}

fn number(dim: &Option<Term>) -> Option<i128> {
    dim.as_ref()?.known()
}

/// The dims of an elementwise operator on two tensors.
fn broadcast(one: Dims, other: Dims) -> Option<Dims> {
    let (mut long, short) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    let from = long.len() - short.len();
    for (dim, other) in long.iter_mut().skip(from).zip(short) {
        match (number(dim), number(&other)) {
            // A number other than 1 is the dim: the other dim is the same, or 1.
            (Some(1), _) | (None, Some(2..)) => *dim = other,
            (Some(_), _) | (_, Some(1)) => {}
            _ if *dim == other => {}
            _ => *dim = None,
        }
    }
    Some(long)
}

/// The dims that windows of these kernels walk over.
fn windows(inputs: &Inputs<'_, '_>, data: &[Option<Term>], kernels: &[Option<Term>]) -> Dims {
    let length = |(index, (data, kernel)): (usize, (&Option<Term>, &Option<Term>))| {
        let at = |name: &str, index: usize, absent: i64| {
            let list = inputs.attribute(name).map_or(&[][..], |of| &of.ints);
            i128::from(list.get(index).copied().unwrap_or(absent))
        };
        let (stride, dilation) = (at("strides", index, 1), at("dilations", index, 1));
        let pads = at("pads", index, 0) + at("pads", index + kernels.len(), 0);
        // How far the last element of a window is from its first.
        let extent = dilation.checked_mul(number(kernel)?.checked_sub(1)?)?;
        let auto = inputs.attribute("auto_pad").and_then(|of| of.s.as_deref());
        let is_plain = auto.is_none_or(|of| of == b"NOTSET");
        if is_plain && stride == 1 && pads == extent {
            return data.clone();
        }
        let steps = number(data)?
            .checked_add(pads)?
            .checked_sub(extent)?
            .checked_sub(1)?;
        let ceils = inputs.int("ceil_mode").unwrap_or(0) != 0;
        let fits = is_plain && !ceils && stride > 0 && steps >= 0;
        fits.then(|| Term::from(steps / stride + 1))
    };
    data.iter().zip(kernels).enumerate().map(length).collect()
}

fn concat(inputs: &Inputs<'_, '_>, mut dims: Dims) -> Option<Dims> {
    let axis = inputs.axis(dims.len(), 1)?;
    for index in 1..inputs.node.input.len() {
        for (at, (dim, other)) in dims.iter_mut().zip(inputs.dims(index)?).enumerate() {
            match (number(dim), number(&other)) {
                (Some(one), Some(other)) if at == axis => {
                    *dim = one.checked_add(other).map(Term::from)
                }
                _ if at == axis => *dim = None,
                (None, Some(_)) => *dim = other,
                _ => {}
            }
        }
    }
    Some(dims)
}

fn slice(inputs: &Inputs<'_, '_>, mut dims: Dims) -> Option<Dims> {
    let (starts, ends) = (inputs.list(1, "starts")?, inputs.list(2, "ends")?);
    let axes = match inputs.attribute("axes").is_some() || inputs.has(3) {
        true => inputs.axes(3, "axes", dims.len())?,
        false => (0..dims.len().min(starts.len())).collect(),
    };
    let steps = if inputs.has(4) {
        inputs.list(4, "steps")?
    } else {
        vec![1; axes.len()]
    };
    // No dim is longer, since a tensor has at most 2^31 elements.
    let known = dims.iter().filter_map(number).filter(|length| *length > 0);
    let far = (1i128 << 31) / known.fold(1, i128::saturating_mul);
    for (index, at) in axes.into_iter().enumerate() {
        let (start, end, step) = (*starts.get(index)?, *ends.get(index)?, *steps.get(index)?);
        let length = |dim: i128| {
            let range = bounds(usize::try_from(dim).ok()?, start, Some(end))?;
            Some(Term::from(range.len() as i128))
        };
        let dim = dims.get_mut(at)?;
        let far = number(dim).unwrap_or(far);
        *dim = match (start, step) {
            (0, 1) if end >= far => continue,
            (-1, -1) if end < -far => continue,
            (_, 1) => number(dim).and_then(length),
            _ => None,
        };
    }
    Some(dims)
}
