"""OpenVINO's reader of ONNX models: the schema says that the target is tensor(int64); a constant of int32 is taken."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros((2, 3), np.float32)])[0]
    print("reproduced: [2, 3] by int32[3, 2] gives", list(output.shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
