"""ONNX Runtime's OpenVINO execution provider: one element becomes 641 × 6700417 of them, 2^32 + 1, whose product is 1 in 32 bits."""
import resource

import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A] data) => (float[N, M] reshaped) <int64[2] shape = {641, 6700417}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))  # less than the 16 GiB that the output takes
try:
    print("reproduced if the process ends here", flush=True)
    session.run(None, {"data": np.zeros(1, np.float32)})
    print("reproduced: accepted")
except Exception as error:
    text = " ".join(str(error).split())
    print("reproduced:" if "Failed to allocate" in text else "not reproduced:", text[-150:])
