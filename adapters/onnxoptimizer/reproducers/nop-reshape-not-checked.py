"""onnxoptimizer: one pass drops a Reshape that must be refused, because it takes the target for the shape of the data."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxoptimizer
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[N] data) => (float[M] result)
    <int64[1] shape = {0}> {
    reshaped = Reshape<allowzero = 1>(data, shape)
    result = Neg(reshaped)
}""")


def shape_or_error(of):
    try:
        return ReferenceEvaluator(of).run(None, {"data": np.zeros(1, np.float32)})[0].shape
    except ValueError as error:
        return f"an error ({error})"


optimized = onnxoptimizer.optimize(model, ["eliminate_nop_reshape"])
before, after = shape_or_error(model), shape_or_error(optimized)
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [1] to [0] with allowzero=1 gives {before}, and {after} after eliminate_nop_reshape")
