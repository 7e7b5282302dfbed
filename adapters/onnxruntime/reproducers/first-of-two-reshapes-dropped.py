"""ONNX Runtime: of two Reshapes in a row, the first is dropped, so its target [7] for 6 elements is never seen."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[6] reshaped)
<int64[1] seven = {7}, int64[1] six = {6}> {
    middle = Reshape(data, seven)
    reshaped = Reshape(middle, six)
}"""
try:
    session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString())
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32)})
    print("reproduced: [2, 3] to [7] to [6] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
