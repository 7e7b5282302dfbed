"""onnx.reference: the schema says that the target is tensor(int64); a constant of int32 is taken."""
import numpy as np
import onnx.parser
from onnx.reference import ReferenceEvaluator

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
evaluator = ReferenceEvaluator(onnx.parser.parse_model(MODEL))
try:
    (output,) = evaluator.run(None, {"data": np.zeros((2, 3), np.float32)})
    print("reproduced: [2, 3] by int32[3, 2] gives", list(output.shape))
except Exception as error:
    print("not reproduced:", error)
