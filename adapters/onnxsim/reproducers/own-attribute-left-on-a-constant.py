"""onnxsim: a Constant gets an attribute of onnxsim's own, so onnxsim refuses a valid model of opset 5."""
import logging

import onnx.checker
import onnx.parser
import onnxsim

logging.disable()
model = onnx.parser.parse_model("""<ir_version: 4, opset_import: ["" : 5]> g (float[2, 3] data) => (float[A, B] reshaped)
    <int64 index = {0}, int64[1] last = {-1}> {
    dims = Shape(data)
    dim = Gather<axis = 0>(dims, index)
    first = Unsqueeze<axes = [0]>(dim)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}""")
onnx.checker.check_model(model, full_check=True)
try:
    onnxsim.simplify(model)
    print("not reproduced: onnxsim takes the model")
except RuntimeError as error:
    print("reproduced: onnxsim refuses a valid model:", str(error).splitlines()[0])
