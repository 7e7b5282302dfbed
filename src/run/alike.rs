//! Which known failures a node of a model meets: those of the suite's trials that are like it.
//!
//! Two requests are alike if they are of one operator, element type and binding, hold the same kinds of values and
//! attributes, and the text says the same kind of thing of them. A known failure is reported only where every trial alike has
//! one, so that a backend is not accused of what it does elsewhere.

use crate::backend::Supports;
use crate::event::EntryRecord;
use crate::spec::operator::{Binding, Question, Reason};
use crate::spec::oracle::{Resolution, copies_zero, resolve};
use crate::spec::request::{Attributes, Request};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType};
use crate::verdict::known_failures::KnownFailures;
use std::collections::BTreeSet;

/// A backend with its known failures.
#[derive(Debug)]
pub(crate) struct KnownBackend {
    pub(crate) name: String,
    pub(crate) supports: Supports,
    pub(crate) known: KnownFailures,
}

/// A known failure that a node meets.
#[derive(Debug)]
pub(crate) struct KnownMatch {
    pub(crate) reason: String,
    pub(crate) entry: EntryRecord,
    /// How many trials of the suite are like the node; each of them is a known failure.
    pub(crate) alike: usize,
    /// One of them.
    pub(crate) example: String,
}

/// What makes requests alike.
#[derive(Debug, PartialEq)]
struct Situation {
    operator: &'static str,
    element_type: ElementType,
    attributes: Attributes,
    values: BTreeSet<Kind>,
    /// How many of the values are -1, up to 2.
    inferred: usize,
    /// The element type and the rank of the target; `None` without one.
    target: Option<(ElementType, usize)>,
    is_scalar: bool,
    is_empty: bool,
    /// Whether a dim, or the count, is more than 31 bits hold.
    is_large: bool,
    says: Says,
}

/// A kind of target value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Length,
    Copied,
    Literal,
    MinusOne,
    Below,
}

/// What the text says.
#[derive(Debug, PartialEq)]
enum Says {
    Reshaped { is_scalar: bool },
    Rejected(BTreeSet<Reason>),
    Open(Question),
}

impl Situation {
    fn of(request: &Request) -> Self {
        let values: &[i128] = request.target.as_ref().map_or(&[], |of| &of.values);
        let copies = copies_zero(request) != Some(false);
        let kind = |value: &i128| match value {
            0 if copies => Kind::Copied,
            0 => Kind::Literal,
            -1 => Kind::MinusOne,
            value if *value < -1 => Kind::Below,
            _ => Kind::Length,
        };
        let count = Count::of(&request.data_shape);
        let target = request.target.as_ref();
        let is_long = |length: i128| length > i32::MAX.into();
        Self {
            operator: request.operator.name,
            element_type: request.element_type,
            attributes: request.attributes.clone(),
            values: values.iter().map(kind).collect(),
            inferred: values.iter().filter(|value| **value == -1).take(2).count(),
            target: target.map(|of| (of.element_type, of.dims.len())),
            is_scalar: request.data_shape.is_empty(),
            is_empty: count.is_zero(),
            is_large: values.iter().any(|value| is_long(*value))
                || request.data_shape.iter().any(|dim| is_long((*dim).into()))
                || count.as_u64().is_none_or(|count| is_long(count.into())),
            says: match resolve(request) {
                Resolution::Reshaped(shape) => Says::Reshaped {
                    is_scalar: shape.is_empty(),
                },
                Resolution::Rejected(reasons) => Says::Rejected(reasons),
                Resolution::Open { question, .. } => Says::Open(question),
            },
        }
    }
}

/// The trials that are like a request in this binding: those that make the very same request, if there are any.
pub(crate) fn alike<'t>(
    trials: &[&'t Trial],
    request: &Request,
    binding: Binding,
) -> Vec<&'t Trial> {
    let situation = Situation::of(request);
    let trials = trials.iter().copied();
    let near = trials.filter(|of| {
        of.surrounding.is_none()
            && of.binding == binding
            && of.operator == request.operator
            && of.element_type == request.element_type
    });
    let near: Vec<_> = near.collect();
    let same: Vec<_> = near
        .iter()
        .copied()
        .filter(|of| **of.request() == *request)
        .collect();
    if !same.is_empty() {
        return same;
    }
    let mut near = near;
    near.retain(|of| Situation::of(of.request()) == situation);
    near
}

/// The known failure of a backend that each of these trials has; `None` if one of them has none, or there are none.
pub(crate) fn known_match(
    backend: &KnownBackend,
    alike: &[&Trial],
    request: &Request,
    binding: Binding,
) -> Option<KnownMatch> {
    if !backend.supports.covers(request, binding) {
        return None;
    }
    let claimed = alike
        .iter()
        .filter(|of| backend.supports.covers(of.request(), binding));
    let known = claimed.map(|of| {
        let expected = backend.known.expected(&of.to_string(), of.expectation())?;
        Some((of, expected))
    });
    let known: Vec<_> = known.collect::<Option<_>>()?;
    let (example, (reason, entry)) = known.first()?;
    Some(KnownMatch {
        reason: (*reason).to_owned(),
        entry: entry.clone(),
        alike: known.len(),
        example: example.to_string(),
    })
}
