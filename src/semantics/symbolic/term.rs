//! Products of unknown dims, and conditions on them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// An unknown dim: a number that no other has, and what it is called.
pub(crate) type Name = (usize, Arc<str>);

/// A dim of the data or a value of a target: a number, or unknown dims times a positive number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub(super) factor: i128,
    /// In order; the same name can occur several times.
    pub(super) names: Vec<Name>,
}

/// The most names in a product.
const MAX_FACTORS: usize = 16;

impl Term {
    fn new(factor: i128, names: Vec<Name>) -> Option<Self> {
        let is_term = names.is_empty() || factor > 0 && names.len() <= MAX_FACTORS;
        is_term.then_some(Self { factor, names })
    }

    /// The value, if it is known.
    pub(crate) fn known(&self) -> Option<i128> {
        self.names.is_empty().then_some(self.factor)
    }

    /// The product; `None` if it is no term, or too long to follow.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        let factor = self.factor.checked_mul(other.factor)?;
        let mut names = [&self.names[..], &other.names].concat();
        names.retain(|_| factor != 0);
        names.sort();
        Self::new(factor, names)
    }

    /// The product of all; 1 of none.
    pub(crate) fn product(terms: &[Self]) -> Option<Self> {
        let mut terms = terms.iter();
        terms.try_fold(Self::from(1), |product, term| product.times(term))
    }

    /// The quotient where the divisor is not 0; `None` if it is no term.
    pub(crate) fn over(&self, divisor: &Self) -> Option<Self> {
        let (divisor, quotient) = without_common(divisor.clone(), self.clone());
        Self::new(quotient.factor, quotient.names).filter(|_| divisor.known() == Some(1))
    }

    /// The value with these dims; `None` if it is too large.
    pub(super) fn at(&self, dims: &[(Name, u64)]) -> Option<i128> {
        let length = |name| dims.iter().find(|(of, _)| of == name);
        let times = |product: i128, name| product.checked_mul(length(name)?.1.into());
        self.names.iter().try_fold(self.factor, times)
    }

    pub(super) fn is_zero(&self, zeros: &[&Name]) -> bool {
        self.factor == 0 || self.names.iter().any(|name| zeros.contains(&name))
    }
}

impl FromStr for Term {
    type Err = ();

    /// An integer, a name, or a ?.
    fn from_str(text: &str) -> Result<Self, ()> {
        let is_name = text == "?" || text.starts_with(char::is_alphabetic);
        let name = is_name.then(|| Self::from((0, text.into())));
        let number = text.parse::<i64>().map(|of| Self::from(i128::from(of)));
        name.or(number.ok()).ok_or(())
    }
}

impl From<i128> for Term {
    fn from(factor: i128) -> Self {
        let names = Vec::new();
        Self { factor, names }
    }
}

impl From<Name> for Term {
    fn from(name: Name) -> Self {
        let names = vec![name];
        Self { factor: 1, names }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<_> = self.names.iter().map(|name| name.1.to_string()).collect();
        if self.factor != 1 || parts.is_empty() {
            parts.insert(parts.len().min(1), self.factor.to_string());
        }
        f.write_str(&parts.join(" x "))
    }
}

/// Both without their common divisor.
pub(super) fn without_common(mut one: Term, mut other: Term) -> (Term, Term) {
    let (mut divisor, mut rest) = (one.factor, other.factor);
    while rest != 0 {
        (divisor, rest) = (rest, divisor.checked_rem(rest).unwrap_or(0));
    }
    one.factor = one.factor.checked_div(divisor).unwrap_or(one.factor);
    other.factor = other.factor.checked_div(divisor).unwrap_or(other.factor);
    one.names.retain(|name| {
        let common = other.names.iter().position(|of| of == name);
        common.map(|at| other.names.remove(at)).is_none()
    });
    (one, other)
}

/// What two terms have to satisfy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition(pub(super) Term, pub(super) How, pub(super) Term);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Equals,
    Exceeds,
    Divides,
}

impl Condition {
    pub(super) fn holds(&self, dims: &[(Name, u64)]) -> bool {
        let (Some(one), Some(other)) = (self.0.at(dims), self.2.at(dims)) else {
            return false;
        };
        match self.1 {
            How::Equals => one == other,
            How::Exceeds => one > other,
            How::Divides => other.checked_rem(one) == Some(0),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(one, how, other) = self;
        let how = match how {
            How::Equals => "=",
            How::Exceeds => ">",
            How::Divides if other.names.len() > 1 => "divides the count of",
            How::Divides => "divides",
        };
        write!(f, "{one} {how} {other}")
    }
}
