//! The expectations of a case.

use super::faults::{Faults, Mapping};
use super::fields::{EXPECTATION, OPERATOR_EXPECTATION};
use super::values;
use crate::error::Fault;
use crate::spec::operator::Operator;
use crate::suite::case::{Expectation, Stated};
use crate::yaml::{Node, Value};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The expectations of a case with these operators; `None` if they are not known. `name` is the place of the case's name.
pub(super) fn read(
    faults: &mut Faults<'_>,
    case: &Mapping<'_>,
    operators: Option<&[&'static Operator]>,
    name: Range<usize>,
) -> Option<Vec<Stated>> {
    match (case.get("expect"), case.get("expectations")) {
        (Some(node), None) => {
            let (expectation, span) = one(faults, node)?;
            Some(vec![Stated {
                operators: operators?.to_vec(),
                expectation: Arc::new(expectation),
                span,
            }])
        }
        (None, Some(node)) => several(faults, node, operators),
        (None, None) => {
            let fault = Fault::new(faults.source, name, "the case expects nothing");
            faults
                .found
                .push(fault.hint("add `expect:` or `expectations:`"));
            None
        }
        (Some(_), Some(node)) => faults.wrong(
            node,
            "both `expect` and `expectations`",
            "drop one of the two",
        ),
    }
}

/// The value of `expect`.
fn one(faults: &mut Faults<'_>, node: &Node) -> Option<(Expectation, Range<usize>)> {
    match &node.value {
        Value::Map(_) => {
            let fields = Mapping::read(faults, node, "`expect`", EXPECTATION, "")?;
            expectation(faults, node, &fields)
        }
        Value::List(_) => faults.wrong(
            node,
            "an expectation says what kind it is",
            "for an accepted request write `expect: {shape: […]}`",
        ),
        Value::Scalar(_) | Value::Nothing => faults.wrong(
            node,
            "an expectation says what kind it is",
            "write `expect: {shape: […]}`, `expect: {rejected: REASON}` or `expect: {open: QUESTION}`",
        ),
    }
}

/// Expectations for disjoint lists of operators, which together are all of the case's.
fn several(
    faults: &mut Faults<'_>,
    node: &Node,
    operators: Option<&[&'static Operator]>,
) -> Option<Vec<Stated>> {
    let items = faults.list(node, "expectations")?;
    let mut remaining: Vec<_> = operators.unwrap_or_default().to_vec();
    let stated = faults.each(items, |faults, item| {
        let noun = "an entry of `expectations`";
        let fields = Mapping::read(faults, item, noun, OPERATOR_EXPECTATION, "")?;
        let selected = fields
            .get("operators")
            .and_then(|node| Some((node, values::operators(faults, node)?)));
        let read = expectation(faults, item, &fields);
        let (place, selected) = selected?;
        for operator in selected.iter().filter(|_| operators.is_some()) {
            let Some(at) = remaining.iter().position(|other| other == operator) else {
                return faults.wrong(
                    place,
                    format!(
                        "{operator} is not an operator of this case, or has an expectation already"
                    ),
                    "the entries together name each operator of the case once",
                );
            };
            remaining.remove(at);
        }
        let (expectation, span) = read?;
        Some(Stated {
            operators: selected,
            expectation: Arc::new(expectation),
            span,
        })
    })?;
    if let Some((operator, rest)) = remaining.split_first() {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {more} more of the operators"),
        };
        return faults.wrong(
            node,
            format!("no expectation for {operator}{more}"),
            "the entries together name each operator of the case once",
        );
    }
    Some(stated)
}

/// The expectation in a mapping, and its place.
fn expectation(
    faults: &mut Faults<'_>,
    node: &Node,
    fields: &Mapping<'_>,
) -> Option<(Expectation, Range<usize>)> {
    let (shape, rejected, open, allowed) = (
        fields.get("shape"),
        fields.get("rejected"),
        fields.get("open"),
        fields.get("allowed"),
    );
    match (shape, rejected, open, allowed) {
        (Some(shape), None, None, None) => {
            let dims = values::dims(faults, shape, "shape")?;
            Some((Expectation::Reshaped(dims), shape.span(faults.source)))
        }
        (None, Some(rejected), None, None) => {
            let reasons = reasons(faults, rejected)?;
            Some((Expectation::Rejected(reasons), rejected.span(faults.source)))
        }
        (None, None, Some(open), allowed) => {
            let question = faults.named(open, "a question");
            let allowed = match allowed {
                Some(list) => Some(outcomes(faults, list)?),
                None => None,
            };
            let question = question?;
            let span = open.span(faults.source);
            Some((Expectation::Open { question, allowed }, span))
        }
        _ => faults.wrong(
            node,
            "an expectation is exactly one of shape, rejected, open",
            "`allowed` goes only with `open`",
        ),
    }
}

/// A reason, or a list of reasons.
fn reasons<T: std::str::FromStr<Err: std::fmt::Display> + Ord>(
    faults: &mut Faults<'_>,
    node: &Node,
) -> Option<BTreeSet<T>> {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Scalar(_) | Value::Nothing | Value::Map(_) => std::slice::from_ref(node),
    };
    if items.is_empty() {
        return faults.wrong(
            node,
            "a rejection without a reason",
            "name every reason that applies; docs/oracle.md lists them",
        );
    }
    let reasons = faults.each(items, |faults, item| faults.named(item, "a reason"))?;
    Some(reasons.into_iter().collect())
}

fn outcomes(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<crate::spec::outcome::Allowed>> {
    let items = faults.list(node, "allowed")?;
    if items.is_empty() {
        let hint = "list what is allowed, or leave `allowed` out for a rejection or any shape with the data's count";
        return faults.wrong(node, "an open question that allows nothing", hint);
    }
    faults.each(items, values::allowed)
}
