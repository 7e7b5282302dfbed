"""onnxscript: the target of a run is dropped, and the declared shape of the output takes its place. So a wrong count is accepted, and a valid target is refused where a declared dim is 0."""
import numpy as np
from onnxscript_reshape import compare

VALID = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[3, 0] data, int64[2] shape) => (float[K, 0] reshaped) {
    reshaped = Reshape<allowzero = 1>(data, shape)
}"""
INVALID = """<ir_version: 8, opset_import: ["" : 14]>
    g (float[N] data, int64[1] shape) => (float[M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
# The rule MaterializeReshapeShape does it.
compare(VALID, {"data": np.zeros((3, 0), np.float32), "shape": np.array([5, 0])}, "[3, 0] to [5, 0], declared [K, 0],")
compare(INVALID, {"data": np.zeros(4, np.float32), "shape": np.array([5])}, "[4] to [5]")
