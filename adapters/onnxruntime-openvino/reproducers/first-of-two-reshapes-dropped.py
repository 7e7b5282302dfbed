"""ONNX Runtime drops the first of two Reshapes in a row before the OpenVINO execution provider sees them, so a first target of [7] for 6 elements is never seen."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[6] reshaped)
<int64[1] seven = {7}, int64[1] six = {6}> {
    middle = Reshape(data, seven)
    reshaped = Reshape(middle, six)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
try:
    session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32)})
    print("reproduced: [2, 3] to [7] to [6] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
