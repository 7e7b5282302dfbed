"""onnxscript: with allowzero=-1, the declared output differs from what onnx's evaluator computes."""
import numpy as np
from onnxscript_reshape import compare_declared

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero = -1>(data, shape)
}"""
compare_declared(MODEL, {"data": np.zeros((3, 0), np.float32)}, "[3, 0] to [0, 0] with allowzero=-1")
