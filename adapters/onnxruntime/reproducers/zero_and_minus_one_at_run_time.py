"""ORT, allowzero=1: 0 together with -1 is refused as a constant target, and accepted (as [0, 3]) at run time."""
import numpy as np, onnxruntime as ort, onnx.parser
m = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 14]> g (float[0,3] data, int64[2] shape) => (float[N,M] reshaped) { reshaped = Reshape<allowzero=1>(data, shape) }')
s = ort.InferenceSession(m.SerializeToString())
print(s.run(None, {"data": np.zeros((0, 3), np.float32), "shape": np.array([0, -1])})[0].shape)
