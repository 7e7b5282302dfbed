//! The plan: from cases to trials, lazily, grouped so that trials which share a model stand together.

use crate::spec::operator::{Binding, OPERATORS, Operator};
use crate::spec::request::{Model, Request};
use crate::suite::Suite;
use crate::suite::case::Case;
use crate::suite::glob::Glob;
use crate::tensor::ElementType;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

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
        write!(
            f,
            "{}/{}/{}/{}",
            self.case.name, self.operator, self.element_type, self.binding
        )
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
        let rank = self.case.data_shape.len()
            + self
                .case
                .target
                .as_ref()
                .map_or(0, |target| target.values.len());
        (
            rank,
            self.case
                .data_shape
                .iter()
                .fold(1, |product: u64, dim| product.saturating_mul(*dim)),
        )
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

/// A part of a plan, for one of several machines. Parts are made of whole groups, so no model is compiled on two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    by: By,
    /// Which, from 1.
    part: u64,
    /// Of how many.
    of: u64,
}

/// How the parts are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// By what is asked: a trial stays in its part whatever else is added to the suite.
    Hash,
    /// In turn: the parts are as like in size as can be.
    Slice,
}

impl Partition {
    /// All of it.
    pub(crate) const WHOLE: Self = Self {
        by: By::Slice,
        part: 1,
        of: 1,
    };

    /// Every `of`-th group, from number `part` on, which counts from 1; `None` if there is no such part.
    #[must_use]
    pub fn slice(part: u64, of: u64) -> Option<Self> {
        (1..=of).contains(&part).then_some(Self {
            by: By::Slice,
            part,
            of,
        })
    }

    /// Whether both are parts of one whole.
    pub(crate) fn is_beside(self, other: Self) -> bool {
        (self.by, self.of) == (other.by, other.of)
    }

    /// Which part it is, from 1, and of how many.
    #[must_use]
    pub fn numbers(self) -> (u64, u64) {
        (self.part, self.of)
    }

    /// The groups of this part.
    pub fn of<'a>(
        self,
        groups: impl Iterator<Item = Group> + Send + 'a,
    ) -> impl Iterator<Item = Group> + Send + 'a {
        groups
            .enumerate()
            .filter(move |(number, group)| self.has(*number as u64, group))
            .map(|(_, group)| group)
    }

    fn has(self, number: u64, group: &Group) -> bool {
        let number = match self.by {
            By::Slice => number,
            By::Hash => group.trials.first().map_or(0, |trial| {
                let mut hasher = Xxh3::new();
                let Model {
                    operator,
                    attributes,
                    element_type,
                    data,
                    target,
                    layout,
                } = Model::of(&trial.request(), trial.binding);
                format!("{operator} {element_type} {data:?} {target:?} {attributes:?} {layout:?}")
                    .hash(&mut hasher);
                hasher.finish()
            }),
        };
        number % self.of == self.part - 1
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            By::Hash => "hash",
            By::Slice => "slice",
        };
        write!(f, "{by}:{}/{}", self.part, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = || {
            let (by, rest) = text.split_once(':')?;
            let (part, of) = rest.split_once('/')?;
            let by = match by {
                "hash" => By::Hash,
                "slice" => By::Slice,
                _ => return None,
            };
            Some(Self {
                by,
                part: part.parse().ok()?,
                of: of.parse().ok()?,
            })
        };
        let parsed = parts().ok_or("write hash:1/3 or slice:1/3")?;
        if (1..=parsed.of).contains(&parsed.part) {
            Ok(parsed)
        } else {
            Err(format!(
                "there is no part {} of {}; they count from 1",
                parsed.part, parsed.of
            ))
        }
    }
}

/// Which trials to take.
#[derive(Debug, Default)]
pub struct Selection {
    /// The patterns as they were written.
    written: Vec<String>,
    /// Whether each pattern is the whole name of a trial.
    exact: bool,
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
    Glob(Glob),
}

impl Selection {
    /// Trials whose name one of the patterns matches (all if there is none), of these operators (all if `None`). A
    /// pattern is a part of the name or a glob over it; with `exact` it is the whole name.
    ///
    /// # Errors
    /// A pattern that is no glob.
    pub fn new(
        patterns: &[String],
        exact: bool,
        operators: Option<Vec<&'static Operator>>,
    ) -> Result<Self, String> {
        let pattern = |text: &String| {
            if exact {
                return Ok(Pattern::Whole(text.clone()));
            }
            if !text.contains(['*', '?', '[', '{']) {
                return Ok(Pattern::Part(text.clone()));
            }
            Glob::new(text).map(Pattern::Glob)
        };
        let compiled = patterns.iter().map(pattern).collect::<Result<_, _>>()?;
        Ok(Self {
            written: patterns.to_vec(),
            exact,
            patterns: compiled,
            operators,
            seed: None,
        })
    }

    /// The patterns as they were written; every trial if there is none.
    pub(crate) fn patterns(&self) -> &[String] {
        &self.written
    }

    /// Whether each pattern is the whole name of a trial.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The operators it is limited to; `None` for every operator.
    pub(crate) fn operators(&self) -> Option<&[&'static Operator]> {
        self.operators.as_deref()
    }

    /// What the order is shuffled by, if it is not the suite's.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The same in another order, of groups and within them: the same for the same seed.
    #[must_use]
    pub fn shuffled(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.patterns.is_empty() && self.operators.is_none()
    }

    pub(crate) fn takes_operator(&self, operator: &'static Operator) -> bool {
        self.operators
            .as_ref()
            .is_none_or(|only| only.contains(&operator))
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
pub fn groups<'a>(
    suite: &'a Suite,
    selection: &'a Selection,
) -> Box<dyn Iterator<Item = Group> + Send + 'a> {
    let Some(seed) = selection.seed else {
        return Box::new(in_order(suite, selection));
    };
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut groups: Vec<_> = in_order(suite, selection).collect();
    groups
        .iter_mut()
        .for_each(|group| rng.shuffle(&mut group.trials));
    rng.shuffle(&mut groups);
    Box::new(groups.into_iter())
}

pub(crate) fn in_order<'a>(
    suite: &'a Suite,
    selection: &'a Selection,
) -> impl Iterator<Item = Group> + 'a {
    OPERATORS
        .iter()
        .filter(|operator| selection.takes_operator(operator))
        .flat_map(|operator| slices(suite, operator))
        .flat_map(move |(operator, element_type, binding)| {
            slice_groups(suite, selection, operator, element_type, binding)
        })
}

/// How many trials are selected.
#[must_use]
pub fn count(suite: &Suite, selection: &Selection) -> usize {
    groups(suite, selection)
        .map(|group| group.trials.len())
        .sum()
}

/// The operator's element types (its own, and those that cases ask for) × bindings.
fn slices(
    suite: &Suite,
    operator: &'static Operator,
) -> Vec<(&'static Operator, ElementType, Binding)> {
    let mut types: BTreeSet<_> = operator.element_types.iter().copied().collect();
    for case in suite
        .cases()
        .iter()
        .filter(|case| case.operators.contains(&operator))
    {
        types.extend(case.element_types(operator));
    }
    types
        .into_iter()
        .flat_map(|t| operator.bindings.iter().map(move |b| (operator, t, *b)))
        .collect()
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
        let asks = case.operators.contains(&operator)
            && case.element_types(operator).contains(&element_type);
        if !asks || !case.bindings(operator).any(|b| b == binding) {
            continue;
        }
        let trial = Trial {
            case: Arc::clone(case),
            operator,
            element_type,
            binding,
        };
        if !selection.takes(&trial) {
            continue;
        }
        let model = Model::of(&trial.request(), binding);
        let room = |group: &Group| group.trials.len() < MOST_IN_A_GROUP;
        match groups
            .iter_mut()
            .find(|(known, group)| *known == model && room(group))
        {
            Some((_, group)) => group.trials.push(trial),
            None => groups.push((
                model,
                Group {
                    trials: vec![trial],
                },
            )),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
