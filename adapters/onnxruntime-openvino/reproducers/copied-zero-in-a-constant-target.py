"""ONNX Runtime's OpenVINO execution provider: in a constant target, a copied 0 is not compared with the data's count."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {3, 0}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((2, 3), np.float32)})
    print("reproduced: [2, 3] to [3, 0] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
