"""onnxscript: the target of a run is dropped, and the declared shape of the output takes its place."""
import numpy as np
from onnxscript_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[N] data, int64[1] shape) => (float[M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
# The rule MaterializeReshapeShape does it.
compare(MODEL, {"data": np.zeros(4, np.float32), "shape": np.array([5])}, "[4] to [5]")
