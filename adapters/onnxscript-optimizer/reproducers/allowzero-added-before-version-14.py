"""onnxscript: a Reshape of opset 13 gets the attribute allowzero, which it has only since version 14."""
import onnx.checker
import onnx.parser
import onnx.printer
from onnxscript import optimizer

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
    g (float[2, 3, 4] data, int64[1] shape) => (float[24] reshaped) {
    reshaped = Reshape(data, shape)
}""")
onnx.checker.check_model(model, full_check=True)
optimized = optimizer.optimize(model)  # the rule MaterializeReshapeShape
print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(optimized.graph))
try:
    onnx.checker.check_model(optimized, full_check=True)
    print("not reproduced: the optimized model is valid")
except onnx.checker.ValidationError as error:
    print("reproduced: the optimized model is invalid:", str(error).splitlines()[0])
