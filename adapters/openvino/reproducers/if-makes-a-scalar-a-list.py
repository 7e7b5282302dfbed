"""OpenVINO CPU: an If of which one branch gives a scalar and the other a list gives a list of one element; no Reshape is involved."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data, bool condition) => (float chosen) {
    chosen = If(condition) <
        then_branch = sum () => (float total) { total = ReduceSum<keepdims = 0>(data) },
        else_branch = same () => (float[M] unchanged) { unchanged = Identity(data) }>
}"""
model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
output = ov.Core().compile_model(model, "CPU")([np.ones(3, np.float32), np.array(True)])[0]
word = "not reproduced" if output.shape == () else "reproduced"
print(f"{word}: the branch that gives the sum of all elements, a scalar, gives the shape {output.shape}")
