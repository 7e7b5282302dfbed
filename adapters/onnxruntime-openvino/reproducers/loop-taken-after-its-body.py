"""ONNX Runtime's OpenVINO execution provider takes a node in the body of a Loop, and then the Loop, and refuses what it made itself."""
import numpy as np
import onnx.parser
import onnxruntime as ort

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[1] data) => (float[1] twice)
<int64 iterations = {2}, bool condition = {1}> {
    twice = Loop(iterations, condition, data) <
        body = once (int64 i, bool going, float[1] before) => (bool goes_on, float[1] after) {
            goes_on = Identity(going)
            after = Neg(before)
        }>
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
try:
    session = ort.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), providers=PROVIDERS)
    (output,) = session.run(None, {"data": np.ones(1, np.float32)})
    print("not reproduced: 1, negated twice, gives", output[0])
except Exception as error:
    print("reproduced:", " ".join(str(error).split())[-140:])
