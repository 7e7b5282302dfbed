"""ONNX Runtime's OpenVINO execution provider, allowzero=2: the graph's output is inferred as [0, 0] (zeros are literal), the run gives [3, 0] (zeros copy)."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[N, M] reshaped)
<int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero=2>(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
inferred = session.get_outputs()[0].shape
(output,) = session.run(None, {"data": np.zeros((3, 0), np.float32)})
verdict = "not reproduced" if list(output.shape) == inferred else "reproduced"
print(f"{verdict}: inferred {inferred}, then gave {list(output.shape)}")
