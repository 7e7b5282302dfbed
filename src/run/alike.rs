//! The known failures that apply to a node of a model: those of similar trials of the suite.
//!
//! Two requests are alike if they have the same operator, element type and binding, the same kinds of values and
//! attributes, and the same kind of answer in the text. A known failure is reported only if every trial alike has one.
//! So a backend is not accused of what it does elsewhere. Trials in a surrounding that the model has around the node say
//! more about it than those of the node alone.

use crate::backend::Supports;
use crate::event::{EntryRecord, Severity};
use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{Binding, OPERATORS, Question, Reason};
use crate::semantics::oracle::{Resolution, copies_zero, resolve};
use crate::semantics::request::{Attributes, Request};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType};
use crate::verdict::known_failures::KnownFailures;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A backend with its known failures.
#[derive(Debug)]
pub(crate) struct KnownBackend {
    pub(crate) name: String,
    pub(crate) supports: Supports,
    pub(crate) known: KnownFailures,
}

/// A known failure that applies to a node.
#[derive(Debug, Clone)]
pub(crate) struct KnownMatch {
    pub(crate) reason: String,
    pub(crate) entry: EntryRecord,
    /// The pattern of the versions of the backend; `None` if it holds in each.
    pub(crate) versions: Option<String>,
    /// The number of trials of the suite that are like the node. Each of them is a known failure.
    pub(crate) alike: usize,
    /// One of them.
    pub(crate) example: String,
    /// Their surrounding; `None` for the node alone.
    pub(crate) surrounding: Option<Surrounding>,
}

pub(crate) type Place = (Binding, Option<Surrounding>);

/// What makes requests alike.
#[derive(Debug, PartialEq)]
struct Situation {
    operator: &'static str,
    element_type: ElementType,
    attributes: Attributes,
    values: BTreeSet<Kind>,
    /// The number of values that are -1, up to 2.
    inferred: usize,
    /// The element type and the rank of the target; `None` without a target.
    target: Option<(ElementType, usize)>,
    is_scalar: bool,
    is_empty: bool,
    /// Whether a dim, or the count, exceeds 31 bits.
    is_large: bool,
    answer: Answer,
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
enum Answer {
    Reshaped { is_scalar: bool },
    Rejected(BTreeSet<Reason>),
    Open(Question),
}

impl Situation {
    fn of(request: &Request) -> Self {
        let values = request.values();
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
            answer: match resolve(request) {
                Resolution::Reshaped(shape) => Answer::Reshaped {
                    is_scalar: shape.is_empty(),
                },
                Resolution::Rejected(reasons) => Answer::Rejected(reasons),
                Resolution::Open { question, .. } => Answer::Open(question),
            },
        }
    }
}

/// The trials of a suite, and the known failures of backends in them.
pub(crate) struct Known<'t> {
    pub(crate) backends: Vec<KnownBackend>,
    groups: HashMap<Key, Group<'t>>,
}

/// An operator, an element type and a place.
type Key = (&'static str, ElementType, Place);

/// What a backend does in trials alike: `None` if it claims none of them, and no match if it passes one.
type Seen = Option<Option<KnownMatch>>;

/// The trials of an operator, element type and place.
#[derive(Default)]
struct Group<'t> {
    /// Each trial with its situation, computed on first use.
    trials: Vec<(&'t Trial, OnceCell<Situation>)>,
    /// What each backend does in trials with something in common.
    seen: Vec<(Common, Vec<Seen>)>,
}

/// What trials have in common.
#[derive(PartialEq)]
enum Common {
    Request(Request),
    Situation(Situation),
}

impl<'t> Known<'t> {
    pub(crate) fn new(backends: Vec<KnownBackend>, all: impl Iterator<Item = &'t Trial>) -> Self {
        let mut groups: HashMap<Key, Group<'t>> = HashMap::new();
        for trial in all {
            let place = (trial.binding, trial.surrounding);
            let group = groups.entry(key(&plain(trial.request(), place), place));
            group.or_default().trials.push((trial, OnceCell::new()));
        }
        Self { backends, groups }
    }

    /// The known failure of each backend for a request: as the node alone in this binding, or in one of the places that the
    /// model has around it. `None` if the trials there pass, although those of the node alone do not.
    pub(crate) fn matches(
        &mut self,
        request: &Request,
        alone: Option<Binding>,
        around: &[Place],
    ) -> Vec<(&KnownBackend, Option<KnownMatch>)> {
        let alone = alone.map(|binding| self.seen(request, (binding, None)));
        let around = around.iter().map(|place| self.seen(request, *place));
        let around: Vec<Vec<Seen>> = around.collect();
        let found = self.backends.iter().enumerate().map(|(index, backend)| {
            let mut around = around.iter().filter_map(|of| of[index].as_ref()).peekable();
            let is_alone = around.peek().is_none();
            let known = around.flatten().next();
            let alone = alone.as_ref().and_then(|of| of[index].clone().flatten());
            let alone = alone.filter(|_| is_alone || known.is_some());
            (backend, alone.or_else(|| known.cloned()))
        });
        found.collect()
    }

    /// What each backend does in a place. It comes from the trials with the very same request, if there are any, or
    /// else from trials alike. `None` for a backend that does not claim the request.
    fn seen(&mut self, request: &Request, place: Place) -> Vec<Seen> {
        let none = vec![None; self.backends.len()];
        let plain = plain(request, place);
        let Some(group) = self.groups.get_mut(&key(&plain, place)) else {
            return none;
        };
        let (common, alike) = group.alike(&plain, place);
        let at = group.seen.iter().position(|(of, _)| *of == common);
        let at = at.unwrap_or_else(|| {
            let found = self.backends.iter().map(|of| seen(of, &alike, place));
            group.seen.push((common, found.collect()));
            group.seen.len() - 1
        });
        let found = self.backends.iter().zip(&group.seen[at].1);
        let claimed = found.map(|(backend, seen)| {
            let is_claimed = backend.supports.covers(request, place);
            seen.clone().filter(|_| is_claimed)
        });
        claimed.collect()
    }
}

impl<'t> Group<'t> {
    /// The trials of this plain request, or without such trials, those alike.
    fn alike(&self, request: &Request, place: Place) -> (Common, Vec<&'t Trial>) {
        let trials = self.trials.iter();
        let is_same =
            |of: &Request| of.data_shape == request.data_shape && *plain(of, place) == *request;
        let same = trials.clone().filter(|(of, _)| is_same(of.request()));
        let same: Vec<_> = same.map(|(of, _)| *of).collect();
        if !same.is_empty() {
            return (Common::Request(request.clone()), same);
        }
        let situation = Situation::of(request);
        let alike = trials.filter(|(trial, own)| {
            *own.get_or_init(|| Situation::of(&plain(trial.request(), place))) == situation
        });
        let alike = alike.map(|(of, _)| *of).collect();
        (Common::Situation(situation), alike)
    }
}

/// The request without an attribute that has its default. In a surrounding, it is that of the first operator with the same
/// rules: the suite asks only that one.
fn plain(request: &Request, place: Place) -> Cow<'_, Request> {
    let mut plain = Cow::Borrowed(request);
    let operator = request.operator;
    let first = OPERATORS.iter().find(|of| of.has_rules_of(operator));
    let first = first.filter(|_| place.1.is_some());
    if let Some(first) = first.filter(|of| of.name != operator.name) {
        plain.to_mut().operator = first;
    }
    let zero = operator.zero_attribute();
    let zero = zero.filter(|of| request.attributes.contains_key(of.name));
    if let Some(zero) = zero.filter(|of| of.copies_by_default == copies_zero(request)) {
        Arc::make_mut(&mut plain.to_mut().attributes).remove(zero.name);
    }
    plain
}

fn key(request: &Request, place: Place) -> Key {
    (request.operator.name, request.element_type, place)
}

/// What a backend does in these trials: a known failure that each of them has.
fn seen(backend: &KnownBackend, alike: &[&Trial], place: Place) -> Seen {
    let claimed = alike.iter();
    let claimed = claimed.filter(|of| backend.supports.covers(of.request(), place));
    let known = claimed.map(|of| {
        let expected = backend.known.expected(&of.to_string(), of.expectation())?;
        Some((of, expected))
    });
    // The other nodes of the suite's graph are not in the model.
    let is_beside = |(_, (_, entry, _)): &(_, (_, EntryRecord, _))| {
        entry.severity == Some(Severity::BesideReshape)
    };
    let known = known.filter(|of| !of.as_ref().is_some_and(is_beside));
    let known: Vec<_> = known.collect();
    let first = known.first()?.clone();
    let is_known = known.iter().all(Option::is_some);
    Some(
        first
            .filter(|_| is_known)
            .map(|(example, (reason, entry, versions))| KnownMatch {
                reason: reason.to_owned(),
                entry,
                versions: versions.map(str::to_owned),
                alike: known.len(),
                example: example.to_string(),
                surrounding: place.1,
            }),
    )
}
