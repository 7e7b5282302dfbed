"""MNN: with allowzero=1, a 0 in the target copies all the same."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, 3}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got is None else "reproduced:", "[2, 3] to [0, 3] with allowzero=1 gives", got)
