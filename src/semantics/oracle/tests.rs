//! Rules that no operator of the table has, but that a later one could have.

use super::*;
use crate::semantics::operator::rules::{
    AttributeKind, Rules, TargetRule, ZeroAttribute, ZeroRule,
};
use crate::semantics::operator::{Family, Meaning, Operator, Question, Reason, Strictness};
use crate::semantics::request::{AttributeValue, Attributes, Request, Target};
use crate::tensor::ElementType;

/// A text that treats whatever it could leave open in this way.
const fn treating_all(strictness: Strictness) -> Rules {
    Rules {
        zero: ZeroRule::AlwaysCopies,
        literal_zero_with_minus_one: strictness,
        copy_at_rank: strictness,
        copy_past_rank: strictness,
        below_minus_one: strictness,
        indeterminate_dimension: strictness,
        count_overflows: strictness,
        capacity: strictness,
        scalar_data: strictness,
        element_type_outside: strictness,
        element_types_ruled_out: &[],
        unknown_attribute: strictness,
        target: TargetRule {
            attribute: false,
            typed: true,
            element_types: &[ElementType::I64],
            other_integers: strictness,
            not_flat: strictness,
            missing: strictness,
            empty: strictness,
        },
        ignored_attributes: &[],
    }
}

const STRICT: Rules = treating_all(Strictness::MustReject);
const LENIENT: Rules = treating_all(Strictness::MustAccept(Meaning::First, "accepted"));

/// The strict text, with literal zeros.
const LITERAL: Rules = Rules {
    zero: ZeroRule::AlwaysLiteral,
    ..STRICT
};

fn operator(rules: Rules) -> &'static Operator {
    Box::leak(Box::new(Operator {
        name: "test.Reshape-1",
        family: Family::Onnx,
        version: 1,
        document: "",
        element_types: &[ElementType::F32],
        bindings: &[],
        rules,
        clauses: &[],
    }))
}

fn request(rules: Rules, data: &[u64], target: &[i64]) -> Request {
    Request::plain(operator(rules), data, target)
}

fn rejected(reason: Reason) -> Resolution {
    Resolution::Rejected([reason].into())
}

#[test]
fn zeros_that_are_always_literal_need_no_attribute() {
    let exact = request(LITERAL, &[0, 3], &[3, 0]);
    assert_eq!(resolve(&exact), Resolution::Reshaped(vec![3, 0].into()));
    let more = request(LITERAL, &[2, 3], &[0, 3]);
    assert_eq!(resolve(&more), rejected(Reason::VolumeMismatch));
    assert_eq!(copies_zero(&exact), Some(false));
}

#[test]
fn a_strict_text_rejects_whatever_it_could_leave_open() {
    let literal = request(LITERAL, &[0, 3], &[0, -1]);
    assert_eq!(resolve(&literal), rejected(Reason::ZeroWithMinusOne));
    for (data, target, reason) in [
        (&[2][..], &[2, 0][..], Reason::CopyPastRank),
        (&[6], &[2, -2], Reason::BelowMinusOne),
        (&[0, 3], &[0, -1], Reason::IndeterminateDimension),
        (&[0, 1 << 62, 1 << 62], &[0, 0, 0], Reason::CountOverflows),
        (&[0], &[1 << 31, 0, 0, 0], Reason::CopyPastRank),
        (&[0, 1 << 31], &[0, 0], Reason::Capacity),
        (&[0, 1 << 16, 1 << 16], &[0, 0, 0], Reason::Capacity),
        (&[1; 9], &[1], Reason::Capacity),
        (&[1], &[1; 9], Reason::Capacity),
        (&[], &[1], Reason::ScalarData),
        (&[1], &[], Reason::EmptyTarget),
    ] {
        assert_eq!(resolve(&request(STRICT, data, target)), rejected(reason));
    }
}

#[test]
fn a_lenient_text_accepts_whatever_it_could_leave_open() {
    for (data, target, shape) in [
        (&[2, 3][..], &[2, 1, 0][..], &[2, 1, 3][..]),
        (&[6], &[2, 1, 0], &[2, 1, 3]),
        (&[6], &[2, -2], &[2, 3]),
        (&[0, 1 << 62, 1 << 62], &[0, 0, 0], &[0, 1 << 62, 1 << 62]),
        (&[1], &[], &[]),
        (&[], &[1], &[1]),
        (&[0, 1 << 31], &[0, 0], &[0, 1 << 31]),
    ] {
        let expected = Resolution::Reshaped(shape.to_vec().into());
        assert_eq!(resolve(&request(LENIENT, data, target)), expected);
    }
    let mut unusual = request(LENIENT, &[2, 3], &[3, 2]);
    unusual.element_type = ElementType::Bool;
    unusual.attributes = Attributes::new([("more".to_owned(), AttributeValue::Int(1))].into());
    unusual.target = unusual.target.map(|target| Target {
        dims: vec![1, 2],
        ..target
    });
    assert_eq!(resolve(&unusual), Resolution::Reshaped(vec![3, 2].into()));
    let mut missing = request(LENIENT, &[1], &[]);
    missing.target = None;
    assert_eq!(resolve(&missing), Resolution::Reshaped(vec![].into()));
}

#[test]
fn an_indeterminate_dimension_that_must_be_accepted_allows_every_length() {
    let any = crate::semantics::outcome::Allowed::Reshaped(vec![Some(0), None]);
    for zero in [ZeroRule::AlwaysCopies, ZeroRule::AlwaysLiteral] {
        assert_eq!(
            resolve(&request(Rules { zero, ..LENIENT }, &[0, 3], &[0, -1])),
            Resolution::Open {
                question: Question::IndeterminateDimension,
                allowed: vec![any.clone()],
                choice: any.clone()
            }
        );
    }
}

#[test]
fn a_text_can_give_the_length_0_to_a_minus_one_that_nothing_determines() {
    const ZERO: Strictness = Strictness::MustAccept(Meaning::Second, "the length 0");
    let literal = || Rules {
        literal_zero_with_minus_one: ZERO,
        ..LITERAL
    };
    let copied = || Rules {
        indeterminate_dimension: ZERO,
        ..STRICT
    };
    let huge = &[0, -1, 1 << 62, 1 << 62];
    let empty = || Resolution::Reshaped(vec![0, 0].into());
    let mismatch = rejected(Reason::VolumeMismatch);
    for (rules, data, target, expected) in [
        (literal(), &[0, 3][..], &[0, -1][..], empty()),
        (copied(), &[0, 3], &[0, -1], empty()),
        (literal(), &[2, 3], &[0, -1], mismatch),
        (literal(), &[0], huge, rejected(Reason::CountOverflows)),
        (copied(), &[0], huge, rejected(Reason::CountOverflows)),
    ] {
        let (resolution, steps) = explain(&request(rules, data, target));
        assert_eq!(resolution, expected);
        if let Resolution::Reshaped(shape) = resolution {
            let dims: Vec<_> = steps.iter().filter_map(|step| step.dim).collect();
            assert_eq!(dims, shape.iter().copied().enumerate().collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_attribute_value_is_accepted_in_the_meaning_that_the_text_gives_it() {
    for (meaning, copies) in [(Meaning::First, false), (Meaning::Second, true)] {
        let attribute = Box::leak(Box::new(ZeroAttribute {
            name: "literal",
            kind: AttributeKind::Int,
            copies_when_set: false,
            copies_by_default: None,
            neither_0_nor_1: Strictness::MustAccept(meaning, "as the text says"),
        }));
        let rules = Rules {
            zero: ZeroRule::Attribute(attribute),
            ..STRICT
        };
        let mut request = request(rules, &[2], &[0]);
        request.attributes =
            Attributes::new([("literal".to_owned(), AttributeValue::Int(7))].into());
        assert_eq!(copies_zero(&request), Some(copies));
    }
}
