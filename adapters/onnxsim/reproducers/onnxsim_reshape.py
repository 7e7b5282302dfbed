"""What the reproducers share: rewrites a model, shows both graphs, and compares what they say with what a run gives."""
import onnx.parser
import onnx.printer
import onnxsim
from onnx.reference import ReferenceEvaluator


def rewritten(model):
    """What onnxsim makes of the model. Prints both graphs."""
    print("before:", onnx.printer.to_text(model.graph))
    after = onnxsim.simplify(model)[0]
    print("after:", onnx.printer.to_text(after.graph))
    return after


def compare(text, feeds, inputs):
    """Prints whether the model gives the same shape before and after. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    before, after = shape_or_error(model, feeds), shape_or_error(rewritten(model), feeds)
    word = "not reproduced" if after == before else "reproduced"
    print(f"{word}: {inputs} gives {before}, and {after} after onnxsim")


def compare_declared(text, feeds, inputs):
    """Prints whether the declared shape contradicts the one that a run gives. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    before = shape_or_error(model, feeds)
    dims = rewritten(model).graph.output[0].type.tensor_type.shape.dim
    declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
    differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
    print(f"{'reproduced' if differs else 'not reproduced'}: {inputs} gives {before}, and onnxsim declares {declared}")


def shape_or_error(model, feeds):
    """The shape that onnx's evaluator gives, or its error in words."""
    try:
        return list(ReferenceEvaluator(model).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"
