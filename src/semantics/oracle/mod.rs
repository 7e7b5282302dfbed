//! The oracle: how a request resolves by the text of its operator. Pure, exact, and written to be read with the texts.
//!
//! [`resolve`] reads a request as every reasonable reader of the text could. Where readers agree, the answer is
//! [`Resolution::Reshaped`] or [`Resolution::Rejected`]. Where they differ it is [`Resolution::Open`], with what each
//! allows and the reference's own choice. A *reading* answers every open question. `read` follows the text under one
//! reading and records the questions that came up. [`explain`] returns the steps as well.

mod attributes;
mod citation;
mod dims;
mod fast_path;
mod reader;
mod resolution;
#[cfg(test)]
mod tests;

pub(crate) use attributes::{shares, sharing_rule};
pub use citation::clauses;
pub(crate) use citation::{exercises, rules};
pub(crate) use reader::copies_zero;
pub use reader::{Step, Trace};
pub use resolution::{Resolution, explain, resolve};
pub(crate) use resolution::{rejects_for, resolve_for, same_where_decided};
