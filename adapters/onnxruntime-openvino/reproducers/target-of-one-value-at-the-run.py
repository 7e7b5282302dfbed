"""ONNX Runtime's OpenVINO execution provider: a target of one value that arrives at the run is not looked at."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data, int64[1] shape) => (float[N] reshaped) <int64[1] same = {0}> {
    middle = Reshape(data, shape)
    reshaped = Reshape(middle, same)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32), "shape": np.array([5])})
    print("reproduced: [2, 3] to [5] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
