"""onnxsim: a Reshape that changes the shape is dropped where the dims of its data are not declared."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxsim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 7}> {
    wide = Cast<to = 11>(data)
    given = Cast<to = 1>(wide)
    reshaped = Reshape(given, shape)
}""")
feeds = {"data": np.zeros((0, 3), np.float32)}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
rewritten = onnxsim.simplify(model)[0]
print("after:", onnx.printer.to_text(rewritten.graph))
after = shape_or_error(rewritten)
word = "not reproduced" if after == before else "reproduced"
print(f"{word}: [0, 3] to [0, 7] gives {before}, and {after} after onnxsim")
