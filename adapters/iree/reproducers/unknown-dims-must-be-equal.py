"""IREE: Reshape of a [A, B] that is [2, 3] to [3, 2] is refused, since 3 is not 2."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M] reshaped) <int64[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", "[2, 3] to [3, 2] is", got)
