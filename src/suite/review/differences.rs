//! Where an expectation and the reference's answer differ. Neither decides: a person reads the text again.

use crate::error::Fault;
use crate::names::nearest;
use crate::spec::operator::{AttributeKind, Operator, in_short};
use crate::spec::oracle::{self, Resolution};
use crate::spec::request::{AttributeValue, Request};
use crate::suite::case::{Case, Expectation};
use std::ops::Range;

/// The differences of a case, one for all operators with the same expectation and the same answer. `cases` is the option
/// that takes the case, for the command that shows more; empty for the built-in suite.
pub(crate) fn differences(case: &Case, cases: &str) -> Vec<Fault> {
    let mut found: Vec<(Range<usize>, String, Vec<&'static Operator>)> = Vec::new();
    for operator in &case.operators {
        let Some(says) = difference(case, operator) else {
            continue;
        };
        let span = place(case, operator);
        match found
            .iter_mut()
            .find(|(at, text, _)| *at == span && *text == says)
        {
            Some((_, _, operators)) => operators.push(operator),
            None => found.push((span, says, vec![operator])),
        }
    }
    found
        .into_iter()
        .map(|(span, says, operators)| {
            let first = operators.first().map_or("", |operator| operator.name);
            let operators = in_short(&operators);
            if case.name.is_empty() {
                let fault = Fault::new(&case.source, span, format!("{operators}: {says}"));
                return fault.hint("read the text again");
            }
            let name = &case.name;
            let attribute = odd_attribute(case, first);
            Fault::new(&case.source, span, format!("{name}: {operators}: {says}")).hint(format!(
                "{attribute}read the text again; `explain {name} --operator {first}{cases}` shows the reference's steps"
            ))
        })
        .collect()
}

/// What an attribute may be meant for, if it is none that the operator has, or a word in place of a flag.
fn odd_attribute(case: &Case, operator: &str) -> String {
    let Some((operator, written)) = Operator::named(operator).zip(case.attributes.as_ref()) else {
        return String::new();
    };
    let names: Vec<_> = operator.attributes().collect();
    let odd = written.iter().find_map(|(name, value)| {
        if !names.contains(&name.as_str()) {
            let near = nearest(name, names.iter().copied());
            return (!near.is_empty()).then(|| {
                format!(
                    "{operator} has no attribute {name}, but {}; ",
                    near.join(" and ")
                )
            });
        }
        let zero = operator.zero_attribute()?;
        let is_flag = *name == zero.name && zero.kind == AttributeKind::Bool;
        let is_word = matches!(value, AttributeValue::String(_)) && is_flag;
        is_word.then(|| format!("{name}={value} is a text, and no flag: that is true or false; "))
    });
    odd.unwrap_or_default()
}

/// What of the file the difference is about: an outcome that is listed and not allowed, or the whole expectation.
fn place(case: &Case, operator: &'static Operator) -> Range<usize> {
    let types = case.element_types(operator);
    let resolutions = types.iter().map(|of| case.resolution(operator, *of));
    let listed = resolutions.map(|resolution| {
        let (
            Expectation::Open { question, .. },
            Resolution::Open {
                question: asked,
                allowed,
                ..
            },
        ) = (&**case.expectation(operator), resolution)
        else {
            return None;
        };
        case.allowed_span(operator, |outcome| allowed.contains(outcome))
            .filter(|_| *question == asked)
    });
    let listed = listed.flatten().next();
    listed.unwrap_or_else(|| case.expectation_span(operator))
}

/// Where a case's expectation and the reference differ, for any of its element types.
pub(crate) fn difference(case: &Case, operator: &'static Operator) -> Option<String> {
    let expected = case.expectation(operator);
    let types = case.element_types(operator);
    let differing: Vec<_> = types
        .iter()
        .map(|element_type| (element_type, case.resolution(operator, *element_type)))
        .filter(|(of, resolution)| !agree(expected, resolution, &case.request(operator, **of)))
        .collect();
    let of_types = differing.len() < types.len();
    let (element_type, resolution) = differing.into_iter().next()?;
    let of_types = if of_types {
        format!(" for {element_type}")
    } else {
        String::new()
    };
    Some(format!(
        "the case says {expected}; the reference says {}{of_types}",
        Expectation::from(resolution)
    ))
}

fn agree(expected: &Expectation, resolution: &Resolution, request: &Request) -> bool {
    match (expected, resolution) {
        (Expectation::Reshaped(a), Resolution::Reshaped(b)) => **a == **b,
        (Expectation::Rejected(a), Resolution::Rejected(_)) => oracle::rejects_for(request, a),
        (
            Expectation::Open {
                question: a,
                allowed: None,
            },
            Resolution::Open { question: b, .. },
        ) => a == b,
        (
            Expectation::Open {
                question: a,
                allowed: Some(ours),
            },
            Resolution::Open {
                question: b,
                allowed: theirs,
                ..
            },
        ) => {
            a == b
                && ours.len() == theirs.len()
                && ours.iter().all(|outcome| theirs.contains(outcome))
        }
        _ => false,
    }
}
