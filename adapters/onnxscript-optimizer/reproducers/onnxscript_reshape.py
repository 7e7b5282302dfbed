"""What the reproducers share: optimizes a model, shows both graphs, and compares them with each other or with a run."""
import onnx.checker
import onnx.parser
import onnx.printer
from onnx.reference import ReferenceEvaluator
from onnxscript import ir, optimizer, rewriter

STEPS = {"constant folding": optimizer.fold_constants, "the rewrite rules": rewriter.rewrite}


def step_that(model, differs):
    """The step of the optimizer that alone gives a model that differs, in words."""
    for name, step in STEPS.items():
        stepped = ir.from_proto(model)
        step(stepped)
        if differs(ir.to_proto(stepped)):
            return name
    return "both steps"


def compare(text, feeds, inputs):
    """Prints the graphs before and after, and whether their outputs have the same shape. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    optimized = optimizer.optimize(model)
    print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
    before, after = (shape_or_error(of, feeds) for of in (model, optimized))
    if after == before:
        print(f"not reproduced: {inputs} gives {before}, before and after the optimizer")
        return
    step = step_that(model, lambda of: shape_or_error(of, feeds) != before)
    print(f"reproduced: {inputs} gives {before}, and {after} after the optimizer (it takes {step})")


def compare_declared(text, feeds, inputs):
    """Prints whether the declared shape contradicts the one that a run gives. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    optimized = optimizer.optimize(model)
    print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
    before = shape_or_error(model, feeds)
    dims = optimized.graph.output[0].type.tensor_type.shape.dim
    declared = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
    differs = isinstance(before, list) and any(dim not in (None, got) for dim, got in zip(declared, before))
    print(f"{'reproduced' if differs else 'not reproduced'}: {inputs} gives {before}, and the optimizer declares {declared}")


def shape_or_error(model, feeds):
    try:
        return list(ReferenceEvaluator(model).run(None, feeds)[0].shape)
    except ValueError as error:
        return f"an error ({error})"
