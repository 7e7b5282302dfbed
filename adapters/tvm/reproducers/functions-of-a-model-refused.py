"""TVM: a node that calls a function of the model is refused."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14, "local" : 1]> g (float[2, 3] data) => (float[A, B] negated) {
    negated = local.Negate(data)
}
<domain: "local", opset_import: ["" : 14]> Negate (x) => (y) {
    y = Neg(x)
}"""
got = shape(MODEL, 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", got)
