//! Models as files: writing a request as a model, and reading the requests of a model.
//!
//! A malformed request is written exactly as it is, for the backend to reject. Field numbers and names are facts of the
//! formats. Each format has its own module, and no other layer knows it.

pub(crate) mod call;
pub(crate) mod found;
pub(crate) mod graph;
pub(crate) mod onednn_graph;
pub(crate) mod onnx;
pub(crate) mod openvino_ir;
pub(crate) mod sequences;
pub(crate) mod surroundings;
pub(crate) mod text;
