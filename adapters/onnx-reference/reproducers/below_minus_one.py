"""onnx.reference and numpy.reshape read any negative as -1 (onnx shape inference and ORT refuse it)."""
import numpy as np; from onnx import parser; from onnx.reference import ReferenceEvaluator
m = parser.parse_model('<ir_version: 8, opset_import: ["" : 14]> g (float[2,3] data, int64[2] shape) => (float[N,M] reshaped) { reshaped = Reshape(data, shape) }')
print(ReferenceEvaluator(m).run(None, {"data": np.zeros((2, 3), np.float32), "shape": np.array([-5, 3])})[0].shape, np.zeros((2, 3)).reshape(-5, 3).shape)
