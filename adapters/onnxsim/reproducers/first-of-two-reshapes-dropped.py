"""onnxsim: of two Reshapes in a row, the first is dropped, so its target [7, 1] for 6 elements is never seen."""
import numpy as np
from onnxsim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] reshaped)
    <int64[2] first = {7, 1}, int64[2] second = {6, 1}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""
compare(MODEL, {"data": np.zeros((2, 3), np.float32)}, "[2, 3] to [7, 1] to [6, 1]")
