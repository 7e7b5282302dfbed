"""IREE: Reshape of a [A, B, C] that is [2, 3, 4] to [-1, 4] gives [2, 4] and leaves 16 elements out."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B, C] data) => (float[N, M] reshaped) <int64[2] shape = {-1, 4}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3, 4)
print("reproduced:" if got == "[2, 4]" else "not reproduced:", "[2, 3, 4] to [-1, 4] gives", got)
