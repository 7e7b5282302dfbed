"""onnxslim: the shape of the output takes the place of the run's target. So the model loses that input, and an invalid target is accepted."""
import numpy as np
import onnx.parser
from onnxslim_reshape import compare, slimmed

VALID = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data, int64[2] shape) => (float[3, 2] reshaped) {
    reshaped = Reshape(data, shape)
}"""
INVALID = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data, int64[1] shape) => (float[N] reshaped) {
    reshaped = Reshape(data, shape)
}"""
model = onnx.parser.parse_model(VALID)
before, after = ([of.name for of in graph.input] for graph in (model.graph, slimmed(model).graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [2, 3] to a run's [3, 2]: a run passes {before} to the model, and {after} after onnxslim; ONNX Runtime refuses any other input")
compare(INVALID, {"data": np.zeros((2, 3), np.float32), "shape": np.array([7])}, "[2, 3] to a run's [7]")
