//! Mutants: whether the element count is checked.

use super::minus_one::quotient;
use crate::semantics::operator::TargetSource;
use crate::tensor::{Count, ElementType};
use crate::verdict::mutant::behavior::{Mutant, mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "count-unchecked",
        "does not check the count, and rounds a -1 down",
        |b| {
            b.checks.push(|_| false);
            b.divide = |count, known| quotient(count, known, false);
        },
    ),
    mutant(
        "count-unchecked-without-minus-one",
        "checks the count only where there is a -1",
        |b| b.checks.push(|c| c.inferred),
    ),
    mutant(
        "count-unchecked-with-minus-one",
        "checks the count only where there is no -1",
        |b| {
            b.checks.push(|c| !c.inferred);
            b.divide = |count, known| quotient(count, known, false);
        },
    ),
    mutant(
        "count-unchecked-within-64-bits",
        "checks only that the count fits in 64 bits where there is no -1",
        |b| b.checks.push(|c| c.inferred || c.overflows),
    ),
    mutant(
        "count-may-shrink",
        "takes a target of fewer elements than the data has",
        |b| b.same = |output, data| output <= data,
    ),
    mutant(
        "count-may-grow",
        "takes a target of more elements than the data has",
        |b| b.same = |output, data| output >= data,
    ),
    mutant(
        "count-unchecked-on-empty-data",
        "does not check the count of empty data",
        |b| b.checks.push(|c| !c.data_empty),
    ),
    mutant(
        "count-unchecked-for-empty-output",
        "takes any target with a 0 in it",
        |b| b.checks.push(|c| !c.output_empty),
    ),
    mutant(
        "count-unchecked-after-a-copy",
        "does not check the count where a 0 was copied",
        |b| b.checks.push(|c| !c.copied),
    ),
    mutant(
        "count-unchecked-at-run",
        "does not check the count of a runtime target",
        |b| {
            b.checks
                .push(|c| c.binding.source() != TargetSource::Runtime)
        },
    ),
    mutant(
        "count-unchecked-when-constant",
        "does not check the count of a constant target",
        |b| {
            b.checks
                .push(|c| c.binding.source() == TargetSource::Runtime)
        },
    ),
    mutant(
        "count-unchecked-with-dynamic-dims",
        "does not check the count where the data dims are not declared",
        |b| b.checks.push(|c| !c.binding.dynamic()),
    ),
    mutant(
        "count-unchecked-for-u8",
        "does not check the count of u8 data where there is no -1",
        |b| {
            b.checks
                .push(|c| c.inferred || c.element_type != ElementType::U8)
        },
    ),
    mutant(
        "count-checked-by-sum",
        "compares the sums of the dims instead of their products",
        |b| b.measure = Some(sum),
    ),
    mutant(
        "count-multiple-is-enough",
        "takes a target whose count divides the data's",
        |b| {
            b.same = |output, data| {
                output == data || (!output.is_zero() && data.divided_by(output).is_some())
            }
        },
    ),
];

/// The sum of dims as a count, which 2^64 ends.
fn sum(dims: &[u64]) -> Count {
    Count::of(&[dims.iter().copied().fold(0, u64::saturating_add)])
}
