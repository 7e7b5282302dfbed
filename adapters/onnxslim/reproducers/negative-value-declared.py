"""onnxslim: a value below -1 becomes a dim of the declared output."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[2, 12] data) => (float[A, B] reshaped)
    <int64[2] shape = {2, -2}> {
    reshaped = Reshape(data, shape)
}""")
feeds = {"data": np.zeros((2, 12), np.float32)}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
rewritten = onnxslim.slim(model)
print("after:", onnx.printer.to_text(rewritten.graph))
dims = rewritten.graph.output[0].type.tensor_type.shape.dim
declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
print(f"{'reproduced' if differs else 'not reproduced'}: [2, 12] to [2, -2] gives {before}, and onnxslim declares {declared}")
