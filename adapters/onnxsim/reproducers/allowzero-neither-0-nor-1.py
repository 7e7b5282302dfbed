"""onnxsim: with allowzero=-1, the declared output differs from what onnx's evaluator computes."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxsim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero = -1>(data, shape)
}""")
feeds = {"data": np.zeros((3, 0), np.float32)}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
rewritten = onnxsim.simplify(model)[0]
print("after:", onnx.printer.to_text(rewritten.graph))
dims = rewritten.graph.output[0].type.tensor_type.shape.dim
declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
print(f"{'reproduced' if differs else 'not reproduced'}: [3, 0] to [0, 0] with allowzero=-1 gives {before}, and onnxsim declares {declared}")
