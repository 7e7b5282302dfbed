"""onnxscript: a Reshape of constants is folded before the type of its target is checked."""
import onnx.checker
import onnx.parser
import onnx.printer
from onnxscript import optimizer

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g () => (float[A, B] reshaped)
    <float[2, 3] data = {1, 2, 3, 4, 5, 6}, int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}""")
try:
    onnx.checker.check_model(model, full_check=True)
    print("not reproduced: the model is valid")
except onnx.shape_inference.InferenceError as error:
    print("before: invalid:", str(error).splitlines()[0])
    optimized = optimizer.optimize(model)
    onnx.checker.check_model(optimized, full_check=True)
    print("after: valid:", onnx.printer.to_text(optimized.graph))
    folded = not any(node.op_type == "Reshape" for node in optimized.graph.node)
    word = "reproduced" if folded else "not reproduced"
    print(f"{word}: the target is int32, and the optimizer makes a valid model of it")
