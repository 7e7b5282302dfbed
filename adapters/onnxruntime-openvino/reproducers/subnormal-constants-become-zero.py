"""ONNX Runtime's OpenVINO execution provider: subnormal elements of constant data come out as zeros."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data, int64[2] shape) => (float[A, B] reshaped) <float[2] constant = {1e-45, 2.0}> {
    ignored = Shape(data)
    reshaped = Reshape(constant, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros(2, np.float32), "shape": np.array([1, 2])})
    got = output.ravel().tolist()
    print("not reproduced" if got[0] else "reproduced", f"1e-45 becomes {got[0]}", sep=": ")
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
