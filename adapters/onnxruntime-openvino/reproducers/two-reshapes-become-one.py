"""ONNX Runtime 1.24: two Reshapes in a row become one, in which a literal 0 of the second copies."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 0] data) => (float[N, M] reshaped) <int64[3] first = {2, 0, 1}, int64[2] second = {0, 4}> {
    middle = Reshape(data, first)
    reshaped = Reshape<allowzero=1>(middle, second)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.zeros((2, 0), np.float32)})
    print("not reproduced" if output.shape == (0, 4) else "reproduced", f"[2, 0] to [2, 0, 1] to [0, 4] gives {list(output.shape)}", sep=": ")
except Exception as error:
    print("reproduced:", " ".join(str(error).split())[-150:])
