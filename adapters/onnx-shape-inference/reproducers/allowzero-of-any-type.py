"""onnx.shape_inference, strict, allowzero=1.0: the schema says that the attribute is an integer; a float is not refused."""
import onnx.parser
import onnx.shape_inference

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (reshaped) <int64[2] shape = {0, 3}> {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
try:
    model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(MODEL), check_type=True, strict_mode=True, data_prop=True)
    print("reproduced: no error; the output is", [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim])
except onnx.shape_inference.InferenceError as error:
    print("not reproduced:", error)
