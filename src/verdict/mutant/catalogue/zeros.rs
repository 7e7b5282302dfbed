//! Mutants: how a 0 in the target is read.

use crate::semantics::operator::{Reason, TargetSource};
use crate::semantics::request::{AttributeValue, Request};
use crate::tensor::ElementType;
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "zero-always-copies",
        "copies every 0, whatever the attribute says",
        |b| b.copies = |_, _, _| Some(true),
    ),
    mutant(
        "zero-never-copies",
        "takes every 0 as literal, whatever the attribute says",
        |b| b.copies = |_, _, _| Some(false),
    ),
    mutant(
        "zero-mode-inverted",
        "inverts the attribute for zeros",
        |b| b.copies = |said, _, _| said.map(|said| !said),
    ),
    mutant(
        "zero-mode-lost-at-run",
        "copies every 0 of a target that arrives at the run, whatever the attribute says",
        |b| {
            b.copies = |said, _, binding| {
                if binding.source() == TargetSource::Runtime {
                    Some(true)
                } else {
                    said
                }
            }
        },
    ),
    mutant(
        "zero-mode-lost-with-dynamic-dims",
        "copies every 0 where the data dims are not declared, whatever the attribute says",
        |b| b.copies = |said, _, binding| if binding.dynamic() { Some(true) } else { said },
    ),
    mutant(
        "zeros-of-i64-never-copy",
        "takes every 0 as literal where the data is i64, whatever the attribute says",
        |b| {
            b.copies =
                |said, request, _| said.map(|said| said && request.element_type != ElementType::I64)
        },
    ),
    mutant(
        "attribute-of-another-version-honoured",
        "honours allowzero or special_zero although the operator does not have it",
        |b| {
            b.overlooks.push(Reason::UnknownAttribute);
            b.copies = |said, request, _| foreign_mode(request).or(said);
        },
    ),
    mutant(
        "missing-mode-copies",
        "takes a missing required attribute as set",
        |b| {
            b.overlooks.push(Reason::MissingAttribute);
            b.copies = |said, _, _| said.or(Some(true));
        },
    ),
    mutant(
        "missing-mode-is-literal",
        "takes a missing required attribute as not set",
        |b| {
            b.overlooks.push(Reason::MissingAttribute);
            b.copies = |said, _, _| said.or(Some(false));
        },
    ),
    mutant(
        "default-mode-is-literal",
        "takes zeros as literal where the node leaves an optional attribute out",
        |b| {
            b.copies = |said, request, _| {
                let left_out = request
                    .operator
                    .zero_attribute()
                    .is_some_and(|zero| !request.attributes.contains_key(zero.name));
                if left_out { said.map(|_| false) } else { said }
            }
        },
    ),
    mutant(
        "attribute-type-unchecked",
        "takes an attribute of a wrong type as not set",
        |b| {
            b.overlooks.push(Reason::AttributeType);
            b.copies = |said, _, _| said.or(Some(false));
        },
    ),
    mutant(
        "attribute-of-wrong-type-is-set",
        "takes an attribute of a wrong type as set",
        |b| {
            b.overlooks.push(Reason::AttributeType);
            b.copies = |said, _, _| said.or(Some(true));
        },
    ),
    mutant(
        "copied-zero-from-the-right",
        "copies from the dims counted from the right",
        |b| {
            b.copied = |zero| {
                (zero.index + zero.data.len())
                    .checked_sub(zero.target_length)
                    .and_then(|at| zero.data.get(at).copied())
            }
        },
    ),
    mutant(
        "copied-zero-in-turn",
        "copies the dims in turn: the first 0 takes the first dim, wherever it is",
        |b| b.copied = |zero| zero.data.get(zero.zeros_before).copied(),
    ),
    mutant(
        "copied-zero-from-the-first",
        "copies the first dim into every 0",
        |b| b.copied = |zero| zero.data.first().copied(),
    ),
    mutant(
        "copied-zero-clamped",
        "copies the last dim where the data has none at that index",
        |b| b.copied = |zero| zero.data.get(zero.index).or(zero.data.last()).copied(),
    ),
    mutant(
        "copied-zero-wraps",
        "wraps around to the first dim where the data has none at that index",
        |b| {
            b.copied = |zero| {
                zero.data
                    .get(zero.index.checked_rem(zero.data.len())?)
                    .copied()
            }
        },
    ),
    mutant(
        "copied-zero-past-rank-is-1",
        "takes a copied 0 past the rank as 1",
        |b| b.copied = |zero| Some(zero.data.get(zero.index).copied().unwrap_or(1)),
    ),
    mutant(
        "copied-zero-past-rank-is-0",
        "takes a copied 0 past the rank as 0",
        |b| b.copied = |zero| Some(zero.data.get(zero.index).copied().unwrap_or(0)),
    ),
    mutant(
        "copied-zero-of-an-empty-dim-is-1",
        "takes a copied dim of length 0 as 1",
        |b| b.copied = |zero| zero.data.get(zero.index).map(|dim| (*dim).max(1)),
    ),
    mutant("copied-zero-refused", "refuses a 0 that copies", |b| {
        b.copied = |_| None
    }),
];

/// The zero mode that an attribute of another operator or version would select.
fn foreign_mode(request: &Request) -> Option<bool> {
    let own = request.operator.zero_attribute().map(|zero| zero.name);
    match (
        request.attributes.get("allowzero"),
        request.attributes.get("special_zero"),
    ) {
        (Some(AttributeValue::Int(value)), _) if own != Some("allowzero") => Some(*value == 0),
        (_, Some(AttributeValue::Bool(value))) if own != Some("special_zero") => Some(*value),
        (_, Some(AttributeValue::Int(value))) if own != Some("special_zero") => Some(*value != 0),
        _ => None,
    }
}
