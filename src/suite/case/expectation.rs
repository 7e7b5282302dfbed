//! Expectations: what the text allows as the outcome of a case, with their descriptions.

use crate::names::{Grouped, Joined};
use crate::semantics::operator::{Operator, Question, Reason};
use crate::semantics::oracle::Resolution;
use crate::semantics::outcome::{Allowed, show_pattern};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An expectation, with its operators.
#[derive(Debug, Clone)]
pub(in crate::suite) struct Stated {
    pub(in crate::suite) operators: Vec<&'static Operator>,
    pub(in crate::suite) expectation: Arc<Expectation>,
    /// The bytes of the file that state it.
    pub(in crate::suite) span: Range<usize>,
    /// The bytes of each outcome that an open question lists as allowed; empty if the file lists no outcomes.
    pub(in crate::suite) allowed: Vec<Range<usize>>,
}

impl Stated {
    /// An expectation that lists no outcomes.
    pub(in crate::suite) fn new(
        operators: Vec<&'static Operator>,
        expectation: Expectation,
        span: Range<usize>,
    ) -> Self {
        Self {
            operators,
            expectation: Arc::new(expectation),
            span,
            allowed: Vec::new(),
        }
    }

    /// Each of these expectations once, with the operators that have it. No file states them.
    pub(in crate::suite) fn grouped(
        each: impl IntoIterator<Item = (&'static Operator, Expectation)>,
    ) -> Vec<Self> {
        let each = each.into_iter().map(|(operator, of)| (of, operator));
        let all = each.grouped().into_iter();
        all.map(|(of, operators)| Self::new(operators, of, 0..0))
            .collect()
    }
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
        /// The allowed outcomes. `None`: a rejection, or any shape with the data's element count.
        allowed: Option<Vec<Allowed>>,
    },
}

impl Expectation {
    /// The shape that the text requires; `None` if it requires none.
    pub(crate) fn shape(&self) -> Option<&[u64]> {
        match self {
            Self::Reshaped(shape) => Some(shape),
            Self::Rejected(_) | Self::Open { .. } => None,
        }
    }

    /// Its kind in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Reshaped(_) => "reshaped",
            Self::Rejected(_) => "rejected",
            Self::Open { .. } => "open",
        }
    }

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

    /// In full, to be read after "the case": `expects [2, 3]`, `expects a rejection: …` or `leaves it open (…): …`.
    pub(crate) fn in_full(&self) -> String {
        match (self, self.answers()) {
            (Self::Open { question, .. }, Some(answers)) => {
                format!("leaves it open ({question}): {answers}")
            }
            (Self::Open { question, .. }, None) => format!(
                "leaves it open ({question}), and allows what the question allows for the request"
            ),
            (_, answers) => format!("expects {}", answers.unwrap_or_default()),
        }
    }

    /// The answers that it allows: `[2, 3] or a rejection`. `None` if only the open question lists them.
    pub(crate) fn answers(&self) -> Option<String> {
        match self {
            Self::Reshaped(shape) => Some(format!("{shape:?}")),
            Self::Rejected(reasons) => {
                let reasons = reasons.iter().map(|reason| reason.description());
                Some(format!("a rejection: {}", reasons.joined("; ")))
            }
            Self::Open { allowed, .. } => {
                let allowed = allowed.as_ref()?.iter();
                Some(allowed.map(Allowed::in_full).joined(" or "))
            }
        }
    }
}

impl From<Resolution> for Expectation {
    /// The expectation of a generated case. People write the suite's own expectations.
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

impl fmt::Display for Expectation {
    /// In short, as in events: `[2, 3]`, `rejected: two-minus-ones` or `open (below-minus-one): rejected or [6]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reshaped(shape) => write!(f, "{shape:?}"),
            Self::Rejected(reasons) => {
                write!(f, "rejected: {}", reasons.iter().joined(", "))
            }
            Self::Open { question, allowed } => {
                write!(f, "open ({question})")?;
                let Some(allowed) = allowed else {
                    return Ok(());
                };
                write!(f, ": {}", allowed.iter().joined(" or "))
            }
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected => f.write_str("rejected"),
            Self::Reshaped(pattern) => f.write_str(&show_pattern(pattern)),
        }
    }
}

impl Allowed {
    fn in_full(&self) -> String {
        match self {
            Self::Rejected => "a rejection".to_owned(),
            Self::Reshaped(_) => self.to_string(),
        }
    }
}
