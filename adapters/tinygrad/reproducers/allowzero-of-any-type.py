"""tinygrad's ONNX front end: the schema says that allowzero is an integer; a float is taken, and counts as set."""
import os

os.environ["DEV"] = "PYTHON"
import numpy as np
import onnx.parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[N, M] reshaped) <int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
runner = OnnxRunner(Tensor(onnx.parser.parse_model(MODEL).SerializeToString()))
try:
    output = runner({"data": np.zeros((3, 0), np.float32)})["reshaped"]
    print("reproduced: [3, 0] to [0, 0] with allowzero=1.0 gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
