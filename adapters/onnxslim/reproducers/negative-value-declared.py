"""onnxslim: a value below -1 becomes a dim of the declared output."""
import numpy as np
from onnxslim_reshape import compare_declared

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 12] data) => (float[A, B] reshaped)
    <int64[2] shape = {2, -2}> {
    reshaped = Reshape(data, shape)
}"""
compare_declared(MODEL, {"data": np.zeros((2, 12), np.float32)}, "[2, 12] to [2, -2]")
