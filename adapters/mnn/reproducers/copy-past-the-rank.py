"""MNN: a 0 past the rank of the data is not refused."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 2] data) => (float[N, M] reshaped) <int64[3] shape = {2, 0, 0}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 0, 2)
print("not reproduced:" if got is None else "reproduced:", "[0, 2] to [2, 0, 0] gives", got)
