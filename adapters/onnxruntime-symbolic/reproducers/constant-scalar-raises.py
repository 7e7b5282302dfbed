"""SymbolicShapeInference: a constant scalar raises a TypeError."""
import numpy as np
import onnx.parser
import onnx.printer
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float data) => (float reshaped)
    <float given = {1}, int64[0] shape = {}> {
    dims = Shape(data)
    reshaped = Reshape(given, shape)
}""")
feeds = {"data": np.zeros((), np.float32)}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
try:
    rewritten = SymbolicShapeInference.infer_shapes(model)
except Exception as error:
    print(f"reproduced: a constant scalar to [] gives {before}, and SymbolicShapeInference refuses it: {type(error).__name__}: {error}")
    raise SystemExit
print("after:", onnx.printer.to_text(rewritten.graph))
print(f"not reproduced: a constant scalar to [] gives {before}, and SymbolicShapeInference does not refuse it")
