"""onnxsim: a value of the target that is computed from a dim becomes a -1, so an invalid model runs."""
import numpy as np
from onnxsim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[1] index = {1}, int64[1] last = {3}> {
    dims = Shape(data)
    first = Gather(dims, index)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}"""
compare(MODEL, {"data": np.zeros((2, 3), np.float32)}, "[2, 3] to [3, 3], whose first value is computed,")
