//! Families: the specifications that operators belong to.

use crate::names::named_enum;

named_enum! {
    /// The specification of an operator: the part of its name before the dot.
    pub enum Family, "family" {
        /// ONNX, domain `ai.onnx`.
        Onnx = "onnx",
        /// OpenVINO opset.
        Openvino = "openvino",
        /// The oneDNN Graph specification.
        OnednnSpec = "onednn-spec",
        /// The oneDNN developer guide.
        Onednn = "onednn",
    }
}
