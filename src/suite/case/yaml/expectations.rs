//! The expectations of a case.

use super::fields::{EXPECTATION, OPERATOR_EXPECTATION};
use super::values;
use crate::error::Fault;
use crate::names::Joined;
use crate::semantics::operator::{Operator, Reason};
use crate::semantics::outcome::Allowed;
use crate::suite::case::{Expectation, Stated};
use crate::yaml::{Faults, Mapping, Node, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// The fields for a case's expectation; a case has one of them.
const NAMES: [&str; 2] = ["expect", "expectations"];

/// The readable expectations of a case. `operators` are the case's operators, `None` if they are unknown. `name` is the
/// place of the case's name.
pub(super) fn read(
    faults: &mut Faults<'_>,
    case: &Mapping<'_>,
    operators: Option<&[&'static Operator]>,
    name: Range<usize>,
) -> Vec<Stated> {
    match (case.get("expect"), case.get("expectations")) {
        (Some(node), None) => {
            let operators = operators.unwrap_or_default().to_vec();
            let stated = one(faults, node).map(|of| Stated { operators, ..of });
            stated.into_iter().collect()
        }
        (None, Some(node)) => several(faults, node, operators),
        (None, None) if NAMES.iter().any(|name| case.misspelt.contains(name)) => Vec::new(),
        (None, None) => {
            let (place, hint) = match NAMES.into_iter().find_map(|name| case.without_value(name)) {
                Some(key) => (
                    key.span(),
                    "fill it in from the text: `{shape: [6]}`, `{rejected: REASON}` or `{open: QUESTION}`",
                ),
                None => (name, "add `expect:` or `expectations:`"),
            };
            let fault = Fault::new(faults.source, place, "the case expects nothing");
            faults.found.push(fault.hint(hint));
            Vec::new()
        }
        (Some(_), Some(node)) => {
            let message = "both `expect` and `expectations`";
            faults.note(node, message, "remove one of the two");
            Vec::new()
        }
    }
}

/// The value of `expect`.
fn one(faults: &mut Faults<'_>, node: &Node) -> Option<Stated> {
    let hint = match &node.value {
        Value::Map(_) => {
            let fields = Mapping::read(faults, node, "`expect`", EXPECTATION, "")?;
            return expectation(faults, node, &fields);
        }
        Value::List(_) => {
            let dims = node.scalars().into_iter().filter_map(Node::scalar);
            let shape = dims.map(|dim| &dim.text).joined(", ");
            &format!("for an accepted request write `expect: {{shape: [{shape}]}}`")
        }
        Value::Scalar(_) | Value::Nothing => {
            "write `expect: {shape: […]}`, `expect: {rejected: REASON}` or `expect: {open: QUESTION}`"
        }
    };
    faults.wrong(node, "the expectation has no kind", hint)
}

/// Expectations for disjoint lists of operators, which together are all operators of the case.
fn several(
    faults: &mut Faults<'_>,
    node: &Node,
    operators: Option<&[&'static Operator]>,
) -> Vec<Stated> {
    let Some(items) = faults.list(node, "expectations") else {
        return Vec::new();
    };
    let mut remaining: Vec<_> = operators.unwrap_or_default().to_vec();
    // The operators of an entry are unknown if they are faulty.
    let mut is_known = operators.is_some();
    let mut stated = Vec::new();
    for item in items {
        let noun = "an entry of `expectations`";
        let fields = Mapping::read(faults, item, noun, OPERATOR_EXPECTATION, "");
        let place = fields.as_ref().and_then(|fields| fields.get("operators"));
        let selected = place.and_then(|node| values::operators(faults, node));
        let read = fields.and_then(|fields| expectation(faults, item, &fields));
        let (Some(place), Some(mut selected)) = (place, selected) else {
            is_known = false;
            continue;
        };
        let is_left = |operator: &&'static Operator| remaining.contains(operator);
        let stranger = selected.iter().find(|operator| !is_left(operator));
        if let (Some(operator), true) = (stranger, operators.is_some()) {
            let message = match operators.is_some_and(|all| all.contains(operator)) {
                true => format!("{operator} already has an expectation"),
                false => format!("{operator} is not an operator of this case"),
            };
            let hint = "name each operator of the case once in all entries together";
            faults.note(place, message, hint);
            selected.retain(is_left);
        }
        remaining.retain(|operator| !selected.contains(operator));
        let operators = selected;
        stated.extend(read.map(|of| Stated { operators, ..of }));
    }
    if let (Some((operator, rest)), true) = (remaining.split_first(), is_known) {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {more} more of the operators"),
        };
        let message = format!("no expectation for {operator}{more}");
        let hint = "name each operator of the case once in all entries together";
        faults.note(node, message, hint);
    }
    stated
}

/// The expectation in a mapping, and its places. Its operators are still unknown.
fn expectation(faults: &mut Faults<'_>, node: &Node, fields: &Mapping<'_>) -> Option<Stated> {
    let [shape, rejected, open, allowed] =
        ["shape", "rejected", "open", "allowed"].map(|name| fields.get(name));
    match (shape, rejected, open, allowed) {
        (Some(shape), None, None, None) => {
            let dims = values::dims(faults, shape, "shape")?;
            Some(stated(shape, Expectation::Reshaped(dims)))
        }
        (None, Some(rejected), None, None) => {
            let reasons = reasons(faults, rejected)?;
            Some(stated(rejected, Expectation::Rejected(reasons)))
        }
        (None, None, Some(open), allowed) => {
            let question = faults.named(open, "a question");
            let items = allowed.map_or(&[][..], Node::items);
            let places = items.iter().map(|item| item.span()).collect();
            let allowed = match allowed {
                Some(list) => Some(outcomes(faults, list)?),
                None => None,
            };
            let question = question?;
            Some(Stated {
                allowed: places,
                ..stated(open, Expectation::Open { question, allowed })
            })
        }
        (Some(_), None, None, Some(allowed)) | (None, Some(_), None, Some(allowed)) => {
            let hint = "remove it, or write `open:` and the question that the text leaves open";
            faults.wrong(allowed, "`allowed` goes only with `open`", hint)
        }
        (None, None, None, _) if fields.has_unknown => None,
        several => {
            let hint = match several {
                (None, None, None, _) => {
                    "write `{shape: […]}`, `{rejected: REASON}` or `{open: QUESTION}`"
                }
                _ => "keep one of them",
            };
            let message = "an expectation has exactly one of shape, rejected, open";
            faults.wrong(node, message, hint)
        }
    }
}

/// An expectation that this node states. Its operators are still unknown.
fn stated(node: &Node, expectation: Expectation) -> Stated {
    Stated::new(Vec::new(), expectation, node.span())
}

/// A reason, or a list of reasons.
fn reasons(faults: &mut Faults<'_>, node: &Node) -> Option<BTreeSet<Reason>> {
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
    let reasons = faults.each_once(items, |faults, item| faults.named(item, "a reason"))?;
    Some(reasons.into_iter().collect())
}

fn outcomes(faults: &mut Faults<'_>, node: &Node) -> Option<Vec<Allowed>> {
    let items = faults.list(node, "allowed")?;
    if items.is_empty() {
        let hint =
            "list what is allowed, or leave `allowed` out: `show` lists what the question allows";
        return faults.wrong(node, "an open question that allows nothing", hint);
    }
    faults.each(items, values::allowed)
}
