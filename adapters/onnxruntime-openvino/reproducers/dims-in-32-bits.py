"""ONNX Runtime's OpenVINO execution provider: a value of a constant target beyond 32 bits becomes 2^31-1."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M] reshaped) <int64[2] shape = {-1, 4294967298}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((0, 3), np.float32)})
    good = output.shape == (0, 4294967298)
    print("not reproduced" if good else "reproduced", f"[0, 3] to [-1, 4294967298] gives {list(output.shape)}", sep=": ")
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
