//! oneDNN StaticReshape.

mod guide;
mod shared;
mod spec;

pub(in crate::spec::operator) use guide::ONEDNN_GUIDE;
pub(in crate::spec::operator) use spec::ONEDNN_SPEC_1;
