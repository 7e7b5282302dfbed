//! Reviewing cases for valid text with a wrong meaning: an expectation that differs from the reference, a cited rule
//! that the case does not show, unexplained reasons, or a duplicate. Pure; runs nothing.

use crate::error::Fault;
use crate::names::{Grouped, nearest};
use crate::semantics::operator::{AttributeKind, Operator, in_short};
use crate::semantics::oracle;
use crate::semantics::oracle::Resolution;
use crate::semantics::outcome::Allowed;
use crate::semantics::request::{AttributeValue, Request};
use crate::suite::case::{Case, Cover, Expectation};
use crate::tensor::ElementType;
use std::ops::Range;
use std::sync::Arc;

/// The differences of a case, one for all operators with the same expectation and the same answer. `cases` is the
/// option that selects the case's files, for the command that shows more; empty for the built-in suite.
pub(crate) fn differences(case: &Case, cases: &str) -> Vec<Fault> {
    let found = case.operators.iter().filter_map(|operator| {
        let description = difference(case, operator)?;
        Some(((place(case, operator), description), *operator))
    });
    let found = found.grouped().into_iter();
    found
        .map(|((span, description), operators)| {
            let first = operators.first().map_or("", |operator| operator.name);
            let operators = in_short(&operators);
            if case.name.is_empty() {
                let fault = Fault::new(&case.source, span, format!("{operators}: {description}"));
                return fault.hint("read the text again");
            }
            let name = &case.name;
            let attribute = odd_attribute(case, first);
            Fault::new(&case.source, span, format!("{name}: {operators}: {description}")).hint(format!(
                "{attribute}read the text again; `explain {name} --operator {first}{cases}` shows the reference's steps"
            ))
        })
        .collect()
}

/// A likely fault of an attribute: the operator does not have it, or it holds a word in place of a flag.
fn odd_attribute(case: &Case, operator: &str) -> String {
    let Some((operator, written)) = Operator::named(operator).zip(case.attributes.as_ref()) else {
        return String::new();
    };
    let names: Vec<_> = operator.attributes().collect();
    let odd = written.iter().find_map(|(name, value)| {
        if !names.contains(&name.as_str()) {
            let near = nearest(name, names.iter().copied());
            return (!near.is_empty()).then(|| {
                let near = near.join(" and ");
                format!("{operator} has no attribute {name}, but {near}; ")
            });
        }
        let zero = operator.zero_attribute()?;
        let is_flag = *name == zero.name && zero.kind == AttributeKind::Bool;
        let is_word = matches!(value, AttributeValue::String(_)) && is_flag;
        is_word.then(|| format!("{name}={value} is a text, but a flag is true or false; "))
    });
    odd.unwrap_or_default()
}

/// The place of the difference in the file: a listed outcome that is not allowed, or the whole expectation.
fn place(case: &Case, operator: &'static Operator) -> Range<usize> {
    let types = case.element_types(operator);
    let expectation = &**case.expectation(operator);
    let mut resolutions = types.iter().map(|of| case.resolution(operator, *of));
    let listed = resolutions.find_map(|resolution| match (expectation, resolution) {
        (
            Expectation::Open { question, .. },
            Resolution::Open {
                question: asked,
                allowed,
                ..
            },
        ) if *question == asked => case.allowed_span(operator, |outcome| allowed.contains(outcome)),
        _ => None,
    });
    listed.unwrap_or_else(|| case.expectation_span(operator))
}

/// How a case's expectation and the reference differ, for any of its element types.
pub(crate) fn difference(case: &Case, operator: &'static Operator) -> Option<String> {
    let expected = case.expectation(operator);
    let types = case.element_types(operator);
    let resolved = types.iter().map(|of| (of, case.resolution(operator, *of)));
    let differing = resolved
        .filter(|(of, resolution)| !agree(expected, resolution, &case.request(operator, **of)));
    let differing: Vec<_> = differing.collect();
    let is_of_some = differing.len() < types.len();
    let (element_type, resolution) = differing.into_iter().next()?;
    let of_types = is_of_some.then(|| format!(" for {element_type}"));
    let of_types = of_types.unwrap_or_default();
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
            Expectation::Open { question, allowed },
            Resolution::Open {
                question: asked,
                allowed: theirs,
                ..
            },
        ) => {
            let agrees = |ours: &Vec<Allowed>| {
                ours.len() == theirs.len() && ours.iter().all(|of| theirs.contains(of))
            };
            question == asked && allowed.as_ref().is_none_or(agrees)
        }
        _ => false,
    }
}

/// The rules and clauses that a case cites although its request does not concern them, for any of its operators.
pub(crate) fn uncited(case: &Case) -> Vec<Fault> {
    case.covers
        .iter()
        .filter(|cover| !case.shows_cover(cover))
        .map(|cover| {
            let message = format!(
                "the case cites {}, which its request and its expectation do not exercise",
                cover.name()
            );
            let fault = Fault::new(&case.source, case.cover_span(cover), message);
            fault.hint(format!("{}; {}", description(cover), instead(case)))
        })
        .collect()
}

fn description(cover: &Cover) -> &'static str {
    match cover {
        Cover::Rule(rule) => rule.description().trim_end_matches('.'),
        Cover::Clause(of) => of.clause.description.trim_end_matches('.'),
    }
}

/// What the case could cite instead: rules that it shows, and its reasons break or its requests rest on.
fn instead(case: &Case) -> String {
    let of_reasons =
        case.operators
            .iter()
            .flat_map(|operator| match &**case.expectation(operator) {
                Expectation::Rejected(reasons) => {
                    reasons.iter().map(|reason| reason.rule()).collect()
                }
                Expectation::Open { question, .. } => vec![question.reason().rule()],
                Expectation::Reshaped(_) => Vec::new(),
            });
    let of_requests = case.operators.iter().flat_map(|operator| {
        let types = case.element_types(operator);
        let request = case.request(operator, types.first().copied().unwrap_or(ElementType::F32));
        oracle::rules(&request, &oracle::resolve(&request))
    });
    let rules = case.shown(of_reasons.chain(of_requests));
    let names: Vec<_> = rules.iter().map(|rule| rule.name()).collect();
    match names.is_empty() {
        true => "`explain` shows what its request exercises".to_owned(),
        false => format!("the request exercises {}", names.join(", ")),
    }
}

/// The expectation with several reasons, in a case without `about`.
pub(crate) fn unexplained_reasons(case: &Case) -> Option<Fault> {
    if case.about.is_some() {
        return None;
    }
    let mut operators = case.operators.iter();
    let several = operators.find_map(|operator| match &**case.expectation(operator) {
        Expectation::Rejected(reasons) if reasons.len() > 1 => Some((operator, reasons)),
        Expectation::Rejected(_) | Expectation::Reshaped(_) | Expectation::Open { .. } => None,
    });
    let (operator, reasons) = several?;
    let names: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
    let message = format!(
        "{} reasons to reject together: {}",
        names.len(),
        names.join(", ")
    );
    Some(Fault::new(&case.source, case.expectation_span(operator), message).hint(
        "a backend that sees one of them passes; test one reason per case, or explain in `about` why they occur \
        together",
    ))
}

/// A case that another case contains: each of its trials is also one of the other.
pub(crate) struct Duplicate<'a> {
    pub(crate) case: &'a Arc<Case>,
    pub(crate) of: &'a Arc<Case>,
}

impl Duplicate<'_> {
    /// Whether it cites something that the other does not, so that coverage depends on it.
    pub(crate) fn cites_more(&self) -> bool {
        let cited = &self.of.covers;
        self.case.covers.iter().any(|cover| !cited.contains(cover))
    }

    /// The warning for its author.
    pub(crate) fn fault(&self) -> Fault {
        let (case, of) = (self.case, self.of);
        let (line, _) = of.source.line_and_column(of.span.start);
        let message = format!(
            "every trial of {} is also one of {} ({}:{line})",
            case.name, of.name, of.source.file
        );
        Fault::new(&case.source, case.span.clone(), message)
            .hint("a copy tests nothing more: remove it, or change its request")
    }
}

/// The cases that another case contains, where the other is one of `others` or comes before it.
pub(crate) fn duplicates<'a>(
    cases: &'a [Arc<Case>],
    others: &'a [Arc<Case>],
) -> Vec<Duplicate<'a>> {
    let own = |case: &&Arc<Case>| cases.iter().any(|own| own.name == case.name);
    let all = others.iter().filter(|case| !own(case)).chain(cases);
    let alike = all.map(|case| (situation(case), case)).sorted();
    let mut duplicates = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let Some(alike) = alike.get(&situation(case)) else {
            continue;
        };
        let contains = |other: &&&'a Arc<Case>| {
            let later = cases.iter().position(|own| own.name == other.name);
            let later = later.is_some_and(|other| other > at);
            // If two cases contain each other, the later one is reported.
            other.name != case.name && is_within(case, other) && !(later && is_within(other, case))
        };
        if let Some(of) = alike.iter().find(contains) {
            duplicates.push(Duplicate { case, of });
        }
    }
    duplicates
}

/// What two cases have in common if one of them contains the other.
fn situation(case: &Case) -> String {
    format!("{:?} {:?} {:?}", case.data_shape, case.target, case.content)
}

/// Whether every trial of a case is one of another with the same situation.
fn is_within(case: &Case, other: &Case) -> bool {
    case.operators.iter().all(|operator| {
        let types = other.element_types(operator);
        let bindings: Vec<_> = other.bindings(operator).collect();
        let mut own = case.bindings(operator);
        other.operators.contains(operator)
            && case.element_types(operator).iter().all(|element_type| {
                types.contains(element_type)
                    && case.request(operator, *element_type)
                        == other.request(operator, *element_type)
            })
            && own.all(|binding| bindings.contains(&binding))
    })
}
