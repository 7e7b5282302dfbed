//! Selections: the trials of a suite to run, and their order.

use crate::semantics::operator::{Binding, OPERATORS, Operator};
use crate::suite::core::Core;
use crate::suite::glob::{Glob, means};
use crate::suite::record::Version;
use crate::suite::trial::Trial;
use crate::tensor::ElementType;

/// The trials to run, and their order.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// The patterns as the user wrote them.
    pub(crate) patterns: Vec<String>,
    /// Whether each pattern is the full name of a trial.
    pub(crate) exact: bool,
    matchers: Vec<Matcher>,
    /// `None` for every operator.
    pub(crate) operators: Option<Vec<&'static Operator>>,
    /// The seed of a shuffled order; `None` for the suite's order.
    pub(crate) seed: Option<u64>,
    /// The core, if only its trials are selected.
    pub(crate) core: Option<Core>,
    /// The suite whose trials make a run red; `None` for every trial.
    pub(crate) judged: Option<Version>,
}

/// A compiled pattern.
#[derive(Debug)]
enum Matcher {
    /// The trial's full name.
    Whole(String),
    /// A part of the trial's name, and whether it may occur outside the name of the case.
    Part(String, bool),
    /// A glob over the full name, in which `*` does not match `/` and `**` does.
    Glob(Glob),
}

impl Matcher {
    fn new(pattern: &str, exact: bool) -> Result<Self, String> {
        if exact {
            return Ok(Self::Whole(pattern.to_owned()));
        }
        if !pattern.contains(['*', '?', '[', '{']) {
            return Ok(Self::Part(pattern.to_owned(), is_elsewhere(pattern)));
        }
        Glob::new(pattern).map(Self::Glob)
    }

    /// Whether it can match a trial of this case. Other cases need no trial names.
    fn can_match_case(&self, case: &str) -> bool {
        match self {
            Self::Whole(whole) => whole.split('/').next() == Some(case),
            Self::Part(part, elsewhere) => *elsewhere || case.contains(part.as_str()),
            Self::Glob(glob) => glob.can_match_first_part(case),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Whole(whole) => name == *whole,
            Self::Part(part, _) => means(part, name) && name.contains(part.as_str()),
            Self::Glob(glob) => glob.matches_trial(name),
        }
    }
}

/// Whether a part of a trial's name may lie at least partly outside the name of its case.
fn is_elsewhere(part: &str) -> bool {
    let operators = OPERATORS.iter().map(|operator| operator.name);
    let types = ElementType::ALL.iter().map(|of| of.name());
    let bindings = Binding::ALL.iter().map(|of| of.name());
    let mut names = operators.chain(types).chain(bindings);
    part.contains(['/', '+']) || names.any(|name| name.contains(part))
}

impl Selection {
    /// Trials of these operators (all if `None`) whose name matches one of the patterns (all if empty). A pattern is a
    /// part of the name, or a glob over it all; with `exact` the full name. Fails when a pattern is not a valid glob.
    pub(crate) fn new(
        patterns: &[String],
        exact: bool,
        operators: Option<Vec<&'static Operator>>,
    ) -> Result<Self, String> {
        let matchers = patterns.iter().map(|pattern| Matcher::new(pattern, exact));
        let matchers = matchers.collect::<Result<_, _>>()?;
        Ok(Self {
            patterns: patterns.to_vec(),
            exact,
            matchers,
            operators,
            ..Self::default()
        })
    }

    /// Whether a trial is newer than the version that makes a run red, or newer in the core, if only that is selected.
    pub(crate) fn is_new(&self, trial: &str) -> bool {
        let in_core = || self.core.as_ref()?.since(trial);
        self.judged
            .is_some_and(|judged| Some(Version::of_trial(trial)).max(in_core()) > Some(judged))
    }

    /// Whether it selects the whole suite.
    pub(crate) fn is_everything(&self) -> bool {
        self.matchers.is_empty() && self.operators.is_none() && self.core.is_none()
    }

    /// Whether it selects trials of this operator.
    pub(crate) fn takes_operator(&self, operator: &'static Operator) -> bool {
        let operators = self.operators.as_ref();
        operators.is_none_or(|selected| selected.contains(&operator))
    }

    /// Whether a pattern can match a trial of this case.
    pub(crate) fn takes_case(&self, case: &str) -> bool {
        let mut matchers = self.matchers.iter();
        self.matchers.is_empty() || matchers.any(|matcher| matcher.can_match_case(case))
    }

    /// Whether a pattern can match a trial in a surrounding, and so has a `+`.
    pub(crate) fn takes_surroundings(&self) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| means(pattern, "+"))
    }

    /// Whether a pattern matches the name of this trial (always if there are no patterns), and the core contains it if
    /// only the core is selected. It makes the name only if necessary.
    pub(crate) fn takes(&self, trial: &Trial) -> bool {
        let core = self.core.as_ref();
        self.matchers.is_empty() && core.is_none() || {
            let name = trial.to_string();
            core.is_none_or(|core| core.place(&name).is_some()) && self.takes_name(&name)
        }
    }

    /// Whether a pattern matches this name (always if there are no patterns).
    pub(crate) fn takes_name(&self, name: &str) -> bool {
        self.matchers.is_empty() || self.matchers.iter().any(|matcher| matcher.matches(name))
    }
}
