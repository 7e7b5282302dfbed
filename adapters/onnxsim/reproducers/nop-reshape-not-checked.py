"""onnxsim: a Reshape that changes the shape is dropped where the dims of its data are not declared."""
import numpy as np
from onnxsim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 7}> {
    wide = Cast<to = 11>(data)
    given = Cast<to = 1>(wide)
    reshaped = Reshape(given, shape)
}"""
compare(MODEL, {"data": np.zeros((0, 3), np.float32)}, "[0, 3] to [0, 7]")
