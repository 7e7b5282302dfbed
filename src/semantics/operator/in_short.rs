//! Operators in as few words as say which they are.

use super::definition::Family;
use super::definition::Operator;
use super::table::OPERATORS;

/// Operators: a family if they are all of it, otherwise a range or names.
pub(crate) fn in_short(some: &[&'static Operator]) -> String {
    let mut names = Vec::new();
    for family in Family::ALL {
        let all: Vec<_> = OPERATORS
            .iter()
            .filter(|operator| operator.family == *family)
            .collect();
        let own: Vec<_> = all
            .iter()
            .filter(|operator| some.contains(operator))
            .collect();
        let name = family.name();
        let [first, rest @ ..] = own.as_slice() else {
            continue;
        };
        let starts = all.first() == Some(*first);
        let from = all
            .iter()
            .position(|operator| operator == *first)
            .unwrap_or(0);
        let through = from + rest.len();
        let contiguous = own.iter().zip(all.iter().skip(from)).all(|(a, b)| *a == b);
        match (contiguous, starts, through + 1 == all.len()) {
            (true, true, true) => names.push(name.to_owned()),
            (true, false, true) if !rest.is_empty() => {
                names.push(format!("{name} >= {}", first.version))
            }
            (true, true, false) if !rest.is_empty() => {
                names.push(format!("{name} < {}", all[through + 1].version))
            }
            _ => names.extend(own.iter().map(|operator| operator.name.to_owned())),
        }
    }
    names.join(", ")
}
