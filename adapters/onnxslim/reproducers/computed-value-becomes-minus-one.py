"""onnxslim: a computed value of the target becomes a -1. So an invalid model is accepted, and a valid one is refused."""
import numpy as np
from onnxslim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[1] index = {1}, int64[1] last = {0}> {
    dims = Shape(data)
    first = Gather(dims, index)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}"""
for dims in ((2, 3), (3, 0)):  # a computed 3 and a copied 3; two copied zeros
    compare(MODEL, {"data": np.zeros(dims, np.float32)}, f"{list(dims)} to {[dims[1], 0]}, whose first value is computed,")
