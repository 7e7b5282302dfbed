"""onnxslim: a literal 0 of the target is read as a copied one, so a Reshape that changes the shape is dropped."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}> {
    wide = Cast<to = 11>(data)
    given = Cast<to = 1>(wide)
    reshaped = Reshape<allowzero = 1>(given, shape)
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
print(f"{word}: [3, 0] to [0, 0] with allowzero=1 gives {before}, and {after} after onnxslim")
