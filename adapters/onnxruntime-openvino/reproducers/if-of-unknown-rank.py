"""ONNX Runtime's OpenVINO execution provider refuses a model with an If whose output has a rank that is not known."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data, int64[R] shape, bool condition) => (float[A, B] reshaped) {
    reshaped = If(condition) <
        then_branch = one () => (float[A, B] tested) { tested = Reshape(data, shape) },
        else_branch = other () => (float[N] unchanged) { unchanged = Identity(data) }>
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
try:
    session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
    feeds = {"data": np.zeros(6, np.float32), "shape": np.array([2, 3]), "condition": np.array(True)}
    (output,) = session.run(None, feeds)
    print("not reproduced: [6] to [2, 3] gives", list(output.shape))
except Exception as error:
    print("reproduced:", " ".join(str(error).split())[-200:])
