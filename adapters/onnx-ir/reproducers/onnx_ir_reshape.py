"""What the reproducers share: rewrites a model, shows both graphs, and compares what they say with what a run gives."""
import onnx.parser
import onnx.printer
import onnx_ir
from onnx_ir.passes.common import ShapeInferencePass
from onnx.reference import ReferenceEvaluator


def rewritten(model):
    """What onnx_ir's ShapeInferencePass makes of the model. Prints both graphs."""
    print("before:", onnx.printer.to_text(model.graph))
    after = onnx_ir.to_proto(ShapeInferencePass()(onnx_ir.from_proto(model)).model)
    print("after:", onnx.printer.to_text(after.graph))
    return after


def compare_declared(text, feeds, inputs):
    """Prints whether the declared shape contradicts the one that a run gives. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    before = shape_or_error(model, feeds)
    dims = rewritten(model).graph.output[0].type.tensor_type.shape.dim
    declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
    differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
    print(f"{'reproduced' if differs else 'not reproduced'}: {inputs} gives {before}, and onnx_ir's ShapeInferencePass declares {declared}")


def shape_or_error(model, feeds):
    """The shape that onnx's evaluator gives, or its error in words."""
    try:
        return list(ReferenceEvaluator(model).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"
