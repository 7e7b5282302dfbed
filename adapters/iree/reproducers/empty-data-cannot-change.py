"""IREE: Reshape of [0, 3] to [0, 7] is refused, since 3 is not 7."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, 7}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 0, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", "[0, 3] to [0, 7] is", got)
