//! Tensors as bits: element types, shapes, packed storage, literals. No I/O, and no arithmetic on elements.

mod count;
mod dense;
mod element_type;
mod fill;
pub(crate) mod float;
pub(crate) mod literal;

pub use count::Count;
pub use dense::{Tensor, TensorError};
pub use element_type::ElementType;
pub(crate) use element_type::{Class, Representation};
pub use fill::Fill;

/// The dims of a shape, outermost first. Up to eight need no allocation: the oracle resolves millions of shapes.
pub type Shape = smallvec::SmallVec<[u64; 8]>;
