//! Faults of an XML file.

use crate::error::{Fault, Source};
use crate::suite::case::lookup::UnplacedFault;
use std::ops::Range;

/// Why a file is refused, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct XmlFault {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Bytes of the text, between characters.
    pub(super) span: Range<usize>,
}

impl XmlFault {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            span,
        }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// A fault without a place, at this place.
    pub(super) fn placed(fault: UnplacedFault, span: Range<usize>) -> Self {
        Self {
            message: fault.message,
            hint: fault.hint,
            span,
        }
    }

    pub(super) fn at(self, source: &Source) -> Fault {
        let fault = Fault::new(source, self.span, self.message);
        self.hint.into_iter().fold(fault, Fault::hint)
    }
}
