"""IREE: Shape of operator set 5 is not converted."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 5]> g (float[A, B] data) => (float[N, M] reshaped) {
    dims = Shape(data)
    reshaped = Reshape(data, dims)
}"""
got = shape(MODEL, 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", "a target of Shape is", got)
