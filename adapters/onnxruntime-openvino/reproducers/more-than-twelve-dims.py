"""ONNX Runtime's OpenVINO execution provider: a Reshape to 13 dims in a Loop ends the process; 12 dims are accepted."""
import numpy as np
import onnx.parser
import onnxruntime as ort


def run(rank):
    dims, ones = ", ".join("?" * rank), ", ".join(["1"] * rank)
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[1] data) => (float[{dims}] reshaped)
    <int64[{rank}] shape = {{{ones}}}, int64 iterations = {{2}}, bool condition = {{1}}> {{
        reshaped = Loop(iterations, condition, data) <
            body = once (int64 i, bool going, float[] before) => (bool goes_on, float[] after) {{
                after = Reshape(data, shape)
                goes_on = Identity(going)
            }}>
    }}"""
    model = onnx.parser.parse_model(model).SerializeToString()
    providers = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
    return ort.InferenceSession(model, providers=providers).run(None, {"data": np.ones(1, np.float32)})[0].shape


print("12 dims in a Loop give", len(run(12)))
print("reproduced if the process ends here", flush=True)
print("not reproduced: 13 dims in a Loop give", len(run(13)))
