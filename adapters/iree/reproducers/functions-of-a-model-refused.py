"""IREE: a call of a function that the model defines is not compiled."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14, "local" : 1]> g (float[2, 3] data) => (float[N] reshaped) <int64[1] shape = {6}> {
    reshaped = local.Flat(data, shape)
}
<domain: "local", opset_import: ["" : 14]> Flat (from, to) => (flat) {
    flat = Reshape(from, to)
}"""
got = shape(MODEL, 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", "the call of a function on [2, 3] gives", got)
