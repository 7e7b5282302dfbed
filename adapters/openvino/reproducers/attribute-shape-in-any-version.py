"""OpenVINO's reader of ONNX models: at opset 14, a node without its target takes it from the attribute shape, which only version 1 has."""
import numpy as np
import onnx.parser
import openvino as ov

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) {
    reshaped = Reshape<shape=[3, 2]>(data)
}"""
try:
    model = ov.Core().read_model(onnx.parser.parse_model(MODEL).SerializeToString())
    output = ov.Core().compile_model(model, "CPU")([np.zeros((2, 3), np.float32)])[0]
    print("reproduced: at opset 14, without a target, [2, 3] gives", list(output.shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
