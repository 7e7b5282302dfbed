"""onnxscript: an initializer that is also a graph input is taken for a constant, though a run may pass another value."""
import numpy as np
import onnx.checker
import onnx.parser
import onnx.printer
from onnx.reference import ReferenceEvaluator
from onnxscript import optimizer

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]>
    g (float[1, 6] data, int64[2] shape = {1, 6}) => (float[A, B] reshaped) {
    reshaped = Reshape(data, shape)
}""")
onnx.checker.check_model(model, full_check=True)
feeds = {"data": np.zeros((1, 6), np.float32), "shape": np.array([6, 1])}
before = ReferenceEvaluator(model).run(None, feeds)[0].shape
optimized = optimizer.optimize(model)
after = ReferenceEvaluator(optimized).run(None, feeds)[0].shape
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: a run that passes [6, 1] gives {before}, and {after} after the optimizer")
