"""tinygrad's ONNX front end: at opset 14, a node without its target takes it from the attribute shape, which only version 1 has."""
import os

os.environ["DEV"] = "PYTHON"
import numpy as np
import onnx.parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) {
    reshaped = Reshape<shape=[3, 2]>(data)
}"""
runner = OnnxRunner(Tensor(onnx.parser.parse_model(MODEL).SerializeToString()))
try:
    output = runner({"data": np.zeros((2, 3), np.float32)})["reshaped"]
    print("reproduced: at opset 14, without a target, [2, 3] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
