"""onnx.shape_inference, strict: a static element count that does not match is not noticed (only with a -1 is it)."""
import onnx.parser, onnx.shape_inference
for target in ("{4,2}", "{0,0,5}", "{7}"):
    m = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 14]> g (float[2,3,4] data) => (reshaped) <int64[%d] shape = %s> { reshaped = Reshape(data, shape) }' % (target.count(",") + 1, target))
    print(target, [d.dim_value for d in onnx.shape_inference.infer_shapes(m, True, True, True).graph.output[0].type.tensor_type.shape.dim])
