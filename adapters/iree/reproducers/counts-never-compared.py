"""IREE: Reshape of [7] to [2, 3], a target that is an input, leaves an element out."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[7] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 7, target=[2, 3])
print("not reproduced:" if got.startswith("refused") else "reproduced:", "[7] to [2, 3] gives", got)
