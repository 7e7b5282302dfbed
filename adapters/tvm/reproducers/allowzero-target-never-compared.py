"""TVM: with allowzero=1 and a 0 in the target, Reshape loses six elements, and takes -1 for a length."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] reshaped) <int64[2] shape = {0, %d}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
got = [shape(MODEL % last, 2, 3) for last in (3, -1)]
refused = all(shape.startswith("refused") for shape in got)
print("not reproduced:" if refused else "reproduced: [2, 3] to [0, 3] and to [0, -1] gives", ", ".join(got))
