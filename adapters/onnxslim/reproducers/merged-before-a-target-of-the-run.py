"""onnxslim: of two Reshapes in a row, the first is dropped, and a 0 in the run's target copies from other data."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[120] data, int64[2] shape) => (float[A, B] reshaped)
    <int64[2] first = {4, 30}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, shape)
}""")
feeds = {"data": np.zeros(120, np.float32), "shape": np.array([0, 30])}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
rewritten = onnxslim.slim(model)
print("after:", onnx.printer.to_text(rewritten.graph))
after = shape_or_error(rewritten)
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [120] to [4, 30] to [0, 30] gives {before}, and {after} after onnxslim")
