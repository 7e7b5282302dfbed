//! The catalogue: every mutant, by what it breaks.
//!
//! A behavior that the texts leave open, such as any length for 0/0 or an allowzero of 2, is not a mutant: no backend may
//! fail because of it. Neither is a behavior that no request can show: counts in f64 or saturating counts differ only past
//! 2^53 elements.

mod company;
mod counts;
mod elements;
mod minus_one;
mod shapes;
mod state;
mod target;
mod widths;
mod zeros;

use super::behavior::Mutant;
use std::sync::LazyLock;

/// Every mutant, in the order of the documentation.
pub(crate) static CATALOGUE: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
    [
        zeros::MUTANTS,
        minus_one::MUTANTS,
        widths::MUTANTS,
        target::MUTANTS,
        counts::MUTANTS,
        shapes::MUTANTS,
        elements::MUTANTS,
        company::MUTANTS,
        state::MUTANTS,
    ]
    .concat()
});

impl Mutant {
    /// The mutant of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|mutant| mutant.name == name)
    }
}
