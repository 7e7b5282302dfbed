"""onnxslim: with allowzero=-1, the declared output differs from what onnx's evaluator computes."""
import numpy as np
from onnxslim_reshape import compare_declared

MODEL = """<ir_version: 9, opset_import: ["" : 19]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}, float scale = {1}, int8 zero = {0}> {
    quantised = QuantizeLinear(data, scale, zero)
    given = DequantizeLinear(quantised, scale, zero)
    reshaped = Reshape<allowzero = -1>(given, shape)
}"""
compare_declared(MODEL, {"data": np.zeros((3, 0), np.float32)}, "[3, 0] to [0, 0] with allowzero=-1, after DequantizeLinear,")
