//! Expectations in words.

use super::Expectation;
use crate::spec::outcome::Allowed;
use crate::spec::outcome::show_pattern;
use std::fmt;

impl fmt::Display for Expectation {
    /// In short, as in events: `[2, 3]`, `rejected: two-minus-ones` or `open (below-minus-one): rejected or [6]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reshaped(shape) => write!(f, "{shape:?}"),
            Self::Rejected(reasons) => {
                let reasons: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
                write!(f, "rejected: {}", reasons.join(", "))
            }
            Self::Open { question, allowed } => {
                write!(f, "open ({question})")?;
                let Some(allowed) = allowed else {
                    return Ok(());
                };
                let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
                write!(f, ": {}", allowed.join(" or "))
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

impl Expectation {
    /// In full, to be read after "the case": `expects [2, 3]`, `expects a rejection: …` or `leaves it open (…): …`.
    pub(crate) fn in_full(&self) -> String {
        match (self, self.answers()) {
            (Self::Open { question, .. }, Some(answers)) => {
                format!("leaves it open ({question}): {answers}")
            }
            (Self::Open { question, .. }, None) => format!(
                "leaves it open ({question}), and allows what the question allows of the request"
            ),
            (_, answers) => format!("expects {}", answers.unwrap_or_default()),
        }
    }

    /// The answers that it allows: `[2, 3]`, `a rejection: …` or `[2, 3] or a rejection`. `None` where only the open question
    /// says which.
    pub(crate) fn answers(&self) -> Option<String> {
        match self {
            Self::Reshaped(shape) => Some(format!("{shape:?}")),
            Self::Rejected(reasons) => {
                let reasons: Vec<_> = reasons.iter().map(|reason| reason.says()).collect();
                Some(format!("a rejection: {}", reasons.join("; ")))
            }
            Self::Open { allowed, .. } => {
                let allowed = allowed.as_ref()?.iter();
                let allowed: Vec<_> = allowed.map(Allowed::in_full).collect();
                Some(allowed.join(" or "))
            }
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
