//! Mutants: how the target's values are read.

use crate::semantics::operator::{Reason, TargetSource};
use crate::semantics::request::Target;
use crate::tensor::ElementType;
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant("target-in-i32", "keeps 32 bits of a target value", |b| {
        b.value = |value, _| i128::from(value as i32)
    }),
    mutant(
        "target-saturates-at-i32",
        "limits target values to 32 bits",
        |b| b.value = |value, _| value.clamp(i32::MIN.into(), i32::MAX.into()),
    ),
    mutant("target-in-i16", "keeps 16 bits of a target value", |b| {
        b.value = |value, _| i128::from(value as i16)
    }),
    mutant(
        "target-in-f32",
        "reads target values through 32-bit floats",
        |b| b.value = |value, _| value as f32 as i128,
    ),
    mutant(
        "runtime-target-in-i32",
        "keeps 32 bits of a runtime target's value",
        |b| {
            b.value = |value, source| {
                if source == TargetSource::Runtime {
                    i128::from(value as i32)
                } else {
                    value
                }
            }
        },
    ),
    mutant(
        "u64-target-read-as-signed",
        "reads a target of u64 as signed",
        |b| {
            b.target = |values, request, _| {
                let is_u64 = |target: &Target| target.element_type == ElementType::U64;
                if request.target.as_ref().is_some_and(is_u64) {
                    values
                        .iter_mut()
                        .for_each(|value| *value = i128::from(*value as i64));
                }
            }
        },
    ),
    mutant("target-reversed", "reads the target from its end", |b| {
        b.target = |values, _, _| values.reverse()
    }),
    mutant(
        "target-loses-its-last",
        "leaves out the target's last value",
        |b| {
            b.target = |values, _, _| {
                values.pop();
            }
        },
    ),
    mutant(
        "target-cut-to-rank",
        "takes no more target values than the data has dims",
        |b| b.target = |values, request, _| values.truncate(request.data_shape.len()),
    ),
    mutant(
        "one-value-flattens",
        "flattens to one dim whatever the one value of the target is",
        |b| {
            b.target = |values, _, _| {
                if let [value] = values.as_mut_slice() {
                    *value = -1
                }
            }
        },
    ),
    mutant(
        "one-value-at-run-flattens",
        "flattens to one dim whatever the one value of a runtime target is",
        |b| {
            b.target = |values, _, binding| {
                if let ([value], TargetSource::Runtime) = (values.as_mut_slice(), binding.source())
                {
                    *value = -1
                }
            }
        },
    ),
    mutant(
        "target-of-another-type",
        "takes a target of any type",
        |b| b.overlooks.push(Reason::TargetType),
    ),
    mutant(
        "target-of-another-integer-type",
        "takes a target of any integer type",
        |b| {
            b.overlooks.push(Reason::TargetType);
            b.refuses.push(|request, _| {
                request
                    .target
                    .as_ref()
                    .is_some_and(|t| !t.element_type.is_integer())
            });
        },
    ),
    mutant(
        "target-of-any-rank",
        "flattens a target that is not a flat list",
        |b| b.overlooks.push(Reason::TargetNotFlat),
    ),
    mutant(
        "missing-target-is-empty",
        "takes a missing target as an empty one",
        |b| b.overlooks.push(Reason::MissingTarget),
    ),
    mutant(
        "missing-target-keeps-the-shape",
        "gives the data as it is where there is no target",
        |b| {
            b.overlooks.push(Reason::MissingTarget);
            b.checks.push(|c| c.target);
            b.shape.push(|shape, request| {
                if request.target.is_none() {
                    shape.clone_from(&request.data_shape)
                }
            });
        },
    ),
];
