"""onnxslim: of two Reshapes in a row, the first is dropped, and a 0 in the run's target copies from other data."""
import numpy as np
from onnxslim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[120] data, int64[2] shape) => (float[A, B] reshaped)
    <int64[2] first = {4, 30}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, shape)
}"""
compare(MODEL, {"data": np.zeros(120, np.float32), "shape": np.array([0, 30])}, "[120] to [4, 30] to [0, 30]")
