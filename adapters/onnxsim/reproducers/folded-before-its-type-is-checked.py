"""onnxsim: a Reshape of constants is folded, so that the wrong type of its target is not seen."""
import onnx.checker
import onnx.parser
import onnx.shape_inference
from onnxsim_reshape import rewritten, smallest

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] reshaped)
    <int32[2] shape = {3, 2}, float[2, 3] given = {0, 1, 2, 3, 4, 5}> {
    dims = Shape(data)
    reshaped = Reshape(given, shape)
}""")


def is_valid(of):
    try:
        onnx.checker.check_model(of, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


if is_valid(rewritten(model)) and not is_valid(model):
    print(f"reproduced: a constant [2, 3] to [3, 2] of i32 is valid after onnxsim, and not before (it takes {smallest(model, is_valid)})")
else:
    print("not reproduced: a constant [2, 3] to [3, 2] of i32 is invalid before and after onnxsim")
