//! A mutant: a name, what it does, and the decision that it breaks.

use super::behavior::Behavior;

/// A way to be wrong.
#[derive(Clone, Copy)]
pub(crate) struct Mutant {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it does, to be read after "it".
    pub says: &'static str,
    breaks: fn(&mut Behavior),
}

/// A row of the catalogue.
pub(super) const fn mutant(
    name: &'static str,
    says: &'static str,
    breaks: fn(&mut Behavior),
) -> Mutant {
    Mutant { name, says, breaks }
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

/// The combined behavior of several mutants.
pub(crate) fn behavior(mutants: &[&Mutant]) -> Behavior {
    let mut behavior = Behavior::right();
    for mutant in mutants {
        (mutant.breaks)(&mut behavior);
    }
    behavior
}
