"""MNN: two values below -1 fit the count, and the output has negative dims."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data) => (float[N, M] reshaped) <int64[2] shape = {-2, -3}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 6)
print("not reproduced:" if got is None else "reproduced:", "[6] to [-2, -3] gives", got)
