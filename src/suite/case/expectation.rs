//! Expectations: what the text allows as the outcome of a case.

use crate::spec::operator::{Operator, Question, Reason};
use crate::spec::oracle::Resolution;
use crate::spec::outcome::Allowed;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// An expectation, with the operators it is for.
#[derive(Debug, Clone)]
pub(in crate::suite) struct Stated {
    pub(in crate::suite) operators: Vec<&'static Operator>,
    pub(in crate::suite) expectation: Arc<Expectation>,
    /// The bytes of the file that state it.
    pub(in crate::suite) span: Range<usize>,
    /// The bytes of each outcome that an open question is said to allow; none where the file lists none.
    pub(in crate::suite) allowed: Vec<Range<usize>>,
}

/// What the text allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The data's elements in this shape, and nothing else.
    Reshaped(Vec<u64>),
    /// A rejection, with every reason that holds.
    Rejected(BTreeSet<Reason>),
    /// The text leaves it open.
    Open {
        /// The question.
        question: Question,
        /// The allowed outcomes; `None`: a rejection, or any shape with the data's element count.
        allowed: Option<Vec<Allowed>>,
    },
}

impl Expectation {
    /// Whether the text allows a rejection.
    pub(crate) fn allows_rejection(&self) -> bool {
        match self {
            Self::Reshaped(_) => false,
            Self::Rejected(_) | Self::Open { allowed: None, .. } => true,
            Self::Open {
                allowed: Some(allowed),
                ..
            } => allowed.contains(&Allowed::Rejected),
        }
    }
}

impl From<Resolution> for Expectation {
    /// The expectation of a generated case. The suite's own expectations are written by hand.
    fn from(resolution: Resolution) -> Self {
        match resolution {
            Resolution::Reshaped(shape) => Self::Reshaped(shape.into_vec()),
            Resolution::Rejected(reasons) => Self::Rejected(reasons),
            Resolution::Open {
                question, allowed, ..
            } => Self::Open {
                question,
                allowed: Some(allowed),
            },
        }
    }
}
