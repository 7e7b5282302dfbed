//! The ONNX model of a request, for backends written in Rust.

use crate::model::onnx;
use crate::semantics::operator::Binding;
use crate::semantics::request::Request;

/// The ONNX model (a serialized ModelProto) of a request. Its graph inputs are `data` and, for a runtime target,
/// `shape`; its output is `reshaped`.
#[must_use]
pub fn onnx_model(request: &Request, binding: Binding) -> Vec<u8> {
    onnx::model(request, binding)
}
