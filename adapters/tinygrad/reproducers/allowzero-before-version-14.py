"""tinygrad's ONNX front end: at opset 5, where a 0 always copies, [3, 0] with allowzero=1 becomes [0, 7]."""
import os

os.environ["DEV"] = "PYTHON"
import numpy as np
import onnx.parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

MODEL = """<ir_version: 8, opset_import: ["" : 5]> g (float[3, 0] data) => (float[N, M] reshaped) <int64[2] shape = {0, 7}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
runner = OnnxRunner(Tensor(onnx.parser.parse_model(MODEL).SerializeToString()))
try:
    output = runner({"data": np.zeros((3, 0), np.float32)})["reshaped"]
    print("reproduced: at opset 5, [3, 0] by [0, 7] with allowzero=1 gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
