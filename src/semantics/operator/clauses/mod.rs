//! The clause tables: every normative statement of every operator's text, in our own words, in groups that sister
//! versions share.

mod onednn;
mod onnx;
mod openvino;
mod shared;

pub(super) use onednn::{ONEDNN_GUIDE, ONEDNN_SPEC_1};
pub(super) use onnx::{
    ONNX_1, ONNX_5, ONNX_13, ONNX_14, ONNX_19, ONNX_21, ONNX_23, ONNX_24, ONNX_25,
};
pub(super) use openvino::OPENVINO_1;
