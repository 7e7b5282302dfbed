//! Mutants: the reference with one decision broken, the ways real backends break it. One catalogue, three uses: it
//! proves the suite (each must be killed), it diagnoses (what does a failing backend behave like?), and it serves as a
//! wrong backend.

mod behavior;
mod catalogue;
mod content;

pub(crate) use behavior::{Behavior, Memory, Read};
pub(crate) use catalogue::CATALOGUE;

/// One way to be wrong.
pub(crate) struct Mutant {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it does, to be read after "it".
    pub says: &'static str,
    breaks: fn(&mut Behavior),
}

impl Mutant {
    /// The mutant of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|mutant| mutant.name == name)
    }
}

impl PartialEq for Mutant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The behavior of several mutants at once.
pub(crate) fn behavior(mutants: &[&Mutant]) -> Behavior {
    let mut behavior = Behavior::right();
    for mutant in mutants {
        (mutant.breaks)(&mut behavior);
    }
    behavior
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::spec::request::Call;
    use crate::suite::Suite;
    use crate::suite::plan::Plan;
    use crate::suite::selection::Selection;

    #[test]
    fn names_are_unique_kebab_case_and_each_says_what_it_does() {
        let names: std::collections::BTreeSet<_> =
            CATALOGUE.iter().map(|mutant| mutant.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        assert!(CATALOGUE.len() >= 60, "{}", CATALOGUE.len());
        for mutant in CATALOGUE {
            assert!(
                mutant
                    .name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{mutant:?}"
            );
            assert!(
                !mutant.says.is_empty() && !mutant.says.ends_with('.'),
                "{mutant:?}"
            );
        }
    }

    #[test]
    fn the_right_habits_do_what_the_reference_does_in_every_trial() {
        let suite = Suite::built_in().expect("the suite");
        let behavior = Behavior::right();
        for trial in Plan::new(&suite, &Selection::default(), None).trials() {
            let data = trial.case.data(trial.element_type).expect("data");
            let call = Call {
                request: trial.request(),
                binding: trial.binding,
                data: &data,
            };
            let (ours, reference) = (behavior.answer(&call), Reference.reshape(&call));
            match (&ours, &reference) {
                (
                    crate::spec::outcome::Outcome::Rejected { .. },
                    crate::spec::outcome::Outcome::Rejected { .. },
                ) => {}
                _ => assert_eq!(ours, reference, "{trial}"),
            }
        }
    }
}
