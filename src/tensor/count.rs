//! Element counts: exact products of dims, however large.

use num_bigint::BigUint;
use std::fmt;

/// The exact product of dims; the empty product is 1. Nothing wraps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(Repr);

/// Small counts stay off the heap: 64 bits suffice for every tensor that exists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Repr {
    Small(u64),
    /// Always more than a u64 can hold.
    Big(BigUint),
}

impl Count {
    /// The product of `dims`.
    #[must_use]
    pub fn of(dims: &[u64]) -> Self {
        dims.iter().copied().collect()
    }

    /// The count as a u64; `None` if it is larger.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Repr::Small(n) => Some(n),
            Repr::Big(_) => None,
        }
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }

    /// Whether it is no larger than this.
    #[must_use]
    pub fn is_at_most(&self, most: u64) -> bool {
        self.as_u64().is_some_and(|count| count <= most)
    }

    /// Whether it is larger than the largest i64, the type in which most implementations hold sizes.
    #[must_use]
    pub fn exceeds_i64(&self) -> bool {
        !self.is_at_most(i64::MAX as u64)
    }

    /// The quotient; `None` if the division leaves a remainder, or if the divisor is 0.
    #[must_use]
    pub fn divided_by(&self, divisor: &Self) -> Option<Self> {
        match (&self.0, &divisor.0) {
            (_, Repr::Small(0)) => None,
            (Repr::Small(a), Repr::Small(b)) => (a % b == 0).then(|| Self(Repr::Small(a / b))),
            (Repr::Small(0), Repr::Big(_)) => Some(Self(Repr::Small(0))),
            (Repr::Small(_), Repr::Big(_)) => None,
            (Repr::Big(a), b) => {
                let b = match b {
                    Repr::Small(n) => BigUint::from(*n),
                    Repr::Big(n) => n.clone(),
                };
                let quotient = a / &b;
                (&quotient * b == *a).then(|| Self::from_big(quotient))
            }
        }
    }

    fn from_big(value: BigUint) -> Self {
        match u64::try_from(&value) {
            Ok(small) => Self(Repr::Small(small)),
            Err(_) => Self(Repr::Big(value)),
        }
    }
}

impl FromIterator<u64> for Count {
    fn from_iter<I: IntoIterator<Item = u64>>(dims: I) -> Self {
        let mut dims = dims.into_iter();
        let mut product: u64 = 1;
        while let Some(dim) = dims.next() {
            match product.checked_mul(dim) {
                Some(next) => product = next,
                None => {
                    let rest = dims.fold(BigUint::from(product) * dim, |big, dim| big * dim);
                    return Self::from_big(rest);
                }
            }
        }
        Self(Repr::Small(product))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Big(n) => n.fmt(f),
        }
    }
}
