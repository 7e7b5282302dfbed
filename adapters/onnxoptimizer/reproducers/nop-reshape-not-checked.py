"""onnxoptimizer: one pass takes the target for the shape of the data. It drops a valid Reshape that is needed, and one that must be refused."""
import numpy as np
import onnx.parser
import onnx.printer
import onnxoptimizer
from onnx.reference import ReferenceEvaluator


def shape_or_error(of, shape):
    try:
        return ReferenceEvaluator(of).run(None, {"data": np.zeros(shape, np.float32)})[0].shape
    except ValueError as error:
        return f"an error ({error})"


def compare(dims, target, allowzero, shape):
    """Prints whether data of this shape, whose declared dims are `dims`, gives the same shape before and after the pass."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 14]> g (float[{dims}] data) => (float[{", ".join("PQ"[:len(target)])}] result)
    <int64[{len(target)}] shape = {{{", ".join(map(str, target))}}}> {{
    reshaped = Reshape<allowzero = {allowzero}>(data, shape)
    result = Neg(reshaped)
}}""")
    optimized = onnxoptimizer.optimize(model, ["eliminate_nop_reshape"])
    before, after = shape_or_error(model, shape), shape_or_error(optimized, shape)
    print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
    word = "not reproduced" if after == before else "reproduced"
    print(f"{word}: {shape} to {target} with allowzero={allowzero} gives {before}, and {after} after eliminate_nop_reshape")


compare("N", [0], 1, [1])
compare("N, 0", [5, 0], 1, [3, 0])
compare("N, M", [0, 7], 0, [0, 3])
