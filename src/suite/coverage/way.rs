//! Ways: what a case expects of an operator.

use crate::suite::case::Expectation;

/// What a case expects of the operator whose clause it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// A shape.
    Accepting,
    /// A rejection.
    Rejecting,
    /// An open question: the case alone shows nothing right or wrong.
    Open,
}

impl Way {
    pub(crate) const ALL: &'static [Self] = &[Self::Accepting, Self::Rejecting, Self::Open];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Accepting => "accepting",
            Self::Rejecting => "rejecting",
            Self::Open => "open",
        }
    }

    pub(super) fn of(expectation: &Expectation) -> Self {
        match expectation {
            Expectation::Reshaped(_) => Self::Accepting,
            Expectation::Rejected(_) => Self::Rejecting,
            Expectation::Open { .. } => Self::Open,
        }
    }
}
