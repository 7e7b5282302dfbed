"""TVM: Reshape of version 13, which has no attribute allowzero, obeys it."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 13]> g (float[3, 0] data) => (float[A, B] reshaped) <int64[2] shape = {0, 0}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
got = shape(MODEL, 3, 0)
print("reproduced:" if got == "[0, 0]" else "not reproduced:", f"at opset 13, [3, 0] to [0, 0] gives {got}")
