//! Shapes that graphs compute: the integers that a few operators make of dims and constants.

use super::proto::{Attribute, Node};
use super::value::{Ints, Value, element_type};
use crate::model::found::ReadExternal;
use crate::tensor::literal;

/// A node with the known values of its inputs.
pub(super) struct Inputs<'n, 'a> {
    pub(super) node: &'n Node,
    /// `None` for an input that is absent or unknown.
    pub(super) values: Vec<Option<Value<'a>>>,
    pub(super) read_external: ReadExternal<'n>,
}

impl<'a> Inputs<'_, 'a> {
    /// The attribute with this name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.node.attribute.iter().find(|of| of.name == name)
    }

    pub(super) fn value(&self, index: usize) -> Option<&Value<'a>> {
        self.values.get(index)?.as_ref()
    }

    fn ints(&self, index: usize) -> Option<Ints> {
        self.value(index)?.ints(self.read_external)
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    /// The first value of an input, or of the attribute that older versions had instead.
    fn first(&self, index: usize, name: &str) -> Option<i128> {
        match self.attribute(name) {
            Some(attribute) => attribute.ints.first().copied().map(i128::from),
            None => *self.ints(index)?.values.first()?,
        }
    }

    fn has(&self, index: usize) -> bool {
        self.node
            .input
            .get(index)
            .is_some_and(|name| !name.is_empty())
    }
}

/// The known part of the first output of a node; `None` if its operator is not supported here, or too little is known.
pub(super) fn fold<'a>(inputs: &Inputs<'_, 'a>) -> Option<Value<'a>> {
    let kind = inputs.node.op_type.as_str();
    if kind == "Identity" {
        return inputs.value(0).cloned();
    }
    let ints = match kind {
        "Constant" => constant(inputs)?,
        "Shape" => shape(inputs)?,
        "Size" => size(inputs)?,
        "Cast" => cast(inputs)?,
        "Gather" => gather(inputs)?,
        "Slice" => slice(inputs)?,
        "Concat" => concat(inputs)?,
        "Unsqueeze" => reranked(inputs, false)?,
        "Squeeze" => reranked(inputs, true)?,
        "Neg" => mapped(inputs.ints(0)?, |value| value.checked_neg()),
        "Add" | "Sub" | "Mul" | "Div" => arithmetic(inputs, kind)?,
        _ => return None,
    };
    // A shape is that of the data in the recorded run. It depends on the run only where the model leaves the dims open.
    let is_dims = matches!(kind, "Shape" | "Size");
    let at_run = |value: &Value<'_>| match is_dims {
        true => value.dims.as_ref().is_none_or(|dims| dims.contains(&None)),
        false => value.at_run,
    };
    let at_run = inputs.values.iter().flatten().any(at_run);
    Some(Value::computed(ints, at_run))
}

/// The value of a Constant that is a tensor.
pub(super) fn constant_tensor(node: &Node) -> Option<Value<'_>> {
    let value = node.attribute.iter().find(|of| of.name == "value")?;
    value.t.as_ref().map(Value::constant)
}

fn constant(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    if let Some(value) = inputs.int("value_int") {
        return Some(Ints {
            scalar: true,
            ..Ints::list(vec![Some(value.into())])
        });
    }
    let values = inputs.attribute("value_ints")?.ints.iter();
    Some(Ints::list(values.map(|of| Some((*of).into())).collect()))
}

fn shape(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let value = inputs.value(0)?;
    let known = value.known_dims();
    let dims: Vec<Option<u64>> = match known {
        Some(dims) => dims.into_iter().map(Some).collect(),
        None => value.dims.as_ref()?.to_vec(),
    };
    let (start, end) = (inputs.int("start").unwrap_or(0), inputs.int("end"));
    let range = bounds(dims.len(), start.into(), end.map(i128::from))?;
    let dims = dims.get(range)?.iter();
    Some(Ints::list(dims.map(|of| of.map(i128::from)).collect()))
}

fn size(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let dims = inputs.value(0)?.known_dims()?;
    let count = crate::tensor::Count::of(&dims).as_u64()?;
    Some(Ints {
        scalar: true,
        ..Ints::list(vec![Some(count.into())])
    })
}

fn cast(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let to = i32::try_from(inputs.int("to")?).ok()?;
    let to = element_type(Some(to)).filter(|of| of.is_integer())?;
    let ints = inputs.ints(0)?;
    let fits = |value: i128| literal::check_integer(value, to).is_ok();
    Some(Ints {
        element_type: to,
        ..mapped(ints, |value| Some(value).filter(|value| fits(*value)))
    })
}

fn gather(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let (data, indices) = (inputs.ints(0)?, inputs.ints(1)?);
    if data.scalar {
        return None;
    }
    let length = data.values.len() as i128;
    let at = |index: &Option<i128>| {
        let Some(index) = index else {
            return Some(None);
        };
        let index = if *index < 0 {
            index.checked_add(length)?
        } else {
            *index
        };
        data.values.get(usize::try_from(index).ok()?).copied()
    };
    Some(Ints {
        element_type: data.element_type,
        scalar: indices.scalar,
        values: indices.values.iter().map(at).collect::<Option<_>>()?,
    })
}

fn slice(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let data = inputs.ints(0).filter(|data| !data.scalar)?;
    let (start, end) = (inputs.first(1, "starts")?, inputs.first(2, "ends")?);
    if inputs.has(4) && inputs.first(4, "steps")? != 1 {
        return None;
    }
    let range = bounds(data.values.len(), start, Some(end))?;
    Some(Ints {
        values: data.values.get(range)?.to_vec(),
        ..data
    })
}

/// The indices from the first up to, but without, the last. Negative ones count from the end.
fn bounds(length: usize, start: i128, end: Option<i128>) -> Option<std::ops::Range<usize>> {
    let length = length as i128;
    let within = |index: i128| {
        let index = if index < 0 {
            index.saturating_add(length)
        } else {
            index
        };
        usize::try_from(index.clamp(0, length)).ok()
    };
    let (start, end) = (within(start)?, within(end.unwrap_or(length))?);
    Some(start..end.max(start))
}

fn concat(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let parts = (0..inputs.node.input.len()).map(|index| inputs.ints(index));
    let parts: Vec<Ints> = parts.collect::<Option<_>>()?;
    let element_type = parts.first()?.element_type;
    let alike = |part: &Ints| !part.scalar && part.element_type == element_type;
    parts.iter().all(alike).then(|| Ints {
        element_type,
        scalar: false,
        values: parts.iter().flat_map(|part| part.values.clone()).collect(),
    })
}

/// A scalar as a list of one element, or the reverse.
fn reranked(inputs: &Inputs<'_, '_>, to_scalar: bool) -> Option<Ints> {
    let ints = inputs.ints(0)?;
    let fits = ints.scalar != to_scalar && ints.values.len() == 1;
    fits.then_some(Ints {
        scalar: to_scalar,
        ..ints
    })
}

fn mapped(ints: Ints, of: impl Fn(i128) -> Option<i128>) -> Ints {
    let values = ints.values.iter();
    Ints {
        values: values.map(|value| value.and_then(&of)).collect(),
        ..ints
    }
}

fn arithmetic(inputs: &Inputs<'_, '_>, kind: &str) -> Option<Ints> {
    let (one, other) = (inputs.ints(0)?, inputs.ints(1)?);
    let length = one.values.len().max(other.values.len());
    let fits = |of: &Ints| of.values.len() == length || of.values.len() == 1;
    if one.element_type != other.element_type || !fits(&one) || !fits(&other) {
        return None;
    }
    let at = |of: &Ints, index: usize| *of.values.get(index).or(of.values.first())?;
    let value = |index: usize| {
        let (a, b) = (at(&one, index)?, at(&other, index)?);
        let value = match kind {
            "Add" => a.checked_add(b),
            "Sub" => a.checked_sub(b),
            "Mul" => a.checked_mul(b),
            _ => a.checked_div(b),
        };
        value.filter(|value| literal::check_integer(*value, one.element_type).is_ok())
    };
    Some(Ints {
        element_type: one.element_type,
        scalar: one.scalar && other.scalar,
        values: (0..length).map(value).collect(),
    })
}
