"""onnxoptimizer: of two Reshapes in a row, one pass drops the first, and the 0 of the second copies from other data."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxoptimizer
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[1, 3, 2] data) => (float[N, M] reshaped)
    <int64[2] first = {3, 2}, int64[2] second = {0, -1}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}""")
optimized = onnxoptimizer.optimize(model, ["eliminate_consecutive_idempotent_ops"])
before, after = (
    ReferenceEvaluator(of).run(None, {"data": np.zeros((1, 3, 2), np.float32)})[0].shape for of in (model, optimized)
)
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [1, 3, 2] to [3, 2] to [0, -1] gives {before}, and {after} after eliminate_consecutive_idempotent_ops")
