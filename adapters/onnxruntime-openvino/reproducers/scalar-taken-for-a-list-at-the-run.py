"""ONNX Runtime's OpenVINO execution provider: where the target arrives at the run, a 0 copies a 1 from a scalar."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float data, int64[2] shape) => (float[N, M] reshaped) <int64[2] same = {0, 0}> {
    middle = Reshape(data, shape)
    reshaped = Reshape(middle, same)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((), np.float32), "shape": np.array([0, 1])})
    print("reproduced: [] to [0, 1] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
