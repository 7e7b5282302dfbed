"""OpenVINO's reader of ONNX models: a target that arrives at the run copies a dim from a scalar, which has none."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros((), np.float32), np.array([0, 1])])[0]
    print("reproduced: a scalar by [0, 1] gives", list(output.shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
