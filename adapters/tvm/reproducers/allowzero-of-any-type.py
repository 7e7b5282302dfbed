"""TVM: allowzero as a float, where the schema says int, counts as set."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[A, B] reshaped) <int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
got = shape(MODEL, 3, 0)
print("not reproduced:" if got.startswith("refused") else "reproduced:", f"with allowzero=1.0, [3, 0] to [0, 0] gives {got}")
