"""TVM: in a target that Concat joins, a 0 copies in spite of allowzero=1, so that a right target is refused."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3, 0, 4] data) => (float[A, B, C] reshaped)
    <int64[1] six = {6}, int64[1] zero = {0}, int64[1] nine = {9}> {
    target = Concat<axis=0>(six, zero, nine)
    reshaped = Reshape<allowzero=1>(data, target)
}"""
got = shape(MODEL, 2, 3, 0, 4)
print("not reproduced:" if got == "[6, 0, 9]" else "reproduced:", "[2, 3, 0, 4] to [6, 0, 9] gives", got)
