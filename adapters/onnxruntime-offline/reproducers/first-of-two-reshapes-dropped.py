"""ONNX Runtime's optimizer drops the first of two Reshapes in a row, so its target [7] for 6 elements is not in the saved model."""
import numpy as np
from offline_reshape import optimized

try:
    session = optimized("""<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[6] reshaped)
    <int64[1] seven = {7}, int64[1] six = {6}> {
        middle = Reshape(data, seven)
        reshaped = Reshape(middle, six)
    }""")
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32)})
    print("reproduced: [2, 3] to [7] to [6] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
