//! What failures that no mutant explains have in common: how the process fails, or what is asked.

use super::observation::Observation;
use super::observations::Observations;
use crate::event::{Alone, Cause};
use crate::spec::operator::TargetSource;
use crate::spec::oracle::copies_zero;
use crate::suite::case::Expectation;
use crate::suite::trial::Trial;
use crate::tensor::Count;
use std::collections::{BTreeMap, HashSet};

/// The fewest failures of which it is said what they share.
const FEWEST: usize = 5;
/// The most properties that are said together.
const MOST_PROPERTIES: usize = 3;
/// Passes with the same properties that are allowed, per failure.
const FAILURES_PER_PASS: usize = 9;

/// Whether a trial has a property.
type Has = fn(&Trial) -> bool;

/// What may be said of a trial, to be read after "where".
const PROPERTIES: &[(&str, Has)] = &[
    ("the target arrives at the run", |trial| {
        trial.binding.source() == TargetSource::Runtime
    }),
    ("the target is a constant", |trial| {
        trial.binding.source() == TargetSource::Constant
    }),
    ("data dims are not declared", |trial| {
        trial.binding.dynamic()
    }),
    ("data dims are declared", |trial| !trial.binding.dynamic()),
    ("the text rejects", |trial| {
        matches!(**trial.expectation(), Expectation::Rejected(_))
    }),
    ("the text accepts", |trial| {
        matches!(**trial.expectation(), Expectation::Reshaped(_))
    }),
    ("the text allows an output", |trial| {
        !matches!(**trial.expectation(), Expectation::Rejected(_))
    }),
    ("the data has no element", |trial| {
        elements(trial) == Some(0)
    }),
    ("the data has more than one element", |trial| {
        elements(trial).is_none_or(|count| count > 1)
    }),
    ("the data has more than 64 elements", |trial| {
        elements(trial).is_none_or(|count| count > 64)
    }),
    ("the data has an odd number of elements", |trial| {
        elements(trial).is_some_and(|count| count % 2 == 1)
    }),
    ("the data is a scalar", |trial| {
        trial.request().data_shape.is_empty()
    }),
    ("the data has more than 8 dims", |trial| {
        trial.request().data_shape.len() > 8
    }),
    ("the target has more than 6 values", |trial| {
        values(trial).len() > 6
    }),
    ("the target has more than 8 values", |trial| {
        values(trial).len() > 8
    }),
    ("the target is empty", |trial| {
        trial.request().target.is_some() && values(trial).is_empty()
    }),
    ("the target holds a -1", |trial| values(trial).contains(&-1)),
    ("the target holds a 0", |trial| values(trial).contains(&0)),
    ("a 0 of the target copies a dim of 0", |trial| {
        let dims = &trial.request().data_shape;
        let mut pairs = values(trial).iter().zip(dims);
        copies_zero(trial.request()) == Some(true) && pairs.any(|pair| pair == (&0, &0))
    }),
    ("the target holds a value past 32 bits", |trial| {
        let fits = |value: &i128| i32::try_from(*value).is_ok();
        !values(trial).iter().all(fits)
    }),
    ("a data dim is past 32 bits", |trial| {
        let dims = trial.request().data_shape.iter();
        dims.clone().any(|dim| i32::try_from(*dim).is_err())
    }),
];

/// A property with its words.
struct Property<'a> {
    says: String,
    has: Box<dyn Fn(&Trial) -> bool + 'a>,
}

/// What may be said of this trial and others.
fn properties(of: &Trial) -> Vec<Property<'_>> {
    let general = PROPERTIES.iter().map(|(says, has)| Property {
        says: (*says).to_owned(),
        has: Box::new(has),
    });
    let own = [
        Property {
            says: format!("the element type is {}", of.element_type),
            has: Box::new(|trial| trial.element_type == of.element_type),
        },
        Property {
            says: format!("the operator is {}", of.operator),
            has: Box::new(|trial| trial.operator.name == of.operator.name),
        },
        Property {
            says: format!("the data has {} dims", of.request().data_shape.len()),
            has: Box::new(|trial| {
                trial.request().data_shape.len() == of.request().data_shape.len()
            }),
        },
        Property {
            says: format!("the target has {} values", values(of).len()),
            has: Box::new(|trial| values(trial).len() == values(of).len()),
        },
        Property {
            says: format!("the binding is {}", of.binding),
            has: Box::new(|trial| trial.binding == of.binding),
        },
    ];
    general.chain(own).collect()
}

fn elements(trial: &Trial) -> Option<u64> {
    Count::of(&trial.request().data_shape).as_u64()
}

fn values(trial: &Trial) -> &[i128] {
    let target = trial.request().target.as_ref();
    target.map_or(&[], |target| &target.values)
}

impl Observations {
    /// What the failures share that none of these causes explains.
    pub(super) fn shared_by_others(&self, causes: &[Cause]) -> Vec<Cause> {
        let explained: HashSet<&str> = causes
            .iter()
            .flat_map(|cause| &cause.trials)
            .map(String::as_str)
            .collect();
        let mut groups: BTreeMap<&str, Vec<&Trial>> = BTreeMap::new();
        let mut others = Vec::new();
        for (trial, observed) in &self.failures {
            if explained.contains(trial.to_string().as_str()) {
                continue;
            }
            match observed {
                Observation::Process(what) => groups.entry(what).or_default().push(trial),
                Observation::Reshaped { .. }
                | Observation::Claimed(_)
                | Observation::Inferred(_)
                | Observation::Rejected
                | Observation::Unpredictable => others.push(trial),
            }
        }
        let process = groups.into_iter().map(|(what, trials)| {
            let shared = self.shared(&trials);
            let (places, against) = shared.unwrap_or_default();
            let says = match places.is_empty() {
                true => what.to_owned(),
                false => format!("{what}, where {places}"),
            };
            cause(says, against, trials)
        });
        let mut found: Vec<_> = process.collect();
        if let Some((places, against)) = self.shared(&others) {
            found.push(cause(format!("fails where {places}"), against, others));
        }
        found
    }

    /// The failures that pass alone, whatever they look like: one cause for those that other trials cause, and one for those
    /// that come and go.
    pub(super) fn passing_alone(&self) -> Vec<Cause> {
        let kinds = [
            (
                &self.stateful,
                "fails after other trials and passes alone",
                Alone::after_unknown(),
            ),
            (
                &self.unsteady,
                "fails now and then: what failed passes when the same trials are run again",
                Alone::Unsteady,
            ),
        ];
        let kinds = kinds.into_iter().filter(|(trials, ..)| !trials.is_empty());
        let causes = kinds.map(|(trials, says, alone)| {
            let trials: Vec<&Trial> = trials.iter().collect();
            let (places, against) = self.shared(&trials).unwrap_or_default();
            let place = match places.is_empty() {
                true => String::new(),
                false => format!(", where {places}"),
            };
            Cause {
                alone: Some(alone),
                ..cause(format!("{says}{place}"), against, trials)
            }
        });
        causes.collect()
    }

    /// The properties that all these trials have and next to no trial that passes, and how many pass that have them; `None`
    /// if there are too few trials, or no such properties.
    fn shared(&self, trials: &[&Trial]) -> Option<(String, usize)> {
        if trials.len() < FEWEST {
            return None;
        }
        // Where the text is open, a wrong backend can pass as well.
        let is_decided =
            |trial: &&Trial| !matches!(**trial.expectation(), Expectation::Open { .. });
        let mut left: Vec<&Trial> = self.passes.iter().filter(is_decided).collect();
        let mut said = Vec::new();
        let first = *trials.first()?;
        let properties = properties(first);
        let is_shared = |property: &&Property<'_>| trials.iter().all(|trial| (property.has)(trial));
        let properties: Vec<_> = properties.iter().filter(is_shared).collect();
        while said.len() < MOST_PROPERTIES && left.len() * FAILURES_PER_PASS > trials.len() {
            let remaining = |property: &&&Property<'_>| {
                let left = left.iter();
                left.filter(|trial| (property.has)(trial)).count()
            };
            let best = properties.iter().min_by_key(remaining)?;
            let before = left.len();
            left.retain(|trial| (best.has)(trial));
            if left.len() == before {
                break;
            }
            said.push(best.says.as_str());
        }
        let is_clear = left.len() * FAILURES_PER_PASS <= trials.len() && !said.is_empty();
        is_clear.then(|| (said.join(" and "), left.len()))
    }
}

fn cause(says: String, against: usize, mut trials: Vec<&Trial>) -> Cause {
    trials.sort_by_cached_key(|trial| (trial.size(), trial.to_string()));
    let names = trials.into_iter().map(ToString::to_string);
    Cause::without_mutant(says, against, names.collect())
}
