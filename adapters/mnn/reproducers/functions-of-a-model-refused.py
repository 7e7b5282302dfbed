"""MNN: a call of a function that the model defines is refused by the converter."""
from mnn_reshape import convert

MODEL = """<ir_version: 8, opset_import: ["" : 14, "local" : 1]> g (float[2, 3] data) => (float[N] reshaped) <int64[1] shape = {6}> {
    reshaped = local.Flat(data, shape)
}
<domain: "local", opset_import: ["" : 14]> Flat (from, to) => (flat) {
    flat = Reshape(from, to)
}"""
module = convert(MODEL, ["data"])
print("reproduced: the converter refuses the function" if module is None else "not reproduced: the model is converted")
