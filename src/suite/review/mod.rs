//! Reviewing cases: what reads well and is wrong all the same. Pure; runs nothing.

mod citations;
mod differences;
mod duplicates;
mod reasons;

pub(crate) use citations::uncited;
pub(crate) use differences::{difference, differences};
pub(crate) use duplicates::duplicates;
pub(crate) use reasons::unexplained_reasons;
