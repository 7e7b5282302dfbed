"""tinygrad's ONNX front end: the schema says that the target is tensor(int64); a constant of int32 is taken."""
import os

os.environ["DEV"] = "PYTHON"
import numpy as np
import onnx.parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
runner = OnnxRunner(Tensor(onnx.parser.parse_model(MODEL).SerializeToString()))
try:
    output = runner({"data": np.zeros((2, 3), np.float32)})["reshaped"]
    print("reproduced: [2, 3] by int32[3, 2] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
