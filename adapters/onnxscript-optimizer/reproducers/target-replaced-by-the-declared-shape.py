"""onnxscript: the target of a run is dropped, and the declared shape of the output takes its place."""
import numpy as np
import onnx.checker
import onnx.parser
import onnx.printer
from onnx.reference import ReferenceEvaluator
from onnxscript import optimizer

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]>
    g (float[N] data, int64[1] shape) => (float[M] reshaped) {
    reshaped = Reshape(data, shape)
}""")
onnx.checker.check_model(model, full_check=True)
feeds = {"data": np.zeros(4, np.float32), "shape": np.array([5])}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except ValueError as error:
        return f"an error ({error})"


before = shape_or_error(model)
optimized = optimizer.optimize(model)  # the rule MaterializeReshapeShape
after = shape_or_error(optimized)
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [4] to [5] gives {before}, and {after} after the optimizer")
