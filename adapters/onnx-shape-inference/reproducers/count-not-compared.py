"""onnx.shape_inference, strict: 24 elements become 8; a target with a -1 that does not fit is refused, one without is not."""
import onnx.parser
import onnx.shape_inference

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3, 4] data) => (reshaped) <int64[2] shape = {4, 2}> {
    reshaped = Reshape(data, shape)
}"""
try:
    model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(MODEL), check_type=True, strict_mode=True, data_prop=True)
    print("reproduced: [2, 3, 4] by [4, 2] is", [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim])
except onnx.shape_inference.InferenceError as error:
    print("not reproduced:", error)
