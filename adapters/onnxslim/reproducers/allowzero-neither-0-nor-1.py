"""onnxslim: with allowzero=-1, the declared output differs from what onnx's evaluator computes."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxslim
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 19]> g (float[3, 0] data) => (float[A, B] reshaped)
    <int64[2] shape = {0, 0}, float scale = {1}, int8 zero = {0}> {
    quantised = QuantizeLinear(data, scale, zero)
    given = DequantizeLinear(quantised, scale, zero)
    reshaped = Reshape<allowzero = -1>(given, shape)
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
dims = rewritten.graph.output[0].type.tensor_type.shape.dim
declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
print(f"{'reproduced' if differs else 'not reproduced'}: [3, 0] to [0, 0] with allowzero=-1, after DequantizeLinear, gives {before}, and onnxslim declares {declared}")
