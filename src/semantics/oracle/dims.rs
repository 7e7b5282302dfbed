//! Reading each value of the target as a length, from left to right.

use super::reader::Reader;
use crate::semantics::operator::{Reason, Rule};

/// The target's values as lengths.
pub(super) struct Dims {
    /// The lengths; 1 in the place of the one to infer.
    pub lengths: Vec<u64>,
    /// The index of the length to infer.
    pub inferred: Option<usize>,
    /// The indices of zeros that copy where the data has no dimension, so that they can have any length.
    pub undetermined: Vec<usize>,
    /// Whether a 0 among them is literal.
    pub literal_zero: bool,
}

impl Reader<'_> {
    /// Each value as a length; `None` if a value has none.
    pub(super) fn dims(&mut self, values: &[i128], copies: Option<bool>) -> Option<Dims> {
        let mut dims = Dims {
            lengths: Vec::with_capacity(values.len()),
            inferred: None,
            undetermined: Vec::new(),
            literal_zero: false,
        };
        let mut complete = true;
        for (index, value) in values.iter().copied().enumerate() {
            let length = match value {
                1.. => self.positive(index, value),
                0 => match copies {
                    Some(true) => self.copied(index, &mut dims),
                    Some(false) => self.literal_zero(index, &mut dims),
                    // How to read a 0 is not known, which is recorded already.
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
            format!(
                "index {index}: 0 copies, but the data has rank {}",
                data.len()
            )
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

    /// A length to infer; 1 stands in for it, as the factor that changes no product.
    fn minus_one(&mut self, index: usize, dims: &mut Dims) -> Option<u64> {
        if dims.inferred.is_some() {
            self.reject(Reason::TwoMinusOnes, || {
                format!("index {index}: another -1")
            });
            return None;
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
}
