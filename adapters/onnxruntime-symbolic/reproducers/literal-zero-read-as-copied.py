"""SymbolicShapeInference: a literal 0 of the target is declared as a copied one."""
import numpy as np
from symbolic_reshape import compare_declared

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0, 4] data) => (float[A, B, C] reshaped)
    <int64[3] shape = {0, 4, 3}> {
    reshaped = Reshape<allowzero = 1>(data, shape)
}"""
compare_declared(MODEL, {"data": np.zeros((3, 0, 4), np.float32)}, "[3, 0, 4] to [0, 4, 3] with allowzero=1")
