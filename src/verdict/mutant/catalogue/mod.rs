//! The catalogue: every mutant, by the decision that it breaks.
//!
//! A behavior that the texts leave open, such as any length for 0/0 or an allowzero of 2, is not a mutant, because no
//! backend may fail because of it. Counts in f64 and saturating counts differ past 2^53 elements, in trials that only
//! compile.

mod elements;
mod inexact;
mod minus_one;
mod runs;
mod sizes;
mod target;

use super::behavior::Mutant;
use std::sync::LazyLock;

/// Every mutant, in the order of the documentation.
pub(crate) static CATALOGUE: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
    [
        target::ZEROS,
        minus_one::MINUS_ONE,
        target::PLACES,
        sizes::WIDTHS,
        inexact::INEXACT,
        target::TARGET,
        sizes::COUNTS,
        sizes::SHAPES,
        elements::ELEMENTS,
        runs::MEMORY,
        runs::COMPANY,
        runs::STATE,
    ]
    .concat()
});

/// Declares a table of mutants. Each has a name, a description to be read after "it", and the decision that it breaks
/// (`in` some surroundings only) or the change that it makes to the elements.
macro_rules! mutants {
    (@breaks |$b:ident| $breaks:expr) => { |$b| $breaks };
    (@breaks in $within:expr => |$b:ident| $breaks:expr) => { |b| within(b, $within, |$b| $breaks) };
    ($TABLE:ident; $($name:literal: $description:literal => $(in $within:expr =>)? |$b:ident| $breaks:expr,)+) => {
        pub(super) const $TABLE: &[$crate::verdict::mutant::Mutant] = &[$($crate::verdict::mutant::Mutant {
            name: $name,
            description: $description,
            breaks: mutants!(@breaks $(in $within =>)? |$b| $breaks),
        }),+];
    };
    ($TABLE:ident; $($name:literal: $description:literal => $content:expr,)+) => {
        mutants! { $TABLE; $($name: $description => |b| b.content.push($content),)+ }
    };
}

use mutants;

impl Mutant {
    /// The mutant with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|mutant| mutant.name == name)
    }
}
