"""MNN: of two -1 in a target, the first becomes 1."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {-1, -1}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got is None else "reproduced:", "[2, 3] to [-1, -1] gives", got)
