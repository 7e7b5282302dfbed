"""What the reproducers share: optimizes a model, shows both graphs, and runs them on the same inputs."""
import onnx.checker
import onnx.parser
import onnx.printer
from onnx.reference import ReferenceEvaluator
from onnxscript import optimizer


def compare(text, feeds, inputs):
    """Prints the graphs before and after, and whether their outputs have the same shape. `inputs` says what is run, in words."""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    optimized = optimizer.optimize(model)
    print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
    before, after = (shape_or_error(of, feeds) for of in (model, optimized))
    word = "not reproduced" if after == before else "reproduced"
    print(f"{word}: {inputs} gives {before}, and {after} after the optimizer")


def shape_or_error(model, feeds):
    try:
        return list(ReferenceEvaluator(model).run(None, feeds)[0].shape)
    except ValueError as error:
        return f"an error ({error})"
