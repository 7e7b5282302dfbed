"""IREE: Reshape of [2, 3] to [2, 3, -1, -1] is accepted."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M, K, L] reshaped) <int64[4] shape = {2, 3, -1, -1}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got.startswith("refused") else "reproduced:", "[2, 3] to [2, 3, -1, -1] gives", got)
