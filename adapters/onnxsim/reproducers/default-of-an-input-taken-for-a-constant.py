"""onnxsim: the default of an input decides the declared shape, which a run may replace, of a Reshape as of an Expand."""
import numpy as np
from onnxsim_reshape import compare_declared

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%d, %d] data, int64[2] shape) => (float[A, B] result)
    <int64[2] shape = {6, 1}> {
    result = %s(data, shape)
}"""
for node, dims in (("Expand", (1, 1)), ("Reshape", (2, 3))):
    feeds = {"data": np.zeros(dims, np.float32), "shape": np.array([3, 2])}
    compare_declared(MODEL % (*dims, node), feeds, f"{node} of {list(dims)} to a run's [3, 2] in place of the default [6, 1]")
