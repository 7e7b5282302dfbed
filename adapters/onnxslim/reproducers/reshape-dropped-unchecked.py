"""onnxslim: a Reshape from one dim to one dim is dropped, whatever its target says."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[6] data) => (float[N] result)
    <int64[1] shape = {7}> {
    reshaped = Reshape(data, shape)
    result = Neg(reshaped)
}""")
feeds = {"data": np.zeros(6, np.float32)}


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
print(f"{word}: [6] to [7] gives {before}, and {after} after onnxslim")
