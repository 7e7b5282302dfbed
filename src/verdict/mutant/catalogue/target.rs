//! Mutants of how the zeros and other values of a target are read, everywhere or past its first places.

use super::mutants;
use crate::semantics::operator::{Reason, TargetSource};
use crate::semantics::oracle;
use crate::semantics::request::{AttributeValue, Request, Target};
use crate::tensor::ElementType;

mutants! { ZEROS;
    "zero-always-copies": "copies every 0, whatever the attribute says" => |b| b.copies = |_, _, _| Some(true),
    "zero-never-copies": "takes every 0 as literal, whatever the attribute says" =>
        |b| b.copies = |_, _, _| Some(false),
    "zero-mode-inverted": "inverts the attribute for zeros" => |b| b.copies = |said, _, _| said.map(|said| !said),
    "zero-mode-lost-at-run": "copies every 0 of a runtime target, whatever the attribute says" =>
        |b| b.copies = |said, _, of| if of.source() == TargetSource::Runtime { Some(true) } else { said },
    "zero-mode-lost-with-dynamic-dims":
        "copies every 0 where the data dims are not declared, whatever the attribute says" =>
        |b| b.copies = |said, _, binding| if binding.dynamic() { Some(true) } else { said },
    "zeros-of-i64-never-copy": "takes every 0 as literal where the data is i64, whatever the attribute says" =>
        |b| b.copies = |said, request, _| said.map(|said| said && request.element_type != ElementType::I64),
    "attribute-of-another-version-honoured":
        "honors allowzero or special_zero although the operator does not have it" => |b| {
            b.overlooks.push(Reason::UnknownAttribute);
            b.copies = |said, request, _| foreign_mode(request).or(said);
        },
    "legacy-attribute-refused": "refuses the attributes that its version ignores" => |b| b.refuses.push(|request, _| {
        let mut ignored = request.operator.rules.ignored_attributes.iter();
        ignored.any(|(name, _)| request.attributes.contains_key(*name))
    }),
    "missing-mode-copies": "takes a missing required attribute as set" => |b| {
        b.overlooks.push(Reason::MissingAttribute);
        b.copies = |said, _, _| said.or(Some(true));
    },
    "missing-mode-is-literal": "takes a missing required attribute as not set" => |b| {
        b.overlooks.push(Reason::MissingAttribute);
        b.copies = |said, _, _| said.or(Some(false));
    },
    "default-mode-is-literal":
        "takes zeros as literal where the node omits an optional attribute" => |b| {
            b.copies = |said, request, _| match request.operator.zero_attribute() {
                Some(of) if !request.attributes.contains_key(of.name) => said.map(|_| false),
                Some(_) | None => said,
            }
        },
    "mode-set-by-presence":
        "takes the attribute for zeros as set wherever the node has it, whatever its value" => |b| {
            b.copies = |said, request, _| match request.operator.zero_attribute() {
                Some(of) if request.attributes.contains_key(of.name) => said.map(|_| of.copies_when_set),
                Some(_) | None => said,
            }
        },
    "attribute-type-unchecked": "takes an attribute of a wrong type as not set" => |b| {
        b.overlooks.push(Reason::AttributeType);
        b.copies = |said, _, _| said.or(Some(false));
    },
    "attribute-of-wrong-type-is-set": "takes an attribute of a wrong type as set" => |b| {
        b.overlooks.push(Reason::AttributeType);
        b.copies = |said, _, _| said.or(Some(true));
    },
    "copied-zero-from-the-right": "copies from the dims counted from the right" =>
        |b| b.copied = |zero| zero.dim((zero.index + zero.data.len()).checked_sub(zero.target_length)?),
    "copied-zero-in-turn":
        "copies the dims in turn: the first 0 takes the first dim, wherever it is" =>
        |b| b.copied = |zero| zero.dim(zero.zeros_before),
    "copied-zero-from-the-first": "copies the first dim into every 0" =>
        |b| b.copied = |zero| zero.data.first().copied(),
    "copied-zero-clamped": "copies the last dim where the data has none at that index" =>
        |b| b.copied = |zero| zero.own().or(zero.data.last().copied()),
    "copied-zero-wraps": "wraps around to the first dim where the data has none at that index" =>
        |b| b.copied = |zero| zero.dim(zero.index.checked_rem(zero.data.len())?),
    "copied-zero-past-rank-is-1": "takes a copied 0 past the rank as 1" =>
        |b| b.copied = |zero| zero.own().or(Some(1)),
    "copied-zero-past-rank-is-0": "takes a copied 0 past the rank as 0" =>
        |b| b.copied = |zero| zero.own().or(Some(0)),
    "copied-zero-of-an-empty-dim-is-1": "takes a copied dim of length 0 as 1" =>
        |b| b.copied = |zero| zero.own().map(|dim| dim.max(1)),
    "copied-zero-after-minus-one-from-its-left":
        "copies the dim to the left of its own after a -1" =>
        |b| b.copied = |zero| zero.dim(zero.index - usize::from(zero.after_minus_one)),
    "zeros-alone-keep-the-shape": "gives the data's own shape for a target in the model that holds only zeros" =>
        |b| b.target = |values, request, binding| {
            let in_model = binding.source() != TargetSource::Runtime && !values.is_empty();
            let is_all = in_model && values.iter().all(|value| *value == 0);
            if is_all { *values = request.dims_as_values().collect() }
        },
    "copied-zero-refused": "refuses a 0 that copies" => |b| b.copied = |_| None,
}

// Rules that hold at the first places of a target only.
mutants! { PLACES;
    "copied-zero-past-the-fourth-place-is-1": "takes a 0 that copies as 1 past the fourth place" =>
        |b| b.copied = |zero| zero.own().map(|dim| if zero.index < 4 { dim } else { 1 }),
    "copied-zero-past-the-sixth-place-from-its-left":
        "copies the dim to the left of its own past the sixth place" =>
        |b| b.copied = |zero| zero.own().and_then(|own| if zero.index < 6 { Some(own) } else { zero.dim(zero.index - 1) }),
    "copied-zeros-past-the-second-are-1": "takes zeros that copy as 1 after the first two" =>
        |b| b.copied = |zero| zero.own().map(|dim| if zero.zeros_before < 2 { dim } else { 1 }),
    "copied-zero-one-past-the-rank-is-1":
        "takes a copied 0 as 1 at the index after the rank, and refuses it farther on" =>
        |b| b.copied = |zero| zero.own().or((zero.index == zero.data.len() + 1).then_some(1)),
    "copied-zero-two-past-the-rank-is-1":
        "takes a copied 0 as 1 from the second index after the rank on" =>
        |b| b.copied = |zero| zero.own().or((zero.index >= zero.data.len() + 2).then_some(1)),
    "second-minus-one-past-the-third-place-is-1": "takes another -1 as 1 past the third place" =>
        |b| b.target = |values, _, _| {
            let first = values.iter().position(|value| *value == -1);
            let later = values.iter_mut().enumerate().skip(3);
            later.filter(|(index, value)| **value == -1 && Some(*index) != first).for_each(|(_, value)| *value = 1);
        },
    "another-minus-one-in-the-last-place-is-1": "takes another -1 as 1 in the last place" =>
        |b| b.target = |values, _, _| {
            if let [before @ .., last @ -1] = &mut values[..] && before.contains(&-1) { *last = 1 }
        },
    "minus-ones-apart-are-1": "refuses another -1 only next to the first, and takes others as 1" =>
        |b| b.target = |values, _, _| {
            let first = values.iter().position(|value| *value == -1).unwrap_or(values.len());
            let later = values.iter_mut().skip(first + 2);
            later.filter(|value| **value == -1).for_each(|value| *value = 1);
        },
    "negative-past-the-second-place-is-absolute": "takes a value below -1 without its sign past the second place" =>
        |b| b.target = |values, _, _| {
            let later = values.iter_mut().skip(2).filter(|value| **value < -1);
            later.for_each(|value| *value = -*value);
        },
    "literal-zero-past-the-third-place-is-1": "takes a literal 0 as 1 past the third place" =>
        |b| b.target = |values, request, _| if oracle::copies_zero(request) == Some(false) {
            values.iter_mut().skip(3).filter(|value| **value == 0).for_each(|value| *value = 1);
        },
    "zero-mode-lost-past-4-values": "copies every 0 of a target of more than 4 values, whatever the attribute says" =>
        |b| b.copies = |said, request, _| if request.values().len() > 4 { Some(true) } else { said },
    "minus-one-past-the-fourth-place-is-1": "takes a -1 as 1 past the fourth place" =>
        |b| b.target = |values, _, _| values.iter_mut().skip(4).filter(|of| **of == -1).for_each(|of| *of = 1),
    "value-past-the-third-in-i32": "keeps 32 bits of each target value after the third" =>
        |b| b.target = |values, _, _| values.iter_mut().skip(3).for_each(|value| *value = i128::from(*value as i32)),
}

mutants! { TARGET;
    "target-in-i32": "keeps 32 bits of a target value" => |b| b.value = |value, _| i128::from(value as i32),
    "target-saturates-at-i32": "limits target values to 32 bits" =>
        |b| b.value = |value, _| value.clamp(i32::MIN.into(), i32::MAX.into()),
    "target-in-i16": "keeps 16 bits of a target value" => |b| b.value = |value, _| i128::from(value as i16),
    "constant-target-as-signed-16-bits": "reads a constant target's value that fits in 16 bits as signed" => |b| {
        b.value = |value, source| match source {
            TargetSource::Constant if u16::try_from(value).is_ok() => i128::from(value as i16),
            TargetSource::Attribute | TargetSource::Constant | TargetSource::Runtime => value,
        }
    },
    "target-in-f32": "reads target values through 32-bit floats" => |b| b.value = |value, _| value as f32 as i128,
    "runtime-target-in-i32": "keeps 32 bits of a runtime target's value" =>
        |b| b.value = |value, source| if source == TargetSource::Runtime { i128::from(value as i32) } else { value },
    "target-read-as-unsigned": "reads target values as unsigned, in 64 bits" =>
        |b| b.value = |value, _| i128::from(value as u64),
    "u64-target-read-as-signed": "reads a target of u64 as signed" => |b| b.target = |values, request, _| {
        let is_u64 = |target: &Target| target.element_type == ElementType::U64;
        if request.target.as_ref().is_some_and(is_u64) {
            values.iter_mut().for_each(|value| *value = i128::from(*value as i64));
        }
    },
    "target-reversed": "reads the target from its end" => |b| b.target = |values, _, _| values.reverse(),
    "target-loses-its-last": "leaves out the target's last value" =>
        |b| b.target = |values, _, _| { values.pop(); },
    "target-cut-to-rank": "takes no more target values than the data has dims" =>
        |b| b.target = |values, request, _| values.truncate(request.data_shape.len()),
    "one-value-flattens": "flattens to one dim, whatever the only value of the target is" =>
        |b| b.target = |values, _, _| if let [value] = &mut values[..] { *value = -1 },
    "one-value-at-run-flattens": "flattens to one dim, whatever the only value of a runtime target is" =>
        |b| b.target = |values, _, of| if let ([value], TargetSource::Runtime) = (&mut values[..], of.source()) { *value = -1 },
    "each-value-may-keep-its-dim":
        "gives the data's own shape where each value of the target is 0, -1 or the data's dim at its index" => |b| {
            b.target = |values, request, _| {
                let dims = request.dims_as_values();
                let keeps = |(value, dim)| [0, -1, dim].contains(value);
                let may_keep = values.len() == dims.len() && values.iter().zip(dims.clone()).all(keeps);
                if may_keep { *values = dims.collect() }
            }
        },
    "target-of-another-type": "takes a target of any type" => |b| b.overlooks.push(Reason::TargetType),
    "target-of-another-integer-type": "takes a target of any integer type" => |b| {
        b.overlooks.push(Reason::TargetType);
        b.refuses.push(|request, _| request.target.as_ref().is_some_and(|of| !of.element_type.is_integer()));
    },
    "target-of-any-rank": "flattens a target that is not a flat list" =>
        |b| b.overlooks.push(Reason::TargetNotFlat),
    "missing-target-is-empty": "takes a missing target as an empty one" =>
        |b| b.overlooks.push(Reason::MissingTarget),
    "missing-target-keeps-the-shape": "gives the data as it is where there is no target" => |b| {
        b.overlooks.push(Reason::MissingTarget);
        b.checks.push(|c| c.target);
        b.shape.push(|shape, request| if request.target.is_none() { shape.clone_from(&request.data_shape) });
    },
}

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
