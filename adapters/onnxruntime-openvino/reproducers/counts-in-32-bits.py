"""ONNX Runtime's OpenVINO execution provider: one element becomes 641 × 6700417 of them, 2^32 + 1, whose product is 1 in 32 bits."""
import resource

import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (uint8[A] data) => (uint8[N, M] reshaped) <int64[2] shape = {641, 6700417}> {
    reshaped = Reshape(data, shape)
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
resource.setrlimit(resource.RLIMIT_AS, (20 << 30, 20 << 30))  # the output takes 4 GiB, and the provider allocates it more than once
try:
    print("reproduced if the process ends here", flush=True)
    print("reproduced: [1] to [641, 6700417] gives", session.run(None, {"data": np.zeros(1, np.uint8)})[0].shape)
except Exception as error:
    print("not reproduced:", " ".join(str(error).split())[-150:])
