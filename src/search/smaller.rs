//! Smaller cases than a given one.

use super::generate::MAX_ELEMENTS;
use crate::suite::generated::GeneratedCase;
use crate::tensor::Count;

/// Cases that are smaller than this one, or equal without its zero mode, the greatest reductions first.
pub(super) fn smaller(case: &GeneratedCase) -> impl Iterator<Item = GeneratedCase> + use<> {
    let mut smaller = Smaller::new(case);
    smaller.drop_stretches();
    smaller.drop_dims();
    smaller.shorten_dims();
    smaller.shrink_values();
    // A zero mode does not matter to the text where the target has no zeros.
    let without_mode = (!case.target.contains(&0)).then(|| GeneratedCase {
        zero: None,
        ..case.clone()
    });
    smaller.cases.into_iter().chain(without_mode)
}

struct Smaller<'a> {
    case: &'a GeneratedCase,
    /// The most elements of smaller data. Without a dim of length 0, data can have more elements than memory holds.
    max_elements: u64,
    cases: Vec<GeneratedCase>,
}

impl<'a> Smaller<'a> {
    fn new(case: &'a GeneratedCase) -> Self {
        let count = Count::of(&case.data).as_u64();
        Self {
            case,
            max_elements: count.map_or(MAX_ELEMENTS, |count| count.max(MAX_ELEMENTS)),
            cases: Vec::new(),
        }
    }

    fn add(&mut self, data: Vec<u64>, target: Vec<i64>) {
        let count = Count::of(&data).as_u64();
        if count.is_some_and(|count| count <= self.max_elements) {
            self.cases.push(GeneratedCase {
                data,
                target,
                zero: self.case.zero,
            });
        }
    }

    fn add_data(&mut self, data: Vec<u64>) {
        self.add(data, self.case.target.clone());
    }

    fn add_target(&mut self, target: Vec<i64>) {
        self.add(self.case.data.clone(), target);
    }

    /// Drops halves, quarters and so on: of a long case, single dims would take thousands of trials.
    fn drop_stretches(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        let longer = data.len().max(target.len());
        let sizes = std::iter::successors(Some(longer / 2), |size| Some(size / 2));
        for size in sizes.take_while(|size| *size > 1) {
            for from in (0..longer).step_by(size) {
                let stretch = from..from + size;
                let shorter_data = without(data, &stretch);
                let shorter_target = without(target, &stretch);
                self.add(shorter_data.clone(), shorter_target.clone());
                self.add_data(shorter_data);
                self.add_target(shorter_target);
            }
        }
    }

    /// Drops a data dim and a target value, then one of them.
    fn drop_dims(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        for at in 0..data.len() {
            for value in 0..target.len() {
                self.add(
                    without(data, &(at..at + 1)),
                    without(target, &(value..value + 1)),
                );
            }
        }
        for at in 0..data.len() {
            self.add_data(without(data, &(at..at + 1)));
        }
        for at in 0..target.len() {
            self.add_target(without(target, &(at..at + 1)));
        }
    }

    /// Shortens a data dim, alone or with a target value that is a multiple of it, so that the counts can still be equal.
    fn shorten_dims(&mut self) {
        let (data, target) = (&self.case.data, &self.case.target);
        for (at, dim) in data.iter().copied().enumerate() {
            let lengths = [1, 2, 3, dim / 2, dim.saturating_sub(1)].into_iter();
            for length in lengths.filter(|length| *length > 0 && *length < dim) {
                let shorter = with(data, at, length);
                self.add_data(shorter.clone());
                for (index, value) in target.iter().enumerate() {
                    let value = u64::try_from(*value).unwrap_or(0);
                    if value > 0 && value % dim == 0 {
                        let less = (value / dim * length) as i64;
                        self.add(shorter.clone(), with(target, index, less));
                    }
                }
            }
        }
    }

    /// Moves a target value towards 0, but not to 0, and a negative one not to -1.
    fn shrink_values(&mut self) {
        let target = &self.case.target;
        for (at, value) in target.iter().copied().enumerate() {
            let sign = value.signum();
            for next in [sign, 2 * sign, 3 * sign, value / 2, value - sign] {
                let is_nearer = next.unsigned_abs() < value.unsigned_abs() && next != 0;
                if is_nearer && (value > 0 || next < -1) {
                    self.add_target(with(target, at, next));
                }
            }
        }
    }
}

/// A list without the entries in a range.
fn without<T: Copy>(list: &[T], range: &std::ops::Range<usize>) -> Vec<T> {
    let outside = list
        .iter()
        .enumerate()
        .filter(|(at, _)| !range.contains(at));
    outside.map(|(_, value)| *value).collect()
}

/// A list with another value at one place.
fn with<T: Copy>(list: &[T], at: usize, value: T) -> Vec<T> {
    let mut list = list.to_vec();
    list[at] = value;
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_data_does_not_become_data_too_large_for_memory() {
        let case = GeneratedCase {
            data: vec![5, 0, i64::MAX as u64, 1 << 31],
            target: vec![-1, 5],
            zero: None,
        };
        let all: Vec<_> = smaller(&case).collect();
        assert!(all.len() > 10);
        let most = all
            .iter()
            .filter_map(|smaller| Count::of(&smaller.data).as_u64())
            .max();
        assert!(most.is_some_and(|most| most <= MAX_ELEMENTS), "{most:?}");
    }
}
