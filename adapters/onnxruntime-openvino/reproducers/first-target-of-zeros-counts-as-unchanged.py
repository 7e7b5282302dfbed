"""ONNX Runtime's OpenVINO execution provider: of constant data, a target of two or more zeros alone is refused at the first run."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data, int64[2] shape) => (float[A, B] reshaped) <float[1, 2] constant = {1.0, 2.0}> {
    ignored = Shape(data)
    reshaped = Reshape(constant, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros(2, np.float32), "shape": np.array([0, 0])})
    print("not reproduced: [1, 2] to [0, 0] gives", list(output.shape))
except Exception as error:
    print("reproduced:", " ".join(str(error).split())[-150:])
