"""IREE: Reshape takes a target of type int8, where the schema says tensor(int64); a constant true of a target of bool counts as -1."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int8[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
TRUE = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N] reshaped) <bool[1] shape = {1}> {
    reshaped = Reshape(data, shape)
}"""
print("[2, 3] to [true] gives", shape(TRUE, 2, 3))
got = shape(MODEL, 2, 3)
print("not reproduced:" if got.startswith("refused") else "reproduced:", "an int8 target gives", got)
