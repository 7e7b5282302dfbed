"""ONNX Runtime's OpenVINO execution provider: in a reshape of f16, signalling NaNs become quiet."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float16[1, 2] data) => (float16[N, M] reshaped) <int64[2] shape = {2, 1}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.array([[0x7C01, 1]], np.uint16).view(np.float16)})
    got = output.view(np.uint16).ravel()[0]
    print("not reproduced" if got == 0x7C01 else "reproduced", f"0x7c01 becomes 0x{got:04x}", sep=": ")
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
