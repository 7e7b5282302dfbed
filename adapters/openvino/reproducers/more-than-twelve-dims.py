"""OpenVINO CPU: data of 13 dims in a Loop ends the process; no Reshape is involved, and 12 dims are accepted."""
import numpy as np
import onnx.parser
import openvino as ov


def run(rank):
    dims = ", ".join(["1"] * rank)
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[{dims}] data) => (float[{dims}] same)
    <int64 iterations = {{2}}, bool condition = {{1}}> {{
        same = Loop(iterations, condition, data) <
            body = once (int64 i, bool going, float[{dims}] before) => (bool goes_on, float[{dims}] after) {{
                goes_on = Identity(going)
                after = Identity(before)
            }}>
    }}"""
    model = ov.Core().read_model(onnx.parser.parse_model(model).SerializeToString())
    return ov.Core().compile_model(model, "CPU")([np.ones([1] * rank, np.float32)])[0].shape


print("12 dims in a Loop give", len(run(12)))
print("reproduced if the process ends here", flush=True)
print("not reproduced: 13 dims in a Loop give", len(run(13)))
