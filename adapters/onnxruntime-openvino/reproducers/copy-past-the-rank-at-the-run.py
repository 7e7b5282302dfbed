"""ONNX Runtime's OpenVINO execution provider: in a target that arrives at the run, a 0 past the rank of empty data is a length of 0."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data, int64[3] shape) => (float[N, M, O] reshaped) <int64[3] same = {0, 0, 0}> {
    middle = Reshape(data, shape)
    reshaped = Reshape(middle, same)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((0, 2), np.float32), "shape": np.array([2, 0, 0])})
    print("reproduced: [0, 2] to [2, 0, 0] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
