"""What the reproducers share: rewrites a model, shows both graphs, and compares what they say with what a run gives."""
import itertools

import onnx.parser
import onnx.printer
import onnxsim
from onnx.reference import ReferenceEvaluator

STEPS = ["shape inference", "constant folding", "onnxoptimizer's passes"]


def simplified(model, steps=STEPS):
    """What these steps of onnxsim make of the model."""
    infers, folds, optimizes = (step in steps for step in STEPS)
    return onnxsim.simplify(
        model, skip_shape_inference=not infers, skip_constant_folding=not folds, perform_optimization=optimizes
    )[0]


def rewritten(model):
    """What onnxsim makes of the model. Prints both graphs."""
    print("before:", onnx.printer.to_text(model.graph))
    after = simplified(model)
    print("after:", onnx.printer.to_text(after.graph))
    return after


def smallest(model, differs):
    """The smallest set of steps with which the rewritten model differs, in words."""
    sets = (of for size in range(len(STEPS) + 1) for of in itertools.combinations(STEPS, size))
    found = next((of for of in sets if differs(simplified(model, of))), STEPS)
    return " and ".join(found) or "none of its steps"


def compare(text, feeds, inputs):
    """Prints whether the model gives the same shape before and after. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    before, after = shape_or_error(model, feeds), shape_or_error(rewritten(model), feeds)
    if after == before:
        print(f"not reproduced: {inputs} gives {before}, before and after onnxsim")
        return
    steps = smallest(model, lambda of: shape_or_error(of, feeds) != before)
    print(f"reproduced: {inputs} gives {before}, and {after} after onnxsim (it takes {steps})")


def compare_declared(text, feeds, inputs):
    """Prints whether the declared shape contradicts the one that a run gives. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    before = shape_or_error(model, feeds)

    def declared(of):
        dims = of.graph.output[0].type.tensor_type.shape.dim
        return [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]

    def differs(of):
        return isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared(of), before))

    after = rewritten(model)
    word, steps = ("reproduced", f" (it takes {smallest(model, differs)})") if differs(after) else ("not reproduced", "")
    print(f"{word}: {inputs} gives {before}, and onnxsim declares {declared(after)}{steps}")


def shape_or_error(model, feeds):
    """The shape that onnx's evaluator gives, or its error in words."""
    try:
        return list(ReferenceEvaluator(model).run(None, feeds)[0].shape)
    except (ValueError, IndexError) as error:
        return f"an error ({error})"
