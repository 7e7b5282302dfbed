"""SymbolicShapeInference: the default of an input decides the declared shape, which a run may replace."""
import numpy as np
import onnx.parser
import onnx.printer
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
from onnx.reference import ReferenceEvaluator

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data, int64[2] shape) => (float[A, B] reshaped)
    <int64[2] shape = {6, 1}> {
    reshaped = Reshape(data, shape)
}""")
feeds = {"data": np.zeros((2, 3), np.float32), "shape": np.array([3, 2])}


def shape_or_error(of):
    try:
        return list(ReferenceEvaluator(of).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"


before = shape_or_error(model)
print("before:", onnx.printer.to_text(model.graph))
rewritten = SymbolicShapeInference.infer_shapes(model)
print("after:", onnx.printer.to_text(rewritten.graph))
dims = rewritten.graph.output[0].type.tensor_type.shape.dim
declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
print(f"{'reproduced' if differs else 'not reproduced'}: [2, 3] to a run's [3, 2] in place of the default [6, 1] gives {before}, and SymbolicShapeInference declares {declared}")
