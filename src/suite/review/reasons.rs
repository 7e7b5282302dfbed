//! Rejections for several reasons at once: a backend that knows one of them passes, and the others are not tested.

use crate::error::Fault;
use crate::suite::case::{Case, Expectation};

/// The expectation with several reasons, of a case that does not say what it is about.
pub(crate) fn unexplained_reasons(case: &Case) -> Option<Fault> {
    if case.about.is_some() {
        return None;
    }
    let several = case
        .operators
        .iter()
        .find_map(|operator| match &**case.expectation(operator) {
            Expectation::Rejected(reasons) if reasons.len() > 1 => Some((operator, reasons)),
            Expectation::Rejected(_) | Expectation::Reshaped(_) | Expectation::Open { .. } => None,
        });
    let (operator, reasons) = several?;
    let names: Vec<_> = reasons.iter().map(|reason| reason.name()).collect();
    let message = format!(
        "{} reasons to reject at once: {}",
        names.len(),
        names.join(", ")
    );
    let fault = Fault::new(&case.source, case.expectation_span(operator), message);
    Some(fault.hint(
        "a backend that sees one of them passes; make it one thing per case, or say in `about` why they come together",
    ))
}
