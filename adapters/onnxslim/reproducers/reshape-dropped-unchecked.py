"""onnxslim: a Reshape from one dim to one dim is dropped, whatever its target says."""
import numpy as np
from onnxslim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data) => (float[N] result)
    <int64[1] shape = {7}> {
    reshaped = Reshape(data, shape)
    result = Neg(reshaped)
}"""
compare(MODEL, {"data": np.zeros(6, np.float32)}, "[6] to [7]")
