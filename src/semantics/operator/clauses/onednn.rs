//! oneDNN StaticReshape.

mod guide;
mod spec;

use crate::semantics::operator::clause::Level::{May, Must};
use crate::semantics::operator::clause::{Clause, Tested};
use crate::semantics::operator::rule::Rule;
pub(in crate::semantics::operator) use guide::ONEDNN_GUIDE;
pub(in crate::semantics::operator) use spec::ONEDNN_SPEC_1;

pub(super) const fn changes_dims(section: &'static str) -> Clause {
    let says =
        "The operator replaces the dimensions of the data by those that the target describes.";
    Clause::new(
        "changes-dims",
        Rule::TargetIsOutputShape,
        Must,
        section,
        says,
    )
}

pub(super) const fn layout_may_differ(section: &'static str) -> Clause {
    let says = "The output is free to lie in memory in another way than the data does.";
    Clause::new("layout-may-differ", Rule::LayoutIsFree, May, section, says)
        .tested(Tested::Accepting("It permits every layout, so that none is an error; the elements come out the same in each."))
}

pub(super) const fn no_view_guarantee(section: &'static str) -> Clause {
    let says = "Where the output can share memory with the data, whether it does so is not promised either way.";
    Clause::new(
        "no-view-guarantee",
        Rule::ViewOrCopyIsFree,
        May,
        section,
        says,
    )
    .tested(Tested::Not(
        "The text leaves view or copy free, so no run can be wrong about it.",
    ))
}

pub(super) const fn when_to_use(
    id: &'static str,
    section: &'static str,
    says: &'static str,
) -> Clause {
    Clause::new(id, Rule::UsageAdvice, May, section, says).tested(Tested::Not(
        "Advice on choosing an operator asks nothing of a run.",
    ))
}

pub(super) const fn types(section: &'static str) -> Clause {
    let says =
        "The data has one of the element types f32, f16 and bf16, and the output has the same one.";
    Clause::new("types", Rule::ElementTypes, Must, section, says)
}
