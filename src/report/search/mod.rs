//! What a search found: on a terminal, and as cases.

mod cases;
mod terminal;

pub(crate) use cases::cases;
pub(crate) use terminal::show;
