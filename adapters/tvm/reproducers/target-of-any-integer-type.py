"""TVM: Reshape takes a target of type int8, where the schema says tensor(int64)."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[A, B] reshaped) <int8[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got.startswith("refused") else "reproduced: an int8 target gives", got)
