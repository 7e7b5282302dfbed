"""onnxslim: of two Reshapes in a row, the first is dropped, and a 0 in the run's target copies from other data."""
import numpy as np
from onnxslim_reshape import compare

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data, int64[2] shape) => (float[A, B] reshaped)
    <int64[2] first = {%s}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, shape)
}"""
for data, first, shape in [((2, 3), "4, 2", (3, 2)), ((120,), "4, 30", (0, 30)), ((2, 3), "3, 2", (0, 0))]:
    feeds = {"data": np.zeros(data, np.float32), "shape": np.array(shape)}
    compare(MODEL % (", ".join(map(str, data)), first), feeds, f"{list(data)} to [{first}] to {list(shape)}")
