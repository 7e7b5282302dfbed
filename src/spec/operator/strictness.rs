//! Strictness: how firmly a text decides about something unusual in a request.

use super::question::{Meaning, Question};

/// What a text says about something unusual in a request, such as a value below -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The text forbids it.
    MustReject,
    /// The text accepts it in this meaning, which is also given in words: "a scalar".
    ///
    /// Each field of this type in the rules says which meanings there are.
    MustAccept(Meaning, &'static str),
    /// The text is silent or contradicts itself.
    Open(Question),
}
