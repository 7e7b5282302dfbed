"""ONNX Runtime's saved model, allowzero=1: a 0 beside a -1 is refused in a constant target, and accepted in one that arrives at the run."""
import numpy as np
from offline_reshape import optimized

session = optimized("""<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape<allowzero=1>(data, shape)
}""")
try:
    (output,) = session.run(None, {"data": np.zeros((0, 3), np.float32), "shape": np.array([0, -1])})
    print("reproduced: accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced:", error)
