//! Cases whose every trial is a trial of another case: a copy under a new name adds to the counts and tests nothing.

use crate::error::Fault;
use crate::suite::case::Case;
use std::collections::HashMap;
use std::sync::Arc;

/// A case whose every trial is one of another case.
pub(crate) struct Duplicate<'a> {
    pub(crate) case: &'a Arc<Case>,
    pub(crate) of: &'a Arc<Case>,
}

impl Duplicate<'_> {
    /// Whether it cites something that the other does not, so that without it coverage would be less.
    pub(crate) fn cites_more(&self) -> bool {
        let cited = &self.of.covers;
        self.case.covers.iter().any(|cover| !cited.contains(cover))
    }

    /// The warning for its author.
    pub(crate) fn fault(&self) -> Fault {
        let (case, of) = (self.case, self.of);
        let (line, _) = of.source.line_and_column(of.span.start);
        let message = format!(
            "every trial of {} is one of {} ({}:{line})",
            case.name, of.name, of.source.file
        );
        Fault::new(&case.source, case.span.clone(), message)
            .hint("a copy tests nothing more: drop it, or change what it asks")
    }
}

/// The cases that another case contains, of which one is of `others` or comes before it.
pub(crate) fn duplicates<'a>(
    cases: &'a [Arc<Case>],
    others: &'a [Arc<Case>],
) -> Vec<Duplicate<'a>> {
    let mut alike: HashMap<String, Vec<&'a Arc<Case>>> = HashMap::new();
    let own = |case: &&Arc<Case>| cases.iter().any(|own| own.name == case.name);
    for case in others.iter().filter(|case| !own(case)).chain(cases) {
        alike.entry(situation(case)).or_default().push(case);
    }
    let mut duplicates = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let Some(alike) = alike.get(&situation(case)) else {
            continue;
        };
        let contains = |other: &&&'a Arc<Case>| {
            let later = cases.iter().position(|own| own.name == other.name);
            let later = later.is_some_and(|other| other > at);
            // Of two that contain each other, the later one is reported.
            other.name != case.name && is_within(case, other) && !(later && is_within(other, case))
        };
        if let Some(of) = alike.iter().find(contains) {
            duplicates.push(Duplicate { case, of });
        }
    }
    duplicates
}

/// What two cases have in common if one of them contains the other.
fn situation(case: &Case) -> String {
    format!("{:?} {:?} {:?}", case.data_shape, case.target, case.content)
}

/// Whether every trial of a case is one of another with the same situation.
fn is_within(case: &Case, other: &Case) -> bool {
    case.operators.iter().all(|operator| {
        let types = other.element_types(operator);
        let bindings: Vec<_> = other.bindings(operator).collect();
        let own = case.element_types(operator);
        other.operators.contains(operator)
            && own.iter().all(|element_type| {
                types.contains(element_type)
                    && case.request(operator, *element_type)
                        == other.request(operator, *element_type)
            })
            && case
                .bindings(operator)
                .all(|binding| bindings.contains(&binding))
    })
}
