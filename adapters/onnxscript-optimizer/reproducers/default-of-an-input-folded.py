"""onnxscript: an initializer that is also a graph input is taken for a constant, though a run may pass another value."""
import numpy as np
from onnxscript_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[1, 6] data, int64[2] shape = {1, 6}) => (float[A, B] reshaped) {
    reshaped = Reshape(data, shape)
}"""
compare(MODEL, {"data": np.zeros((1, 6), np.float32), "shape": np.array([6, 1])}, "a run that passes [6, 1]")
