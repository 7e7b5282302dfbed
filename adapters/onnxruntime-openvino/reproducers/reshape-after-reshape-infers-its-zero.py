"""ONNX Runtime's OpenVINO execution provider: of two Reshapes one after the other, with dynamic dims, a copied zero in the target of the second takes whatever length fits."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A] data) => (float[N, M] reshaped) <int64[2] first = {-1, 3}, int64[2] second = {0, 2}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros(6, np.float32)})
    print("reproduced: [6] to [-1, 3] to [0, 2] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
