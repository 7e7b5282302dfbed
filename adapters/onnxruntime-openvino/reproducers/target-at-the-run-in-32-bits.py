"""ONNX Runtime's OpenVINO execution provider: of a value of a target that arrives at the run, the low 32 bits count."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data, int64[2] shape) => (float[N, M] reshaped) <int64[2] same = {0, 0}> {
    middle = Reshape(data, shape)
    reshaped = Reshape(middle, same)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32), "shape": np.array([2, 2**32 + 3])})
    print("reproduced: [2, 3] to [2, 4294967299] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
