//! Features that a backend may lack as a whole, and the trials that have them.

use super::property::{GENERAL, Kind, NUMBERS, UNITS, is_no_multiple};
use crate::suite::trial::Trial;
use std::collections::BTreeSet;

/// A feature of trials.
pub(super) struct Feature {
    pub(super) kind: Kind,
    pub(super) value: String,
    /// Whether a group can be limited to another feature, too.
    pub(super) goes_with_others: bool,
    /// How a manifest excludes it; `None` if it cannot, or if it lists the values of this kind.
    pub(super) claim_less: Option<String>,
    /// The trials that have it.
    pub(super) places: Places,
}

/// The properties of [`GENERAL`] that are features. The others are special cases, which a mutant describes better.
const ORDINARY: &[&str] = &[
    "the target arrives at the run",
    "the target arrives at the run, and at the node as it is",
    "the target is not known before the run",
    "the target is a constant",
    "data dims are not declared",
    "data dims are declared",
    "the data has no element",
    "the data holds a NaN or an infinity",
    "the data holds a NaN",
    "the data holds an infinity",
    "the data holds an empty string",
    "the data holds a string past ASCII",
    "the target holds a -1",
    "the target holds a 0",
    "the target has no value",
    "the target has another number of values than the data has dims",
    "allowzero is set",
    "special_zero is false",
    "zeros are literal",
];

/// The minimum size in bytes that a backend may require the data to be a multiple of.
const VECTOR: u64 = 16;

/// How a manifest excludes trials with such a property, or with at least `least` of something; `None` if it cannot.
fn claim_less(description: &str, least: u64) -> Option<String> {
    let how = match description {
        "data dims are not declared" => {
            "leave those that end with `dynamic` out of the `bindings` that it claims"
        }
        "the target arrives at the run" => {
            "leave those that begin with `runtime` out of the `bindings` that it claims"
        }
        "the data has no element" => "state the limit `empty_data_ranks: []`",
        "the data" => return Some(format!("state the limit `data_rank: {}`", least - 1)),
        "data or target" => return Some(format!("state the limit `rank: {}`", least - 1)),
        _ => return None,
    };
    Some(how.to_owned())
}

/// The features of these trials, grouped by kind.
pub(super) fn features(trials: &[&Trial]) -> Vec<Feature> {
    let places = |has: &dyn Fn(&Trial) -> bool| Places::of(trials.iter().map(|trial| has(trial)));
    let named = [
        Kind::Operator,
        Kind::ElementType,
        // A surrounding has few bindings, so it comes before a binding in which the same trials fail.
        Kind::Surrounding,
        Kind::Binding,
    ];
    let named = named.into_iter().flat_map(|kind| {
        let names = trials.iter().map(|trial| kind.name(trial));
        nominal(kind, names.collect())
    });
    let general = GENERAL.iter();
    let general = general.filter(|(description, _)| ORDINARY.contains(description));
    let general = general.map(|(description, has)| Feature {
        kind: Kind::Other,
        value: (*description).to_owned(),
        goes_with_others: true,
        claim_less: claim_less(description, 0),
        places: places(has),
    });
    let names = trials.iter().flat_map(|of| of.request().attributes.keys());
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    let attributes = names.into_iter().map(|name| Feature {
        kind: Kind::Other,
        value: format!("the node has the attribute {name}"),
        goes_with_others: true,
        claim_less: Some(format!("state the limit `attributes` without {name}")),
        places: places(&|trial| trial.request().attributes.contains_key(name)),
    });
    // Of two limits with the same trials, the common one comes first: in bytes, or of data or target.
    let numbers = NUMBERS.iter().rev().flat_map(|(of, what, number)| {
        let numbers: Vec<u64> = trials.iter().map(|trial| number(trial)).collect();
        let values: BTreeSet<u64> = numbers.iter().copied().collect();
        let most = values.clone().into_iter();
        let values = most.zip(values.into_iter().skip(1));
        // The first byte comes with the first element.
        let values = values.filter(|(most, _)| *most > 0 || *what != "bytes");
        values.map(move |(most, least)| Feature {
            kind: Kind::Other,
            value: match least - most {
                _ if most == 0 => format!("{of} has {what}"),
                1 => format!("{of} has at least {least} {what}"),
                _ => format!("{of} has at least {least} {what}, while {most} pass"),
            },
            goes_with_others: false,
            claim_less: claim_less(of, least).filter(|_| *what == "dims"),
            places: Places::of(numbers.iter().map(|number| *number >= least)),
        })
    });
    let wide = UNITS.iter().filter(|unit| **unit >= VECTOR);
    let odd = wide.map(|unit| Feature {
        kind: Kind::Other,
        value: format!("the data's bytes are no multiple of {unit}"),
        goes_with_others: false,
        claim_less: None,
        places: places(&|trial| is_no_multiple(trial, *unit)),
    });
    let dims = trials.iter();
    let dims = dims.map(|trial| trial.request().data_shape.len().to_string());
    let dims: Vec<String> = dims.collect();
    let dims = nominal(Kind::DataDims, dims.iter().map(String::as_str).collect());
    let all = named.chain(general).chain(attributes).chain(numbers);
    all.chain(odd).chain(dims).collect()
}

/// The features of a kind. Each trial has one of these values; an empty value means no feature.
fn nominal(kind: Kind, of_trials: Vec<&str>) -> Vec<Feature> {
    let values = of_trials.iter().copied().filter(|value| !value.is_empty());
    let values: BTreeSet<&str> = values.collect();
    let values = values.into_iter().map(|value| Feature {
        kind,
        value: value.to_owned(),
        goes_with_others: kind != Kind::DataDims,
        claim_less: None,
        places: Places::of(of_trials.iter().map(|of| *of == value)),
    });
    values.collect()
}

/// A set of trials, by their places in a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Places(Vec<u64>);

impl Places {
    pub(super) fn of(has: impl Iterator<Item = bool>) -> Self {
        let mut places = Self::default();
        for (at, has) in has.enumerate() {
            places.set(at, has);
        }
        places
    }

    /// Adds a place, if `has`. The set has a word for it in any case.
    pub(super) fn set(&mut self, at: usize, has: bool) {
        self.0.resize(self.0.len().max(at / 64 + 1), 0);
        self.0[at / 64] |= u64::from(has) << (at % 64);
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        self.with(other, |one, two| one & two)
    }

    pub(super) fn without(&self, other: &Self) -> Self {
        self.with(other, |one, two| one & !two)
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        self.with(other, |one, two| one | two)
    }

    fn with(&self, other: &Self, of: fn(u64, u64) -> u64) -> Self {
        let both = self.0.iter().zip(&other.0);
        Self(both.map(|(one, two)| of(*one, *two)).collect())
    }

    pub(super) fn each(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(at, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| at * 64 + bit)
        })
    }
}
