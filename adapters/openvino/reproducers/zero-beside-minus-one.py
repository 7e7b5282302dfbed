"""OpenVINO's reader of ONNX models: with allowzero=1, a 0 beside a -1 is an error; of data with dims known before, it is taken."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, -1}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros((0, 3), np.float32)])[0]
    print("reproduced: [0, 3] by [0, -1] with allowzero=1 gives", list(output.shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
