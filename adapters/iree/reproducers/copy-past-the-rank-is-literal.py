"""IREE: a 0 in the target past the rank of the data, where there is nothing to copy, is a length."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M, K, L] reshaped) <int64[4] shape = {1, 2, 3, 0}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got.startswith("refused") else "reproduced:", "[2, 3] to [1, 2, 3, 0] gives", got)
