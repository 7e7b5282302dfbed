"""onnxscript: of two Reshapes in a row, the first is dropped, and the 0 of the second becomes a -1."""
import numpy as np
import onnx.checker
import onnx.parser
import onnx.printer
from onnx.reference import ReferenceEvaluator
from onnxscript import optimizer

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]>
    g (float[N, M] data, int64[2] first) => (float[A, B] reshaped) <int64[2] second = {0, 2}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}""")
onnx.checker.check_model(model)
feeds = {"data": np.zeros((3, 2), np.float32), "first": np.array([2, 3])}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except ValueError as error:
        return f"an error ({error})"


before = shape_or_error(model)
optimized = optimizer.optimize(model)  # the rule ReshapeReshape
after = shape_or_error(optimized)
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [3, 2] to [2, 3] to [0, 2] gives {before}, and {after} after the optimizer")
