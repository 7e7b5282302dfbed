"""ORT, allowzero=2: the graph's output is inferred as [0, 0], where the zeros are literal, and the run gives [3, 0], where they copy."""
import numpy as np, onnxruntime as ort, onnx.parser
m = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 14]> g (float[3,0] data) => (float[N,M] reshaped) <int64[2] shape = {0, 0}> { reshaped = Reshape<allowzero=2>(data, shape) }')
s = ort.InferenceSession(m.SerializeToString())
print(s.get_outputs()[0].shape, s.run(None, {"data": np.zeros((3, 0), np.float32)})[0].shape)
