//! Mutants: the reference with one decision broken, the ways real backends break it. One catalogue, three uses: it
//! proves the suite (each must be killed), it diagnoses (what does a failing backend behave like?), and it serves as a
//! wrong backend.

mod catalogue;
mod content;
mod habits;

pub(crate) use catalogue::CATALOGUE;
pub(crate) use habits::{Habits, Memory, Read};

/// One way to be wrong.
pub(crate) struct Mutant {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it does, to be read after "it".
    pub says: &'static str,
    breaks: fn(&mut Habits),
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

/// The habits of several mutants at once.
pub(crate) fn habits(mutants: &[&Mutant]) -> Habits {
    let mut habits = Habits::right();
    for mutant in mutants {
        (mutant.breaks)(&mut habits);
    }
    habits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::plan::{Selection, groups};
    use crate::request::Call;
    use crate::suite::Suite;

    #[test]
    fn names_are_unique_kebab_case_and_each_says_what_it_does() {
        let names: std::collections::BTreeSet<_> = CATALOGUE.iter().map(|mutant| mutant.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        assert!(CATALOGUE.len() >= 60, "{}", CATALOGUE.len());
        for mutant in CATALOGUE {
            assert!(mutant.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{mutant:?}");
            assert!(!mutant.says.is_empty() && !mutant.says.ends_with('.'), "{mutant:?}");
        }
    }

    #[test]
    fn the_right_habits_do_what_the_reference_does_in_every_trial() {
        let suite = Suite::built_in().expect("the suite");
        let habits = Habits::right();
        for trial in groups(&suite, &Selection::default()).flat_map(|group| group.trials) {
            let request = trial.request();
            let data = trial.case.data(trial.element_type).expect("data");
            let call = Call { request: &request, binding: trial.binding, data: &data };
            let (ours, reference) = (habits.answer(&call), Reference.reshape(&call));
            match (&ours, &reference) {
                (crate::outcome::Outcome::Rejected { .. }, crate::outcome::Outcome::Rejected { .. }) => {}
                _ => assert_eq!(ours, reference, "{trial}"),
            }
        }
    }
}
