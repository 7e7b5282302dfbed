"""onnxsim: onnxoptimizer writes a -1 for the value of a Concat that is no constant, so a valid model is refused."""
import numpy as np
from onnxsim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[1] index = {0}, int64[1] last = {0}> {
    dims = Shape(data)
    first = Gather(dims, index)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}"""
compare(MODEL, {"data": np.zeros((3, 0), np.float32)}, "[3, 0] to [0, 0], whose first value is computed,")
