"""OpenVINO's reader of ONNX models: at opset 5, where a 0 always copies, [3, 0] with allowzero=1 becomes [0, 7]."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 5]> g (float[3, 0] data) => (float[N, M] reshaped) <int64[2] shape = {0, 7}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros((3, 0), np.float32)])[0]
    word = "reproduced" if output.shape == (0, 7) else "not reproduced"
    print(f"{word}: at opset 5, [3, 0] by [0, 7] with allowzero=1 gives {list(output.shape)}")
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
