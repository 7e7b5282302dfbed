"""SymbolicShapeInference: a constant scalar raises a TypeError."""
import numpy as np
import onnx.parser
from symbolic_reshape import rewritten, shape_or_error

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float data) => (float reshaped)
    <float given = {1}, int64[0] shape = {}> {
    dims = Shape(data)
    reshaped = Reshape(given, shape)
}""")
before = shape_or_error(model, {"data": np.zeros((), np.float32)})
try:
    rewritten(model)
    print(f"not reproduced: a constant scalar to [] gives {before}, and SymbolicShapeInference does not refuse it")
except Exception as error:
    print(f"reproduced: a constant scalar to [] gives {before}, and SymbolicShapeInference refuses it: {type(error).__name__}: {error}")
