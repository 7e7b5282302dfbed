"""onnxslim: a literal 0 of the target is read as a copied one, so a Reshape that changes the shape is dropped."""
import numpy as np
from onnxslim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}> {
    wide = Cast<to = 11>(data)
    given = Cast<to = 1>(wide)
    reshaped = Reshape<allowzero = 1>(given, shape)
}"""
compare(MODEL, {"data": np.zeros((3, 0), np.float32)}, "[3, 0] to [0, 0] with allowzero=1")
