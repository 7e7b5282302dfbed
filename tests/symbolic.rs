//! Every statement about a grid of small requests, compared with the oracle for all dims up to a bound.

use super::*;
use crate::semantics::operator::{AttributeKind, OPERATORS, Operator};
use crate::semantics::request::{Attributes, Target};
use crate::tensor::ElementType;

/// All lists of these terms up to a length.
fn lists(of: &[Term], most: usize) -> Vec<Vec<Term>> {
    let (mut all, mut longest) = (vec![Vec::new()], vec![Vec::new()]);
    for _ in 0..most {
        let longer = longest.iter().flat_map(|list| {
            let longer = |last: &Term| [list.as_slice(), std::slice::from_ref(last)].concat();
            of.iter().map(longer)
        });
        longest = longer.collect();
        all.extend(longest.clone());
    }
    all
}

/// The ways to read a 0 that a node of an operator can ask for.
fn attributes(operator: &Operator) -> Vec<Attributes> {
    let Some(of) = operator.zero_attribute() else {
        return vec![Attributes::default()];
    };
    let values = match of.kind {
        AttributeKind::Int => [0, 1, 2].map(AttributeValue::Int).to_vec(),
        AttributeKind::Bool => [false, true].map(AttributeValue::Bool).to_vec(),
        AttributeKind::Ints => Vec::new(),
    };
    let with = |value| Attributes::new([(of.name.to_owned(), value)].into());
    let with = values.into_iter().map(with);
    with.chain([Attributes::default()]).collect()
}

/// Compares a statement with the oracle; returns for how many dims.
fn check(symbolic: &Symbolic, statement: &Statement, names: &[Name; 2], most: u64) -> usize {
    let mut checked = 0;
    let holds = |cases: &[Vec<Condition>], dims: &[(Name, u64)]| {
        let mut cases = cases.iter();
        cases.any(|case| case.iter().all(|condition| condition.holds(dims)))
    };
    for (n, m) in (0..=most).flat_map(|n| (0..=most).map(move |m| (n, m))) {
        let dims = [(names[0].clone(), n), (names[1].clone(), m)];
        let request = symbolic.at(&dims).unwrap();
        let resolution = resolve(&request);
        let mut accepted = statement.answers.iter();
        let accepted = accepted.find(|(_, cases)| holds(cases, &dims));
        let expected = match &resolution {
            Resolution::Open { question, .. } => Some(Some(*question)),
            Resolution::Reshaped(_) => Some(None),
            Resolution::Rejected(_) => None,
        };
        let is_right = accepted.map(|(question, _)| *question) == expected;
        assert!(
            is_right,
            "{symbolic:?}\n{statement}\n{n}, {m}: {resolution:?}"
        );
        if let Resolution::Reshaped(shape) = resolution {
            for (length, term) in shape.iter().zip(&statement.output) {
                let expected = term.as_ref().map(|term| term.at(&dims));
                let is_right = expected.is_none_or(|of| of == Some(i128::from(*length)));
                assert!(is_right, "{symbolic:?}\n{statement:?}\n{n}, {m}: {shape:?}");
            }
        }
        checked += 1;
    }
    checked
}

#[test]
fn a_statement_holds_for_all_small_dims() {
    let names: [Name; 2] = [(0, "N".into()), (1, "M".into())];
    let [n, m] = names.clone().map(Term::from);
    let terms = |numbers: &[i128], products: &[&Term]| -> Vec<Term> {
        let products = products.iter().map(|of| (*of).clone());
        numbers
            .iter()
            .copied()
            .map(Term::from)
            .chain(products)
            .collect()
    };
    let (double, both) = (Term::from(2).times(&n).unwrap(), n.times(&m).unwrap());
    let data = lists(&terms(&[0, 4], &[&n, &m, &double]), 3);
    let values = lists(&terms(&[-2, -1, 0, 2, 3], &[&n, &m, &both]), 3);
    let most: u64 = std::env::var("SYMBOLIC_BOUND").map_or(4, |most| most.parse().unwrap());
    let (mut statements, mut decided, mut checked) = (0, 0, 0);
    for (at, operator) in OPERATORS.iter().enumerate() {
        if OPERATORS[..at].iter().any(|of| of.rules == operator.rules) {
            continue;
        }
        for attributes in attributes(operator) {
            for (data, values) in data
                .iter()
                .flat_map(|data| values.iter().map(move |of| (data, of)))
            {
                // The longest differ little from shorter ones.
                if data.len() + values.len() > 4 && std::env::var("SYMBOLIC_BOUND").is_err() {
                    continue;
                }
                let known = Request {
                    operator,
                    element_type: ElementType::F32,
                    data_shape: Vec::new(),
                    target: Some(Target::list(values.iter().map(|_| 1))),
                    attributes: attributes.clone(),
                };
                let (data, values) = (data.clone(), values.clone());
                let symbolic = Symbolic {
                    known,
                    data,
                    values,
                };
                statements += 1;
                if let Some(statement) = symbolic.statement() {
                    decided += 1;
                    checked += check(&symbolic, &statement, &names, most);
                }
            }
        }
    }
    assert!(
        decided * 10 > statements * 8 && checked > 100_000,
        "{statements} requests, {decided} decided, {checked} compared"
    );
}
