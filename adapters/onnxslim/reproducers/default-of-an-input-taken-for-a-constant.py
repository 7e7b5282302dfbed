"""onnxslim: the default of an input decides the declared shape, which a run may replace."""
import numpy as np
from onnxslim_reshape import compare_declared

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data, int64[2] shape) => (float[A, B] reshaped)
    <int64[2] shape = {6, 1}> {
    reshaped = Reshape(data, shape)
}"""
compare_declared(MODEL, {"data": np.zeros((2, 3), np.float32), "shape": np.array([3, 2])}, "[2, 3] to a run's [3, 2] in place of the default [6, 1]")
