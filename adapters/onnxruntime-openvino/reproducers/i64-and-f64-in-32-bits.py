"""ONNX Runtime's OpenVINO execution provider: in a reshape of i64, the elements go through i32, and change."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (int64[1, 2] data) => (int64[N, M] reshaped) <int64[2] shape = {2, 1}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
try:
    (output,) = session.run(None, {"data": np.array([[2**53 + 1, 2**32]])})
    got = output.ravel().tolist()
    print("not reproduced" if got == [2**53 + 1, 2**32] else "reproduced", f"[{2**53 + 1}, {2**32}] becomes {got}", sep=": ")
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
