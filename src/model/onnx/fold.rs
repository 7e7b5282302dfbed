//! Shapes that graphs compute: the integers that a few operators make of dims and constants.

use super::around::input;
use super::proto::{Attribute, Node};
use super::value::{Ints, Value, element_type, numbers};
use crate::model::found::{MAX_DIMS, ReadExternal};
use crate::semantics::symbolic::Term;
use crate::tensor::{ElementType, literal};
use std::rc::Rc;

/// A node with the known values of its inputs.
pub(super) struct Inputs<'n, 'a> {
    pub(super) node: &'n Node,
    /// `None` for an input that is absent or unknown.
    pub(super) values: Vec<Option<Value<'a>>>,
    pub(super) read_external: ReadExternal<'n>,
}

impl<'a> Inputs<'_, 'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.node.attribute.iter().find(|of| of.name == name)
    }

    pub(super) fn value(&self, index: usize) -> Option<&Value<'a>> {
        self.values.get(index)?.as_ref()
    }

    /// Its dims, unless there are too many to follow.
    pub(super) fn dims(&self, index: usize) -> Option<Vec<Option<Term>>> {
        let dims = self.value(index)?.dims.as_ref();
        let dims = dims.filter(|dims| dims.len() <= MAX_DIMS)?;
        Some(dims.iter().cloned().map(Some).collect())
    }

    pub(super) fn ints(&self, index: usize) -> Option<Ints> {
        self.value(index)?.ints(self.read_external)
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    /// The values of an input, or of the attribute that older versions had instead.
    pub(super) fn list(&self, index: usize, name: &str) -> Option<Vec<i128>> {
        if let Some(attribute) = self.attribute(name) {
            return Some(attribute.ints.iter().copied().map(i128::from).collect());
        }
        let values = self.ints(index)?.values.into_iter();
        values.map(|value| value?.known()).collect()
    }

    fn first(&self, index: usize, name: &str) -> Option<i128> {
        self.list(index, name)?.first().copied()
    }

    /// Axes of a tensor of this rank, each counted from the first.
    pub(super) fn axes(&self, index: usize, name: &str, rank: usize) -> Option<Vec<usize>> {
        let axes = self.list(index, name)?.into_iter();
        axes.map(|axis| from_first(axis, rank)).collect()
    }

    /// The attribute `axis`, counted from the first.
    pub(super) fn axis(&self, rank: usize, absent: i64) -> Option<usize> {
        from_first(self.int("axis").unwrap_or(absent).into(), rank)
    }

    pub(super) fn has(&self, index: usize) -> bool {
        !input(self.node, index).is_empty()
    }
}

/// An index into so many; a negative one counts from the end.
fn from_first(index: i128, length: usize) -> Option<usize> {
    let from = if index < 0 { length as i128 } else { 0 };
    let index = usize::try_from(index.checked_add(from)?).ok()?;
    (index < length).then_some(index)
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
        "Neg" => mapped(inputs.ints(0)?, |value| {
            value.known()?.checked_neg().map(Term::from)
        }),
        "Add" | "Sub" | "Mul" | "Div" => arithmetic(inputs, kind)?,
        _ => return None,
    };
    // A shape is that of the data in the recorded run. It depends on the run only where the model leaves the dims open.
    let is_dims = matches!(kind, "Shape" | "Size");
    let at_run = |value: &Value<'_>| match is_dims {
        true => value.has_open_dims(),
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
        return Some(Ints::of(true, vec![Some(i128::from(value).into())]));
    }
    let values = inputs.attribute("value_ints")?.ints.iter();
    let values = values.map(|of| Some(i128::from(*of).into()));
    Some(Ints::of(false, values.collect()))
}

fn shape(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let dims = dims_at_run(inputs)?;
    let (start, end) = (inputs.int("start").unwrap_or(0), inputs.int("end"));
    let range = bounds(dims.len(), start.into(), end.map(i128::from))?;
    let dims = dims.get(range)?.iter();
    Some(Ints::of(false, dims.cloned().map(Some).collect()))
}

/// The dims of the first input: in a recorded run, those of the tensor that it passes.
fn dims_at_run(inputs: &Inputs<'_, '_>) -> Option<Rc<[Term]>> {
    let value = inputs.value(0)?;
    let recorded = value.known_dims().map(|dims| numbers(&dims));
    let dims = recorded.or(value.dims.clone())?;
    (dims.len() <= MAX_DIMS).then_some(dims)
}

fn size(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let count = Term::product(&dims_at_run(inputs)?)?;
    let count = Some(count).filter(|count| fits(count, ElementType::I64));
    Some(Ints::of(true, vec![count]))
}

/// Whether a type holds a number, or a dim that no number is known for.
fn fits(term: &Term, element_type: ElementType) -> bool {
    match term.known() {
        Some(number) => literal::check_integer(number, element_type).is_ok(),
        // Smaller types cannot hold every dim.
        None => literal::check_integer(i32::MAX.into(), element_type).is_ok(),
    }
}

fn cast(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let to = i32::try_from(inputs.int("to")?).ok()?;
    let to = element_type(Some(to)).filter(|of| of.is_integer())?;
    let ints = inputs.ints(0)?;
    Some(Ints {
        element_type: to,
        ..mapped(ints, |value| Some(value).filter(|value| fits(value, to)))
    })
}

fn gather(inputs: &Inputs<'_, '_>) -> Option<Ints> {
    let (data, indices) = (inputs.ints(0)?, inputs.ints(1)?);
    if data.scalar {
        return None;
    }
    let at = |index: &Option<Term>| match index.as_ref().and_then(Term::known) {
        Some(index) => Some(data.values[from_first(index, data.values.len())?].clone()),
        None => Some(None),
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
pub(super) fn bounds(
    length: usize,
    start: i128,
    end: Option<i128>,
) -> Option<std::ops::Range<usize>> {
    let length = length as i128;
    let within = |index: i128| {
        let from = if index < 0 { length } else { 0 };
        usize::try_from(index.saturating_add(from).clamp(0, length)).ok()
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

fn mapped(ints: Ints, of: impl Fn(Term) -> Option<Term>) -> Ints {
    let values = ints.values.into_iter();
    Ints {
        values: values.map(|value| value.and_then(&of)).collect(),
        ..ints
    }
}

fn arithmetic(inputs: &Inputs<'_, '_>, kind: &str) -> Option<Ints> {
    let (one, other) = (inputs.ints(0)?, inputs.ints(1)?);
    let length = one.values.len().max(other.values.len());
    let alike = |of: &Ints| of.values.len() == length || of.values.len() == 1;
    if one.element_type != other.element_type || !alike(&one) || !alike(&other) {
        return None;
    }
    let at = |of: &Ints, index: usize| of.values.get(index).or(of.values.first())?.clone();
    let value = |index: usize| {
        let (a, b) = (at(&one, index)?, at(&other, index)?);
        let value = match (kind, a.known(), b.known()) {
            ("Add", Some(a), Some(b)) => a.checked_add(b).map(Term::from),
            ("Sub", Some(a), Some(b)) => a.checked_sub(b).map(Term::from),
            ("Div", Some(a), Some(b)) => a.checked_div(b).map(Term::from),
            ("Mul", ..) => a.times(&b),
            ("Div", ..) => a.over(&b),
            ("Add" | "Sub", _, Some(0)) => Some(a),
            _ => None,
        };
        value.filter(|value| fits(value, one.element_type))
    };
    Some(Ints {
        element_type: one.element_type,
        scalar: one.scalar && other.scalar,
        values: (0..length).map(value).collect(),
    })
}
