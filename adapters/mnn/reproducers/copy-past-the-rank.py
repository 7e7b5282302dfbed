"""MNN: a 0 past the rank of the data, behind another Reshape, is not refused."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 2] data) => (float[A, B, C, D] reshaped)
<int64[2] first = {2, 3}, int64[4] shape = {1, 2, 3, 0}> {
    between = Reshape(data, first)
    reshaped = Reshape(between, shape)
}"""
got = shape(MODEL, 3, 2)
print("not reproduced:" if got is None else "reproduced:", "[2, 3] to [1, 2, 3, 0] gives", got)
