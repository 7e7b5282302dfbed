//! From the target's values to a shape: each value as a length, then the count.

use super::reader::{Conclusion, Reader};
use crate::semantics::operator::{Meaning, Reason, Rule, Strictness};
use crate::semantics::outcome::{pattern_of, show_pattern};
use crate::tensor::Count;

/// The target's values as lengths.
#[derive(Default)]
pub(super) struct Dims {
    /// The lengths; 1 at the index of the length to infer.
    pub lengths: Vec<u64>,
    /// The index of the length to infer.
    pub inferred: Option<usize>,
    /// The indices of zeros that copy where the data has no dimension, so that they can have any length.
    pub undetermined: Vec<usize>,
    /// Whether a 0 among them is literal.
    pub literal_zero: bool,
}

impl Reader<'_> {
    /// Each value as a length; `None` if a value has no length.
    pub(super) fn dims(&mut self, values: &[i128], copies: Option<bool>) -> Option<Dims> {
        let mut dims = Dims {
            lengths: Vec::with_capacity(values.len()),
            ..Dims::default()
        };
        let mut complete = true;
        for (index, value) in values.iter().copied().enumerate() {
            let length = match value {
                1.. => self.positive(index, value),
                0 => match copies {
                    Some(true) => self.copied(index, &mut dims),
                    Some(false) => self.literal_zero(index, &mut dims),
                    // How to read a 0 is unknown, and the reason is already recorded.
                    None => None,
                },
                -1 => self.minus_one(index, &mut dims),
                ..-1 => self.below_minus_one(index, value, &mut dims),
            };
            complete &= length.is_some();
            dims.lengths.push(length.unwrap_or(1));
        }
        complete.then_some(dims)
    }

    fn positive(&mut self, index: usize, value: i128) -> Option<u64> {
        let length = u64::try_from(value).ok()?;
        self.trace
            .dim(Rule::TargetIsOutputShape, index, length, || {
                format!("index {index}: {value} is the length")
            });
        Some(length)
    }

    fn copied(&mut self, index: usize, dims: &mut Dims) -> Option<u64> {
        let data = &self.request.data_shape;
        if let Some(length) = data.get(index).copied() {
            self.trace.dim(Rule::CopiedZero, index, length, || {
                format!("index {index}: 0 copies the data dimension {length}")
            });
            return Some(length);
        }
        let rules = &self.request.operator.rules;
        let strictness = if index == data.len() {
            rules.copy_at_rank
        } else {
            rules.copy_past_rank
        };
        self.decide(strictness, Reason::CopyPastRank, || {
            let rank = data.len();
            format!("index {index}: 0 copies, but the data has rank {rank}")
        })?;
        dims.undetermined.push(index);
        Some(1)
    }

    fn literal_zero(&mut self, index: usize, dims: &mut Dims) -> Option<u64> {
        dims.literal_zero = true;
        self.trace.dim(Rule::LiteralZero, index, 0, || {
            format!("index {index}: a literal 0")
        });
        Some(0)
    }

    /// A length to infer. Until then it is 1, the factor that changes no product.
    fn minus_one(&mut self, index: usize, dims: &mut Dims) -> Option<u64> {
        if dims.inferred.is_some() {
            return self.reject(Reason::TwoMinusOnes, || {
                format!("index {index}: another -1")
            });
        }
        dims.inferred = Some(index);
        self.trace.note(Rule::InferredMinusOne, || {
            format!("index {index}: -1, to be inferred")
        });
        Some(1)
    }

    fn below_minus_one(&mut self, index: usize, value: i128, dims: &mut Dims) -> Option<u64> {
        let strictness = self.request.operator.rules.below_minus_one;
        self.decide(strictness, Reason::BelowMinusOne, || {
            format!("index {index}: {value} is below -1")
        })?;
        self.minus_one(index, dims)
    }

    /// Infers the length that is still open, and checks the count.
    pub(super) fn conclude(&mut self, dims: Dims) -> Option<Conclusion> {
        let rules = &self.request.operator.rules;
        let forbidden = rules.literal_zero_with_minus_one == Strictness::MustReject;
        if dims.literal_zero && dims.inferred.is_some() && forbidden {
            return self.reject(Reason::ZeroWithMinusOne, || {
                "the target holds a literal 0 and a -1".to_owned()
            });
        }
        let count = Count::of(&self.request.data_shape);
        let known = Count::of(&dims.lengths);
        let conclusion = match dims.inferred {
            _ if !dims.undetermined.is_empty() => self.undetermined(dims, &known, &count)?,
            None => Conclusion::Exact(self.check_count(dims.lengths, &known, &count)?),
            Some(index) if known.is_zero() => {
                self.indeterminate(dims.lengths, index, dims.literal_zero, &count)?
            }
            Some(index) => Conclusion::Exact(self.infer(dims.lengths, index, &known, &count)?),
        };
        if let Conclusion::Exact(shape) = &conclusion {
            self.check_size(shape);
        }
        Some(conclusion)
    }

    fn check_count(&mut self, lengths: Vec<u64>, known: &Count, count: &Count) -> Option<Vec<u64>> {
        if known == count {
            self.trace.note(Rule::SameCount, || {
                format!("{lengths:?} has {known} elements, as the data has")
            });
            return Some(lengths);
        }
        self.reject(Reason::VolumeMismatch, || {
            format!("{lengths:?} has {known} elements, but the data has {count}")
        })
    }

    /// A -1 while the other dimensions multiply to 0.
    fn indeterminate(
        &mut self,
        mut lengths: Vec<u64>,
        index: usize,
        literal_zero: bool,
        count: &Count,
    ) -> Option<Conclusion> {
        self.check_count_of_nothing(count)?;
        let mut pattern = pattern_of(&lengths);
        pattern[index] = None;
        let reason = if literal_zero {
            Reason::ZeroWithMinusOne
        } else {
            Reason::IndeterminateDimension
        };
        let rules = &self.request.operator.rules;
        let meaning = self.decide(rules.minus_one_over_zero(literal_zero), reason, || {
            let shown = show_pattern(&pattern);
            format!("the data is empty and the other dimensions multiply to 0, so any length fits {shown}")
        })?;
        match meaning {
            Meaning::First => Some(Conclusion::Any(pattern)),
            Meaning::Second => {
                lengths[index] = 0;
                self.inferred(&lengths, index, count, || {
                    format!("index {index}: the length 0")
                });
                Some(Conclusion::Exact(lengths))
            }
        }
    }

    /// Zeros that copy where the data has no dimension. With a -1, if any, their lengths have to keep the count.
    fn undetermined(&mut self, dims: Dims, known: &Count, count: &Count) -> Option<Conclusion> {
        let places: Vec<usize> = dims.undetermined.into_iter().chain(dims.inferred).collect();
        if known.is_zero() {
            self.check_count_of_nothing(count)?;
        } else if let [index] = *places {
            let shape = self.infer(dims.lengths, index, known, count)?;
            return Some(Conclusion::Exact(shape));
        } else if count.divided_by(known).is_none() {
            return self.reject_remainder(known, count);
        }
        let mut pattern = pattern_of(&dims.lengths);
        for index in places {
            pattern[index] = None;
        }
        Some(Conclusion::Any(pattern))
    }

    /// Checks that the data has no elements, since the other dims multiply to 0.
    fn check_count_of_nothing(&mut self, count: &Count) -> Option<()> {
        if count.is_zero() {
            return Some(());
        }
        self.reject(Reason::VolumeMismatch, || {
            format!("the other dimensions multiply to 0, but the data has {count} elements")
        })
    }

    fn reject_remainder<T>(&mut self, known: &Count, count: &Count) -> Option<T> {
        self.reject(Reason::NotDivisible, || {
            format!("{count} elements cannot be divided by {known}")
        })
    }

    fn infer(
        &mut self,
        mut lengths: Vec<u64>,
        index: usize,
        known: &Count,
        count: &Count,
    ) -> Option<Vec<u64>> {
        let Some(length) = count.divided_by(known) else {
            return self.reject_remainder(known, count);
        };
        let as_dim = length.as_u64();
        let Some(length) = as_dim.filter(|length| i64::try_from(*length).is_ok()) else {
            return self.reject(Reason::CountOverflows, || {
                format!("the inferred length {length} exceeds the largest dimension")
            });
        };
        lengths[index] = length;
        self.inferred(&lengths, index, count, || {
            format!("index {index}: {count} / {known} = {length}")
        });
        Some(lengths)
    }

    /// Notes the length of the -1, and that the count is now the data's.
    fn inferred(
        &mut self,
        shape: &[u64],
        index: usize,
        count: &Count,
        description: impl FnOnce() -> String,
    ) {
        self.trace
            .dim(Rule::InferredMinusOne, index, shape[index], description);
        self.trace.note(Rule::SameCount, || {
            format!("{shape:?} has {count} elements, as the data has")
        });
    }

    /// Dims that an implementation may be unable to hold, in the output or in the data.
    fn check_size(&mut self, shape: &[u64]) {
        let (data, rules) = (&self.request.data_shape, &self.request.operator.rules);
        if data.contains(&0) && (overflows(shape) || overflows(data)) {
            self.decide(rules.count_overflows, Reason::CountOverflows, || {
                "the dimensions that are not 0 multiply to more than 2^63-1".to_owned()
            });
        } else if is_past_capacity(shape) || is_past_capacity(data) {
            self.decide(rules.capacity, Reason::Capacity, || {
                "the dimensions are more or larger than any text promises to hold".to_owned()
            });
        }
    }
}

/// Whether a dim exceeds 2^31-1, there are more than 8 dims, or the nonzero dims multiply to more than 2^31. Then what
/// an implementation allocates or indexes by, in elements or bytes, may not fit.
fn is_past_capacity(dims: &[u64]) -> bool {
    const MAX_LENGTH: u64 = (1 << 31) - 1;
    const MAX_DIMS: usize = 8;
    const MAX_ELEMENTS: u64 = 1 << 31;
    dims.len() > MAX_DIMS
        || dims.iter().any(|dim| *dim > MAX_LENGTH)
        || !nonzero_count(dims).is_at_most(MAX_ELEMENTS)
}

fn overflows(dims: &[u64]) -> bool {
    nonzero_count(dims).exceeds_i64()
}

fn nonzero_count(dims: &[u64]) -> Count {
    dims.iter().copied().filter(|dim| *dim != 0).collect()
}
