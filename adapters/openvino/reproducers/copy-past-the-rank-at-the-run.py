"""OpenVINO's reader of ONNX models: a 0 at or past the rank has no dim to copy; in a target that arrives at the run, it is taken."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros(0, np.float32), np.array([0, 0])])[0]
    print("reproduced: [0] by [0, 0] gives", list(output.shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
