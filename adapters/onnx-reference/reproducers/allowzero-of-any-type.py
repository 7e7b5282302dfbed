"""onnx.reference, allowzero=1.0: the schema says that the attribute is an integer; a float is taken, and counts as set."""
import numpy as np
import onnx.parser
from onnx.reference import ReferenceEvaluator

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
evaluator = ReferenceEvaluator(onnx.parser.parse_model(MODEL))
try:
    (output,) = evaluator.run(None, {"data": np.zeros((0, 3), np.float32), "shape": np.array([3, 0])})
    print("reproduced: [0, 3] by [3, 0] with allowzero=1.0 gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
