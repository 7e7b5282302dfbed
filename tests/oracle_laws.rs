//! Laws of the oracle, and its agreement with a second reading, which shares neither code nor data with it: it reads
//! the clauses.

#![allow(clippy::unwrap_used, reason = "a test")]

use num_bigint::BigInt;
use proptest::prelude::*;
use reshape_conformance::semantics::operator::{Level, OPERATORS, Operator, Question, Rule};
use reshape_conformance::semantics::oracle::{Resolution, explain, resolve};
use reshape_conformance::semantics::outcome::Allowed;
use reshape_conformance::semantics::request::{AttributeValue, Attributes, Request, Target};
use reshape_conformance::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet};

fn operator() -> impl Strategy<Value = &'static Operator> {
    (0..OPERATORS.len()).prop_map(|index| &OPERATORS[index])
}

/// Small dims mostly, zeros often, and the edges of 32 and 64 bits.
fn dim() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 0u64..7,
        1 => prop::sample::select(vec![1 << 31, 1 << 32, (1 << 32) + 2, u64::from(u32::MAX), 1 << 62, i64::MAX as u64]),
    ]
}

fn value() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => -1i64..7,
        1 => Just(-2),
        1 => prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 32, (1 << 32) + 2, -(1 << 32)]),
    ]
}

/// Few dims mostly, and sometimes more than 8.
fn dims<S: Strategy>(one: fn() -> S) -> impl Strategy<Value = Vec<S::Value>> {
    prop_oneof![
        15 => prop::collection::vec(one(), 0..5),
        1 => prop::collection::vec(one(), 8..11),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let copies = any::<bool>();
    (operator(), dims(dim), dims(value), copies).prop_map(
        |(operator, data_shape, values, copies)| Request {
            operator,
            element_type: ElementType::F32,
            data_shape,
            target: Some(Target::list(values)),
            attributes: attributes(operator, copies),
        },
    )
}

/// Whether a clause of the operator is about this rule. The plain reading knows an operator by its clauses alone.
fn has_clause(operator: &'static Operator, rule: Rule) -> bool {
    operator.clauses_of(rule).next().is_some()
}

fn has_must_clause(operator: &'static Operator, rule: Rule) -> bool {
    let mut clauses = operator.clauses_of(rule);
    clauses.any(|of| of.clause.level == Level::Must)
}

/// The attribute that decides how zeros are read, if the operator has one.
fn attributes(operator: &'static Operator, copies: bool) -> Attributes {
    let mut clauses = operator.clauses_of(Rule::ZeroModeAttribute);
    let Some(clause) = clauses.next() else {
        return Attributes::default();
    };
    let attribute = if clause.clause.description.contains("allowzero") {
        ("allowzero", AttributeValue::Int(i64::from(!copies)))
    } else {
        ("special_zero", AttributeValue::Bool(copies))
    };
    Attributes::new([(attribute.0.to_owned(), attribute.1)].into())
}

fn copies(request: &Request) -> bool {
    match request.attributes.values().next() {
        None => has_clause(request.operator, Rule::CopiedZero),
        Some(value) => matches!(value, AttributeValue::Int(0) | AttributeValue::Bool(true)),
    }
}

fn count<'a>(dims: impl IntoIterator<Item = &'a u64>) -> BigInt {
    dims.into_iter().map(|dim| BigInt::from(*dim)).product()
}

/// The plain reading: a shape, a rejection, or `None` where the texts leave it open.
fn plainly(request: &Request) -> Option<Option<Vec<u64>>> {
    let read = plainly_of_any_size(request);
    let shape = read.as_ref().and_then(Option::as_ref);
    let open = shape.is_some_and(|shape| {
        is_huge(shape) || is_huge(&request.data_shape) || may_lack_a_scalar(request)
    });
    if open { None } else { read }
}

/// No text promises that dims like these can be held.
fn is_huge(dims: &[u64]) -> bool {
    let (long, many) = (BigInt::from(i32::MAX), BigInt::from(1u64 << 31));
    dims.len() > 8
        || dims.iter().any(|dim| BigInt::from(*dim) > long)
        || count(dims.iter().filter(|dim| **dim != 0)) > many
}

/// A text that mentions many dimensions may not mean data without dimensions.
fn may_lack_a_scalar(request: &Request) -> bool {
    let mut clauses = request.operator.clauses_of(Rule::DataInput);
    request.data_shape.is_empty()
        && clauses.any(|of| of.clause.description.contains("many dimensions"))
}

/// Whether a 0 copies at exactly the data's rank, which the text names as the bound, and at no larger index.
fn copies_at_its_bound(request: &Request) -> bool {
    let values = &request.target.as_ref().unwrap().values;
    let last = values.iter().rposition(|value| *value == 0);
    copies(request)
        && last == Some(request.data_shape.len())
        && has_clause(request.operator, Rule::CopyWithinRank)
}

/// The plain reading, for dims of any size.
fn plainly_of_any_size(request: &Request) -> Option<Option<Vec<u64>>> {
    let values = &request.target.as_ref().unwrap().values;
    let (operator, data) = (request.operator, &request.data_shape);
    if values.iter().any(|value| *value < -1) {
        return has_must_clause(operator, Rule::TargetValues).then_some(None);
    }
    let unknown = values.iter().filter(|value| **value == -1).count();
    if unknown < 2 && copies_at_its_bound(request) {
        return None;
    }
    let Some(known) = known_dims(request).filter(|_| unknown < 2) else {
        return Some(None);
    };
    let forbids = has_must_clause(operator, Rule::ZeroWithMinusOne);
    if unknown == 1 && forbids && !copies(request) && values.contains(&0) {
        return Some(None);
    }
    let (whole, part) = (count(data), count(&known));
    let zero = BigInt::from(0);
    if values.is_empty() && !has_must_clause(operator, Rule::EmptyTarget) {
        return (whole != BigInt::from(1)).then_some(None);
    }
    if whole == zero && (overflows(data) || overflows(&known)) && (unknown == 1 || part == zero) {
        // Open, unless the count does not match anyway.
        return None;
    }
    if unknown == 0 {
        return Some((whole == part).then_some(known));
    }
    if part == zero {
        return (whole != zero).then_some(None);
    }
    let position = values.iter().position(|value| *value == -1).unwrap();
    Some(with_inferred(known, position, &whole, &part))
}

/// The dims from the target, without the -1; `None` if a 0 has no dimension to copy.
fn known_dims(request: &Request) -> Option<Vec<u64>> {
    let values = request.target.as_ref().unwrap().values.iter().enumerate();
    values
        .filter(|(_, value)| **value != -1)
        .map(|(index, value)| match *value {
            0 if copies(request) => request.data_shape.get(index).copied(),
            value => u64::try_from(value).ok(),
        })
        .collect()
}

fn overflows(dims: &[u64]) -> bool {
    count(dims.iter().filter(|dim| **dim != 0)) > BigInt::from(i64::MAX)
}

/// The shape with the inferred length; `None` if no dim makes the counts equal.
fn with_inferred(
    mut shape: Vec<u64>,
    position: usize,
    whole: &BigInt,
    part: &BigInt,
) -> Option<Vec<u64>> {
    if whole % part != BigInt::from(0) {
        return None;
    }
    let length = i64::try_from(&(whole / part)).ok()?;
    shape.insert(position, u64::try_from(length).ok()?);
    Some(shape)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn the_oracle_agrees_with_a_plain_reading_of_the_rules(request in request()) {
        match (plainly(&request), resolve(&request)) {
            (Some(Some(shape)), Resolution::Reshaped(resolved)) => prop_assert_eq!(&shape[..], &resolved[..]),
            (Some(None), Resolution::Rejected(reasons)) => prop_assert!(!reasons.is_empty()),
            // What is open may still be rejected by every reader.
            (None, Resolution::Open { .. } | Resolution::Rejected(_)) => {}
            (plain, resolution) => prop_assert!(false, "{plain:?} against {resolution:?}"),
        }
    }

    #[test]
    fn a_reshaped_result_keeps_the_count_and_what_the_target_says(request in request()) {
        if let Resolution::Reshaped(shape) = resolve(&request) {
            prop_assert_eq!(count(shape.iter()), count(&request.data_shape));
            let values = &request.target.as_ref().unwrap().values;
            prop_assert_eq!(shape.len(), values.len());
            for (index, (length, value)) in shape.iter().zip(values).enumerate() {
                match value {
                    0 if copies(&request) => prop_assert_eq!(*length, request.data_shape[index]),
                    -1 => {}
                    value => prop_assert_eq!(i128::from(*length), *value),
                }
            }
        }
    }

    #[test]
    fn an_open_answer_allows_its_own_choice_and_more(request in request()) {
        if let Resolution::Open { allowed, choice, .. } = resolve(&request) {
            let fits = |choice: &Allowed| match choice {
                Allowed::Reshaped(shape) => allowed.iter().any(|other| match other {
                    Allowed::Reshaped(pattern) => {
                        shape.len() == pattern.len() && shape.iter().zip(pattern).all(|(a, b)| b.is_none() || a == b)
                    }
                    Allowed::Rejected => false,
                }),
                Allowed::Rejected => allowed.contains(&Allowed::Rejected),
            };
            prop_assert!(fits(&choice), "{choice:?} is not in {allowed:?}");
            let several = allowed.len() > 1 || matches!(&allowed[0], Allowed::Reshaped(shape) if shape.contains(&None));
            prop_assert!(several, "{allowed:?}");
        }
    }

    #[test]
    fn the_steps_say_where_each_dim_comes_from_and_every_fault(request in request()) {
        let (resolution, steps) = explain(&request);
        prop_assert_eq!(&resolution, &resolve(&request));
        prop_assert!(steps.iter().all(|step| !step.description.is_empty()));
        let faults: BTreeSet<Rule> = steps.iter().filter(|step| step.fault).map(|step| step.rule).collect();
        match resolution {
            Resolution::Reshaped(shape) => {
                let dims: BTreeMap<usize, u64> = steps.iter().filter_map(|step| step.dim).collect();
                prop_assert_eq!(&dims.into_values().collect::<Vec<_>>()[..], &shape[..]);
                prop_assert!(faults.is_empty());
                // The element type comes first, and the count last.
                prop_assert_eq!(steps.first().map(|step| step.rule), Some(Rule::ElementTypes));
                prop_assert_eq!(steps.last().map(|step| step.rule), Some(Rule::SameCount));
            }
            Resolution::Rejected(reasons) => {
                let rules: BTreeSet<Rule> = reasons.iter().map(|reason| reason.rule()).collect();
                prop_assert!(!faults.is_empty());
                prop_assert_eq!(faults, rules);
            }
            Resolution::Open { choice, .. } => prop_assert_eq!(faults.is_empty(), choice != Allowed::Rejected),
        }
    }

    #[test]
    fn reshaping_to_its_own_shape_changes_nothing(operator in operator(), data_shape in prop::collection::vec(1u64..40, 1..6)) {
        let target = Some(Target::list(data_shape.iter().map(|dim| i64::try_from(*dim).unwrap())));
        let attributes = attributes(operator, true);
        let request = Request { operator, element_type: ElementType::F32, data_shape: data_shape.clone(), target, attributes };
        prop_assert_eq!(resolve(&request), Resolution::Reshaped(data_shape.into()));
    }

    #[test]
    fn no_request_makes_it_panic(
        operator in operator(),
        data_shape in prop::collection::vec(0..=i64::MAX as u64, 0..64),
        values in prop::collection::vec(i128::from(i64::MIN)..=i128::from(u64::MAX), 0..64),
        rank in 0usize..4,
        allowzero in prop::option::of(any::<i64>()),
    ) {
        let dims = match rank { 0 => vec![], 2 => vec![1, values.len() as u64], _ => vec![values.len() as u64] };
        let target = (rank < 3).then_some(Target { element_type: ElementType::U64, dims, values });
        let attributes = allowzero.map(|value| ("allowzero".to_owned(), AttributeValue::Int(value)));
        let attributes = Attributes::new(attributes.into_iter().collect());
        let request = Request { operator, element_type: ElementType::String, data_shape, target, attributes };
        prop_assert_eq!(resolve(&request), resolve(&request));
    }
}

/// `explain` goes through every step; `resolve` takes a shorter way where nothing about the request is unusual.
#[test]
fn with_steps_or_without_the_answer_is_the_same() {
    let named = |name: &str, value| (name.to_owned(), value);
    let attributes: Vec<BTreeMap<_, _>> = vec![
        [].into(),
        [named("allowzero", AttributeValue::Int(0))].into(),
        [named("allowzero", AttributeValue::Int(1))].into(),
        [named("allowzero", AttributeValue::Int(2))].into(),
        [named("allowzero", AttributeValue::Float(0.0))].into(),
        [named("special_zero", AttributeValue::Bool(false))].into(),
        [named("special_zero", AttributeValue::Bool(true))].into(),
        [named("special_zero", AttributeValue::Int(1))].into(),
        [
            named("allowzero", AttributeValue::Int(0)),
            named("special_zero", AttributeValue::Bool(true)),
        ]
        .into(),
        [
            named("allowzero", AttributeValue::Int(1)),
            named("beside", AttributeValue::Int(1)),
        ]
        .into(),
    ];
    let attributes: Vec<_> = attributes.into_iter().map(Attributes::new).collect();
    let edge = 1_u64 << 31;
    let shapes = [
        vec![],
        vec![1],
        vec![6],
        vec![0],
        vec![2, 3],
        vec![3, 0],
        vec![0, 0],
        vec![edge - 1],
        vec![edge],
        vec![edge, edge],
        vec![2, 3, 1],
        vec![1; 8],
        vec![1; 9],
    ];
    let values: Vec<Vec<i64>> = vec![
        vec![],
        vec![-1],
        vec![0],
        vec![6],
        vec![5],
        vec![0, -1],
        vec![-1, 0],
        vec![-1, -1],
        vec![0, 0],
        vec![0, 0, 0],
        vec![2, -1, 1],
        vec![-1, 4],
        vec![-2, 3],
        vec![3, 2],
        vec![i64::MAX, 2],
        vec![-1, i64::MAX],
        vec![1 << 31],
        vec![(1 << 31) - 1],
        vec![1, -1, 1, 1, 1, 1, 1, 1],
        vec![1; 9],
        vec![1 << 32, 1 << 32, -1],
    ];
    let types = [
        (ElementType::F32, ElementType::I64),
        (ElementType::F32, ElementType::I32),
        (ElementType::F32, ElementType::F32),
        (ElementType::String, ElementType::U64),
        (ElementType::I4, ElementType::I64),
    ];
    for operator in OPERATORS {
        for (element_type, of_target) in types {
            for (attributes, data_shape) in attributes
                .iter()
                .flat_map(|of| shapes.iter().map(move |shape| (of, shape)))
            {
                for values in &values {
                    let mut target = Target::list(values.iter().copied());
                    target.element_type = of_target;
                    let request = Request {
                        operator,
                        element_type,
                        data_shape: data_shape.clone(),
                        target: Some(target),
                        attributes: attributes.clone(),
                    };
                    assert_eq!(resolve(&request), explain(&request).0, "{request:?}");
                }
            }
        }
    }
}

/// An answer cites what its values touch, and nothing else of the operator.
#[test]
fn an_answer_rests_on_the_clauses_that_its_values_touch() {
    let operator = Operator::named("onnx.Reshape-14").unwrap();
    let cited = |data: &[u64], values: &[i64], allowzero: i64| {
        let target = Some(Target::list(values.iter().copied()));
        let attributes = BTreeMap::from([("allowzero".to_owned(), AttributeValue::Int(allowzero))]);
        let attributes = Attributes::new(attributes);
        let request = Request {
            operator,
            element_type: ElementType::F32,
            data_shape: data.to_vec(),
            target,
            attributes,
        };
        let ids: Vec<_> =
            reshape_conformance::semantics::oracle::clauses(&request, &resolve(&request))
                .iter()
                .map(|of| of.clause.id)
                .collect();
        let once: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(once.len(), ids.len(), "each once: {ids:?}");
        ids
    };
    let all = [
        "zero-copies",
        "allowzero/literal",
        "minus-one-inferred",
        "summary/two-inputs",
        "empty-is-scalar",
        "same-count",
    ];
    let of = |ids: &[&str]| all.iter().map(|id| ids.contains(id)).collect::<Vec<_>>();
    assert_eq!(
        of(&cited(&[2, 3], &[0, -1], 0)),
        [true, false, true, false, false, true]
    );
    assert_eq!(
        of(&cited(&[0, 3], &[0, 3], 1)),
        [false, true, false, true, false, true]
    );
    assert_eq!(
        of(&cited(&[2, 3], &[6], 0)),
        [false, false, false, true, false, true]
    );
    assert_eq!(
        of(&cited(&[1], &[], 0)),
        [false, false, false, false, true, true]
    );
    // A rejection rests on why it is one.
    assert_eq!(
        of(&cited(&[2, 3], &[5], 0)),
        [false, false, false, false, false, true]
    );
    assert!(
        cited(&[2, 3], &[-1, -1], 0)
            .iter()
            .all(|id| id.contains("minus-one"))
    );
}

#[test]
fn an_attribute_that_changes_nothing_is_another_attribute_with_another_type() {
    let operator = Operator::named("onnx.Reshape-1").unwrap();
    let with = |value: AttributeValue| {
        let attributes = Attributes::new([("consumed_inputs".to_owned(), value)].into());
        let (element_type, data_shape, target) =
            (ElementType::F32, vec![6], Some(Target::list([2, 3])));
        resolve(&Request {
            operator,
            element_type,
            data_shape,
            target,
            attributes,
        })
    };
    assert_eq!(
        with(AttributeValue::Ints(vec![0])),
        Resolution::Reshaped(vec![2, 3].into())
    );
    for other in [
        AttributeValue::Int(0),
        AttributeValue::Float(0.0),
        AttributeValue::String("0".to_owned()),
    ] {
        let Resolution::Open { question, .. } = with(other) else {
            panic!("open")
        };
        assert_eq!(question, Question::UnknownAttribute);
    }
}

#[test]
fn the_playground_answers_every_operator_or_says_what_is_wrong() {
    let ask = |line: &str| {
        let answer = reshape_conformance::playground::answer(line);
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()
    };
    let request = r#"{"data_shape":[3,0],"element_type":"f32","shape":[0,-1],"shape_element_type":"i64","zero":"copy"}"#;
    let answered = ask(request);
    let names = |answer: &serde_json::Value| answer["names"].as_array().unwrap().len();
    let answers = answered["answers"].as_array().unwrap();
    // In the Array API standard no 0 copies.
    let able = OPERATORS
        .iter()
        .filter(|of| of.family.name() != "array-api");
    assert_eq!(answers.iter().map(names).sum::<usize>(), able.count());
    assert_eq!(answered["without"], "array-api");
    let case = answered["case"].as_str().unwrap();
    assert!(
        case.contains("zero: copy") && case.contains("# onnx"),
        "{case}"
    );
    for (from, to) in [
        ("[3,0]", "[9223372036854775808]"),
        ("[3,0]", "[-1]"),
        ("[0,-1]", "[[1],[1,2]]"),
        ("[0,-1]", "\"missing\""),
        ("i64", "f33"),
        ("\"i64\"", "\"i32\",\"more\":1"),
        ("[0,-1]", &format!("[{}", "[".repeat(100_000))),
    ] {
        let answered = ask(&request.replace(from, to));
        assert!(answered["error"].is_string(), "{to:.40}: {answered}");
    }
}

#[test]
fn a_copy_at_the_rank_can_have_any_length_that_keeps_the_count() {
    let openvino = |data: &[u64], target: &[i64]| Request {
        operator: Operator::named("openvino.Reshape-1").expect("an operator"),
        element_type: ElementType::F32,
        data_shape: data.to_vec(),
        target: Some(Target::list(target.iter().copied())),
        attributes: Attributes::new(
            [("special_zero".to_owned(), AttributeValue::Bool(true))].into(),
        ),
    };
    for (data, target, pattern) in [
        (
            &[2, 3][..],
            &[2, 3, 0][..],
            &[Some(2), Some(3), Some(1)][..],
        ),
        (&[2, 3], &[0, 1, 0], &[Some(2), Some(1), Some(3)]),
        (&[], &[0], &[Some(1)]),
        (&[6], &[-1, 0], &[None, None]),
        (&[0], &[0, 0], &[Some(0), None]),
    ] {
        let Resolution::Open {
            question, allowed, ..
        } = resolve(&openvino(data, target))
        else {
            panic!("{data:?} {target:?}")
        };
        assert_eq!(question, Question::CopyAtRank);
        assert_eq!(
            allowed,
            [Allowed::Rejected, Allowed::Reshaped(pattern.to_vec())]
        );
    }
    // No length keeps the count; and past the rank there is none to keep.
    for (data, target) in [
        (&[2, 3][..], &[4, 1, 0][..]),
        (&[2, 3], &[5, -1, 0]),
        (&[2, 3], &[1, 2, 3, 0]),
    ] {
        let resolution = resolve(&openvino(data, target));
        assert!(
            matches!(resolution, Resolution::Rejected(_)),
            "{data:?} {target:?} {resolution:?}"
        );
    }
}
