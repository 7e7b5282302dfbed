"""onnxsim: a Constant keeps an attribute of onnxsim's own, so the checker refuses the model."""
import onnx.checker
import onnx.parser
import onnx.printer
import onnxsim

model = onnx.parser.parse_model("""<ir_version: 3, opset_import: ["" : 5]> g (float[2, 3] data) => (float[A, B] reshaped) {
    index = Constant<value = int64 {0}>()
    last = Constant<value = int64[1] {3}>()
    dims = Shape(data)
    dim = Gather<axis = 0>(dims, index)
    first = Unsqueeze<axes = [0]>(dim)
    shape = Concat<axis = 0>(first, last)
    reshaped = Reshape(data, shape)
}""")
print("before:", onnx.printer.to_text(model.graph))
rewritten = onnxsim.simplify(model)[0]
print("after:", onnx.printer.to_text(rewritten.graph))
try:
    onnx.checker.check_model(rewritten)
    print("not reproduced: the checker takes the model")
except onnx.checker.ValidationError as error:
    print("reproduced: the checker refuses the model:", str(error).splitlines()[0])
