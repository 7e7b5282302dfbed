"""onnxscript: of two Reshapes in a row, the first is dropped, and the 0 of the second becomes a -1, where the dim that it copies is not inferred."""
import numpy as np
from onnxscript_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[N, M] data, int64[2] first) => (float[A, B] reshaped) <int64[2] second = {0, 2}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""
CONSTANT = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[N, M] data) => (float[A, B] reshaped) <int64[2] first = {-1, 3}, int64[2] second = {0, 2}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""
# The rule ReshapeReshape does it.
compare(MODEL, {"data": np.zeros((3, 2), np.float32), "first": np.array([2, 3])}, "[3, 2] to a run's [2, 3] to [0, 2]")
compare(CONSTANT, {"data": np.zeros((3, 2), np.float32)}, "[3, 2] to a constant [-1, 3] to [0, 2]")
