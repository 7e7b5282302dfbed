"""TVM: a model with a Loop is refused."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] negated)
    <int64 once = {1}> {
    negated = Loop<body = body (int64 iteration, bool condition, float[2, 3] before) => (bool still, float[2, 3] after) {
        still = Identity(condition)
        after = Neg(before)
    }>(once, "", data)
}"""
got = shape(MODEL, 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", got)
