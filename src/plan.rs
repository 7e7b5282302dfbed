//! The plan: from cases to trials, lazily, grouped so that trials which share a model stand together.

use crate::case::Case;
use crate::operator::{Binding, OPERATORS, Operator};
use crate::request::{Model, Request};
use crate::suite::Suite;
use crate::tensor::ElementType;
use globset::{Glob, GlobMatcher};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Case × operator × element type × binding: what is run, counted, named and filtered.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The case.
    pub case: Arc<Case>,
    /// The operator.
    pub operator: &'static Operator,
    /// The element type.
    pub element_type: ElementType,
    /// The binding.
    pub binding: Binding,
}

impl fmt::Display for Trial {
    /// The trial's name, stable forever: `case/operator/element type/binding`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.case.name, self.operator, self.element_type, self.binding)
    }
}

impl Trial {
    /// What the backend is asked.
    #[must_use]
    pub fn request(&self) -> Request {
        self.case.request(self.operator, self.element_type)
    }

    /// How much there is to read in it: the dims of data and target, then the elements. Small trials say most.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        let rank = self.case.data_shape.len() + self.case.target.as_ref().map_or(0, |target| target.values.len());
        (rank, self.case.data_shape.iter().fold(1, |product: u64, dim| product.saturating_mul(*dim)))
    }
}

/// Trials that share a model, and what is known about it.
#[derive(Debug)]
pub struct Group {
    /// The trials; never none.
    pub trials: Vec<Trial>,
}

/// The most trials in a group: so much is lost, and repeated, when a backend falls over.
const MOST_IN_A_GROUP: usize = 64;

/// Which trials to take.
#[derive(Debug, Default)]
pub struct Selection {
    patterns: Vec<Pattern>,
    operators: Option<Vec<&'static Operator>>,
    /// Of which order, if not the suite's.
    seed: Option<u64>,
}

#[derive(Debug)]
enum Pattern {
    /// The trial's whole name.
    Whole(String),
    /// A part of the trial's name.
    Part(String),
    /// A glob over the whole name, in which `*` stays within a part and `**` does not.
    Glob(Box<GlobMatcher>),
}

impl Selection {
    /// Trials whose name one of the patterns matches (all if there is none), of these operators (all if `None`). A
    /// pattern is a part of the name or a glob over it; with `exact` it is the whole name.
    ///
    /// # Errors
    /// A pattern that is no glob.
    pub fn new(patterns: &[String], exact: bool, operators: Option<Vec<&'static Operator>>) -> Result<Self, String> {
        let pattern = |text: &String| {
            if exact {
                return Ok(Pattern::Whole(text.clone()));
            }
            if !text.contains(['*', '?', '[', '{']) {
                return Ok(Pattern::Part(text.clone()));
            }
            let glob = globset::GlobBuilder::new(text).literal_separator(true).build();
            glob.map(|glob: Glob| Pattern::Glob(Box::new(glob.compile_matcher()))).map_err(|error| error.to_string())
        };
        Ok(Self { patterns: patterns.iter().map(pattern).collect::<Result<_, _>>()?, operators, seed: None })
    }

    /// The same in another order, of groups and within them: the same for the same seed.
    #[must_use]
    pub fn shuffled(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.patterns.is_empty() && self.operators.is_none()
    }

    pub(crate) fn takes_operator(&self, operator: &'static Operator) -> bool {
        self.operators.as_ref().is_none_or(|only| only.contains(&operator))
    }

    fn takes(&self, trial: &Trial) -> bool {
        self.patterns.is_empty() || self.takes_name(&trial.to_string())
    }

    /// Whether one of the patterns matches this name (any does if there is none).
    #[must_use]
    pub fn takes_name(&self, name: &str) -> bool {
        self.patterns.is_empty()
            || self.patterns.iter().any(|pattern| match pattern {
                Pattern::Whole(whole) => name == *whole,
                Pattern::Part(part) => name.contains(part.as_str()),
                Pattern::Glob(glob) => glob.is_match(name),
            })
    }
}

/// The selected trials of a suite, group by group.
pub fn groups<'a>(suite: &'a Suite, selection: &'a Selection) -> Box<dyn Iterator<Item = Group> + Send + 'a> {
    let Some(seed) = selection.seed else { return Box::new(in_order(suite, selection)) };
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut groups: Vec<_> = in_order(suite, selection).collect();
    groups.iter_mut().for_each(|group| rng.shuffle(&mut group.trials));
    rng.shuffle(&mut groups);
    Box::new(groups.into_iter())
}

fn in_order<'a>(suite: &'a Suite, selection: &'a Selection) -> impl Iterator<Item = Group> + 'a {
    OPERATORS
        .iter()
        .filter(|operator| selection.takes_operator(operator))
        .flat_map(|operator| slices(suite, operator))
        .flat_map(move |(operator, element_type, binding)| slice_groups(suite, selection, operator, element_type, binding))
}

/// How many trials are selected.
#[must_use]
pub fn count(suite: &Suite, selection: &Selection) -> usize {
    groups(suite, selection).map(|group| group.trials.len()).sum()
}

/// The operator's element types (its own, and those that cases ask for) × bindings.
fn slices(suite: &Suite, operator: &'static Operator) -> Vec<(&'static Operator, ElementType, Binding)> {
    let mut types: BTreeSet<_> = operator.element_types.iter().copied().collect();
    for case in suite.cases().iter().filter(|case| case.operators.contains(&operator)) {
        types.extend(case.element_types(operator));
    }
    types.into_iter().flat_map(|t| operator.bindings.iter().map(move |b| (operator, t, *b))).collect()
}

fn slice_groups(
    suite: &Suite,
    selection: &Selection,
    operator: &'static Operator,
    element_type: ElementType,
    binding: Binding,
) -> Vec<Group> {
    let mut groups: Vec<(Model, Group)> = Vec::new();
    for case in suite.cases() {
        let asks = case.operators.contains(&operator) && case.element_types(operator).contains(&element_type);
        if !asks || !case.bindings(operator).any(|b| b == binding) {
            continue;
        }
        let trial = Trial { case: Arc::clone(case), operator, element_type, binding };
        if !selection.takes(&trial) {
            continue;
        }
        let model = Model::of(&trial.request(), binding);
        let room = |group: &Group| group.trials.len() < MOST_IN_A_GROUP;
        match groups.iter_mut().find(|(known, group)| *known == model && room(group)) {
            Some((_, group)) => group.trials.push(trial),
            None => groups.push((model, Group { trials: vec![trial] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
