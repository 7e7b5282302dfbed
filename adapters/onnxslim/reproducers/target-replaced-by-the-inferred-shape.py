"""onnxslim: a copied 0 of a computed target becomes a -1, so a valid model is refused."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[1] index = {0}, int64[1] last = {0}> {
    dims = Shape(data)
    first = Gather(dims, index)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}""")
feeds = {"data": np.zeros((3, 0), np.float32)}


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
print(f"{word}: [3, 0] to [0, 0], whose first value is computed, gives {before}, and {after} after onnxslim")
