//! Differences between the shapes or elements that a backend gave and what it was asked for.

use super::observations::{Failure, Observation};
use super::property::{dims, values};
use crate::event::ElementDifference;
use crate::model::surroundings::Surrounding;
use crate::names::{Joined, table};
use crate::semantics::oracle::copies_zero;
use crate::semantics::outcome::{ShapePattern, fits, is_negative, pattern_of};
use crate::tensor::Count;
use std::cmp::Ordering;

/// The shape that a backend gave in a trial, and what it was asked for.
struct Given<'a> {
    /// How many dims it has.
    dims: usize,
    /// All lengths; `None` if one was not inferred.
    shape: Option<Vec<u64>>,
    /// The right shape; `None` if the text rejects or leaves it open.
    right: Option<&'a [u64]>,
    data: &'a [u64],
    target: &'a [i128],
    /// Whether its zeros copy; `None` if no text says.
    copies: Option<bool>,
}

impl Given<'_> {
    /// Whether the given shape and the right one, both changed in this way, are the same.
    fn is_right_after(&self, change: fn(&mut Vec<u64>)) -> bool {
        let mut both = [self.shape.clone(), self.right.map(<[u64]>::to_vec)];
        both.iter_mut().flatten().for_each(change);
        both[0].is_some() && both[0] == both[1]
    }

    /// Whether it is the right one with several dims, the first or the last ones, multiplied into one.
    fn is_joined(&self, first: bool) -> bool {
        let (Some(shape), Some(right)) = (&self.shape, self.right) else {
            return false;
        };
        let (mut shape, mut right) = (shape.clone(), right.to_vec());
        if first {
            shape.reverse();
            right.reverse();
        }
        let Some((joined, others)) = shape.split_last() else {
            return false;
        };
        let rest = right.strip_prefix(others).filter(|rest| rest.len() > 1);
        rest.is_some_and(|rest| Count::of(rest).as_u64() == Some(*joined))
    }

    /// Whether it has, at the place of each 0 in the target, what `wrong` makes of the data's dim.
    fn has_for_zeros(&self, copies: bool, wrong: fn(u64) -> u64) -> bool {
        let zeros = self
            .target
            .iter()
            .zip(self.data)
            .zip(self.shape.iter().flatten());
        let zeros = zeros.filter(|((value, _), _)| **value == 0);
        let mut zeros = zeros.map(|((_, data), dim)| (*data, *dim));
        let is_wrong = zeros.clone().any(|(data, _)| data != 0);
        let has = |(data, dim)| wrong(data) == dim;
        self.copies == Some(copies) && is_wrong && zeros.all(has)
    }

    /// Whether its number of dims compares so with the right one.
    fn has_dims(&self, than_right: Ordering) -> bool {
        self.right.map(|right| self.dims.cmp(&right.len())) == Some(than_right)
    }

    /// Whether its number of elements compares so with the data's.
    fn has_elements(&self, than_data: Ordering) -> bool {
        let shape = self.shape.as_ref();
        let shape = shape.filter(|dims| !dims.iter().any(|dim| is_negative(*dim)));
        let data = Count::of(self.data);
        shape.map(|shape| Count::of(shape).cmp(&data)) == Some(than_data)
    }
}

/// Whether a shape differs in some way.
type Differs = fn(&Given<'_>) -> bool;

/// The differences, from the most to the least telling one, to be read in brackets.
const DIFFERENCES: &[(&str, Differs)] = table! {
    "with the data's dim for a literal 0" => |of| of.has_for_zeros(false, |dim| dim),
    "with a 0 for a 0 that copies" => |of| of.has_for_zeros(true, |_| 0),
    "with the data's dims" => |of| of.shape.as_deref() == Some(of.data),
    "with the target's values as they are" => |of| {
        let shape = of.shape.iter().flatten();
        let shape = shape.map(|dim| i128::from(dim.cast_signed()));
        !of.target.is_empty() && of.shape.is_some() && shape.eq(of.target.iter().copied())
    },
    "with the right dims in another order" => |of| of.is_right_after(|dims| dims.sort_unstable()),
    "with other dims of 1 than the right shape" => |of| of.is_right_after(|dims| dims.retain(|dim| *dim != 1)),
    "with the right shape's last dims multiplied into one" => |of| of.is_joined(false),
    "with the right shape's first dims multiplied into one" => |of| of.is_joined(true),
    "with as many dims as the data" => |of| {
        let is_other = |right: &[u64]| right.len() != of.dims;
        of.dims == of.data.len() && of.right.is_some_and(is_other)
    },
    "with fewer dims than the right shape" => |of| of.has_dims(Ordering::Less),
    "with more dims than the right shape" => |of| of.has_dims(Ordering::Greater),
    "with fewer elements than the data" => |of| of.has_elements(Ordering::Less),
    "with more elements than the data" => |of| of.has_elements(Ordering::Greater),
};

/// The most telling difference of all these failures, in brackets after a space; empty without one.
pub(super) fn difference(failures: &[&Failure]) -> String {
    // What is calculated from wrong elements says less about them.
    let is_as_given = |of: &&Failure| of.trial.surrounding != Some(Surrounding::Quantised);
    let (as_given, calculated): (Vec<&Failure>, Vec<&Failure>) =
        failures.iter().copied().partition(is_as_given);
    let told = if as_given.is_empty() {
        calculated
    } else {
        as_given
    };
    let is_shared = |of: &&ElementDifference| told.iter().all(|all| all.elements.contains(of));
    let mut of_elements = ElementDifference::ALL.iter().filter(is_shared);
    if let Some(first) = of_elements.next().filter(|_| !failures.is_empty()) {
        // Which elements differ does not say how.
        let zeroed = of_elements.filter(|of| **of == ElementDifference::Zeroed);
        let words = [first].into_iter().chain(zeroed);
        return format!(" ({})", words.map(|of| of.description()).joined(", "));
    }
    let mut left: Vec<_> = DIFFERENCES.iter().collect();
    // Where the text is open, there is no right shape.
    let mut judged = failures.iter().filter(|of| !of.trial.is_open()).peekable();
    if judged.peek().is_none() {
        return String::new();
    }
    for failure in judged {
        let pattern: ShapePattern = match &failure.observed {
            Observation::Reshaped { shape, .. } | Observation::Claimed(shape) => pattern_of(shape),
            Observation::Inferred(Some(pattern)) => pattern.clone(),
            Observation::Inferred(None)
            | Observation::Rejected
            | Observation::ChangedEarlier
            | Observation::WrongSharing
            | Observation::WrongConcurrentRun(_)
            | Observation::Process(_)
            | Observation::Unpredictable => return String::new(),
        };
        let data = dims(&failure.trial);
        // Of an inference, a length that it does not know is as good as the data's.
        let given = Given {
            dims: pattern.len(),
            shape: match fits(data, &pattern) {
                true => Some(data.to_vec()),
                false => pattern.into_iter().collect(),
            },
            right: failure.trial.expectation().shape(),
            data,
            target: values(&failure.trial),
            copies: copies_zero(failure.trial.request()),
        };
        let is_wrong = given.right.is_none() || given.right != given.shape.as_deref();
        left.retain(|(_, differs)| is_wrong && differs(&given));
    }
    let first = left.first();
    first.map_or(String::new(), |(difference, _)| format!(" ({difference})"))
}
