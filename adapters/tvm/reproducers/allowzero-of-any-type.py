"""TVM: allowzero as a list, where the schema says int, counts as 1."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] reshaped) <int64[2] shape = {3, 2}> {
    reshaped = Reshape<allowzero=[1]>(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got.startswith("refused") else "reproduced:", f"with allowzero=[1], [2, 3] to [3, 2] gives {got}")
