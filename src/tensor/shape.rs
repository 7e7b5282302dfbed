//! A shape without an allocation, up to eight dims: the oracle is asked for millions of them.

use std::fmt;
use std::ops::Deref;

/// The dims of a shape, outermost first.
#[derive(Clone)]
pub struct Shape(Dims);

#[derive(Clone)]
enum Dims {
    /// The first so many of these.
    Few(usize, [u64; Shape::FEW]),
    Many(Vec<u64>),
}

impl Shape {
    /// The most dims that take no allocation.
    pub(crate) const FEW: usize = 8;

    /// The first `rank` of these dims.
    pub(crate) fn of_few(rank: usize, dims: [u64; Self::FEW]) -> Self {
        Self(Dims::Few(rank.min(Self::FEW), dims))
    }
}

impl Deref for Shape {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match &self.0 {
            Dims::Few(rank, dims) => &dims[..*rank],
            Dims::Many(dims) => dims,
        }
    }
}

impl From<Vec<u64>> for Shape {
    fn from(dims: Vec<u64>) -> Self {
        Self(Dims::Many(dims))
    }
}

impl From<Shape> for Vec<u64> {
    fn from(shape: Shape) -> Self {
        match shape.0 {
            Dims::Few(rank, dims) => dims[..rank].to_vec(),
            Dims::Many(dims) => dims,
        }
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Shape {}

/// As a list.
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
