//! Models that a runtime loads ready-made: a request written as ONNX or as OpenVINO IR.
//!
//! A malformed request is written as it stands, for the backend to refuse. Field numbers and names are facts of the
//! formats; each format has its file, and no other room knows it.

pub(crate) mod onnx;
pub(crate) mod openvino_ir;
