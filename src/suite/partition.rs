//! Partitions: one part of a run or a search, for one of several machines.

use super::core::Core;
use super::trial::Group;
use crate::names::{deserialize_from_str, named_enum};
use crate::semantics::request::Model;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// One of several parts. A part consists of whole groups, so no two machines compile the same model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Partition {
    method: Method,
    /// The number of this part, from 1.
    pub(crate) part: u64,
    /// The number of parts.
    pub(crate) of: u64,
}

named_enum! {
    /// How groups are assigned to parts.
    enum Method, "method" {
        /// By a hash of the group's model: a trial stays in its part when the suite grows.
        Hash = "hash",
        /// Round-robin: the parts are as equal in size as possible.
        Slice = "slice",
    }
}

impl Partition {
    /// The whole, as its only part.
    pub(crate) const WHOLE: Self = Self {
        method: Method::Slice,
        part: 1,
        of: 1,
    };

    /// Every `of`-th group, from number `part` on, counted from 1; `None` if there is no such part.
    pub(crate) fn slice(part: u64, of: u64) -> Option<Self> {
        (1..=of).contains(&part).then_some(Self {
            method: Method::Slice,
            part,
            of,
        })
    }

    /// Whether both are parts of the same whole.
    pub(crate) fn is_sibling_of(self, other: Self) -> bool {
        (self.method, self.of) == (other.method, other.of)
    }

    /// The groups of this part, in their order.
    pub(crate) fn filter<'a>(
        self,
        groups: impl Iterator<Item = Group> + Send + 'a,
    ) -> impl Iterator<Item = Group> + Send + 'a {
        let groups = groups.enumerate();
        let groups = groups.filter(move |(index, group)| self.contains(*index as u64, group));
        groups.map(|(_, group)| group)
    }

    /// Whether a group, the `index`-th of the whole, belongs to this part.
    fn contains(self, index: u64, group: &Group) -> bool {
        let number = match self.method {
            Method::Slice => index,
            Method::Hash => model_hash(group),
        };
        number % self.of == self.part - 1
    }
}

/// A hash of the model that the trials of a group share.
fn model_hash(group: &Group) -> u64 {
    let Some(trial) = group.trials.first() else {
        return 0;
    };
    let Model {
        operator,
        attributes,
        element_type,
        data,
        target,
        layout,
    } = Model::of(trial.request(), trial.binding);
    let mut hasher = Xxh3::new();
    format!("{operator} {element_type} {data:?} {target:?} {attributes:?} {layout:?}")
        .hash(&mut hasher);
    if let Some(surrounding) = trial.surrounding {
        surrounding.hash(&mut hasher);
    }
    hasher.finish()
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, part, of } = self;
        write!(f, "{method}:{part}/{of}")
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (method, numbers) = text.split_once(':')?;
            let (part, of) = numbers.split_once('/')?;
            Some(Self {
                method: method.parse().ok()?,
                part: part.parse().ok()?,
                of: of.parse().ok()?,
            })
        };
        let parsed = parse().ok_or("write hash:1/3 or slice:1/3")?;
        if (1..=parsed.of).contains(&parsed.part) {
            Ok(parsed)
        } else {
            Err(format!(
                "part {} of {} does not exist; parts count from 1",
                parsed.part, parsed.of
            ))
        }
    }
}

/// A sample of the trials, such as 1/16. It depends on the trials' names alone, so it is the same on every machine and
/// in every run, and is stable when trials are added. A larger sample contains every smaller one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    part: u32,
    of: u32,
}

impl Sample {
    /// Whether it contains the trial: the core has it, or its hash is in the first `part` of `of` equal ranges.
    pub(crate) fn takes(self, trial: &str) -> bool {
        Core::built_in().place(trial).is_some() || self.takes_by_hash(trial)
    }

    /// Whether the hash of the name is in the first `part` of `of` equal ranges.
    pub(crate) fn takes_by_hash(self, trial: &str) -> bool {
        let hash = u128::from(xxh3_64(trial.as_bytes()));
        (hash * u128::from(self.of)) >> 64 < u128::from(self.part)
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

deserialize_from_str!(Sample);

impl FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&part).then_some(Self { part, of })
        });
        numbers.ok_or_else(|| {
            format!("'{text}' is not a sample of the trials; write one such as 1/16")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn a_smaller_sample_is_part_of_a_larger_one() {
        let [small, large, all] =
            ["1/16", "1/5", "1/1"].map(|text| text.parse::<Sample>().unwrap());
        let names = (0..4000).map(|number| format!("case-{number}/o/f32/b"));
        let names: Vec<_> = names.collect();
        let of = |sample: Sample| {
            let names = names.iter().filter(|name| sample.takes(name));
            names.collect::<Vec<_>>()
        };
        assert!(of(small).iter().all(|name| large.takes(name)));
        assert_eq!(of(all).len(), 4000);
        assert!((200..300).contains(&of(small).len()), "{}", of(small).len());
        assert!((700..900).contains(&of(large).len()), "{}", of(large).len());
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in " 16 0/4 5/4 1/0 -1/4 1/16/2 1/99999999999".split(' ') {
            assert!(text.parse::<Sample>().is_err(), "{text}");
        }
    }
}
