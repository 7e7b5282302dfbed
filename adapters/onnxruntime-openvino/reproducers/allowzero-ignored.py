"""ONNX Runtime's OpenVINO execution provider: with allowzero=1, a 0 in a target that arrives at the run copies all the same."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data, int64[2] shape) => (float[N, M] reshaped) <int64[2] same = {0, 0}> {
    middle = Reshape<allowzero=1>(data, shape)
    reshaped = Reshape(middle, same)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32), "shape": np.array([0, 3])})
    print("reproduced: [2, 3] to [0, 3] with allowzero=1 gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
