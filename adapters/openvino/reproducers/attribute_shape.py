"""A Reshape of opset 14 without its second input, but with the attribute `shape` of opset 1: OpenVINO reads the attribute.

Needs the onnx package beside openvino: run it with PYTHONPATH set to the packages of the environment of onnx-reference.
"""

import numpy
import onnx.helper
import onnx.parser
import openvino

model = onnx.parser.parse_model(
    '<ir_version: 7, opset_import: ["": 14]> g (float[2, 3] data) => (float[3, 2] out) { out = Reshape <shape = [3, 2]> (data) }'
)
with open("/tmp/attribute_shape.onnx", "wb") as file:
    file.write(model.SerializeToString())
compiled = openvino.Core().compile_model("/tmp/attribute_shape.onnx", "CPU")
print("got", compiled([numpy.zeros((2, 3), numpy.float32)])[0].shape, "where the node has no target: to be rejected")
