//! Bounds: which trials are small.

use super::space::Space;
use crate::suite::generated::MOST_ELEMENTS;

/// Which trials are small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The highest rank of data and of target.
    pub(super) rank: u32,
    /// The longest data dim.
    pub(super) dim: u64,
    /// The largest target value; the smallest is [`Self::MIN_VALUE`].
    pub(super) value: u64,
}

impl Bounds {
    /// The smallest target value.
    pub(super) const MIN_VALUE: i64 = -2;

    /// Up to `rank` dims of data and of target, data dims up to `dim`, target values up to `value`.
    ///
    /// # Errors
    /// When the data would have too many elements.
    pub(crate) fn new(rank: u32, dim: u64, value: u64) -> Result<Self, String> {
        let elements = dim.checked_pow(rank);
        if elements.is_some_and(|elements| elements <= MOST_ELEMENTS) {
            return Ok(Self { rank, dim, value });
        }
        Err(format!(
            "data of rank {rank} with dims to {dim} is more than the {MOST_ELEMENTS} elements that a trial of a search has"
        ))
    }

    /// The number of lengths of a data dim.
    pub(super) fn lengths(self) -> u64 {
        self.dim + 1
    }

    /// The number of values of a target's entry.
    pub(super) fn values(self) -> u64 {
        self.value + 1 + Self::MIN_VALUE.unsigned_abs()
    }

    /// The number of trials in a space; `None` if it takes more than 64 bits.
    pub(super) fn count(self, space: &Space) -> Option<u64> {
        let (mut shapes, mut targets, mut with_zeros) = (0u64, 0u64, 0u64);
        for rank in 0..=self.rank {
            shapes = shapes.checked_add(self.lengths().checked_pow(rank)?)?;
            let all = self.values().checked_pow(rank)?;
            let without_zeros = (self.values() - 1).checked_pow(rank)?;
            targets = targets.checked_add(all)?;
            with_zeros = with_zeros.checked_add(all - without_zeros)?;
        }
        // If the operator has an attribute for zeros, there is a trial with each of its values.
        space.cells.iter().try_fold(0u64, |sum, (operator, ..)| {
            let targets = if operator.zero_attribute().is_some() {
                targets.checked_add(with_zeros)?
            } else {
                targets
            };
            sum.checked_add(shapes.checked_mul(targets)?)
        })
    }
}
