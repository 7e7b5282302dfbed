"""MNN: the schema says that allowzero is an integer; a float is taken."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {3, 2}> {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got is None else "reproduced:", "[2, 3] to [3, 2] with allowzero=1.0 gives", got)
