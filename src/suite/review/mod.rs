//! Reviewing cases: what reads well and is wrong all the same. Pure; runs nothing.

mod differences;
mod duplicates;

pub(crate) use differences::uncited;
pub(crate) use differences::unexplained_reasons;
pub(crate) use differences::{difference, differences};
pub(crate) use duplicates::duplicates;
