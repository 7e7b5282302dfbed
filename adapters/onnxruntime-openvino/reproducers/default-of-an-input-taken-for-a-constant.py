"""ONNX Runtime's OpenVINO execution provider: what a run passes for an overridable initializer is ignored; the CPU provider takes it."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data, int64[2] shape) => (float[A, B] reshaped) <int64[2] shape = {2, 3}> {
    reshaped = Reshape(data, shape)
}"""
model = onnx.parser.parse_model(MODEL).SerializeToString()
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
feeds = {"data": np.zeros(6, np.float32), "shape": np.array([3, 2])}
session = ort.InferenceSession(model, providers=PROVIDERS)
print("overridable initializers:", [initializer.name for initializer in session.get_overridable_initializers()])
(output,) = session.run(None, feeds)
(other,) = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, feeds)
word = "not reproduced" if output.shape == (3, 2) else "reproduced"
print(f"{word}: with a default of [2, 3], a run that passes [3, 2] gives {output.shape}; the CPU provider gives {other.shape}")
