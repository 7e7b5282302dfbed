"""TVM: Reshape of version 13, which has no attribute allowzero, obeys it, and allowzero as a list counts as 1."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : %d]> g (float[%s] data) => (float[A, B] reshaped) <int64[2] shape = {%s}> {
    reshaped = Reshape<allowzero=%s>(data, shape)
}"""
old, listed = shape(MODEL % (13, "3, 0", "0, 0", "1"), 3, 0), shape(MODEL % (14, "2, 3", "3, 2", "[1]"), 2, 3)
same = old == "[0, 0]" and not listed.startswith("refused")
print("reproduced:" if same else "not reproduced:", f"at opset 13, [3, 0] to [0, 0] gives {old}; allowzero=[1] gives {listed}")
