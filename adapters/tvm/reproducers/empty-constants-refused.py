"""TVM: a constant without elements is written into the compiled program, and cannot be read again."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[1] other) => (float[A, B] reshaped)
    <float[3, 0] data = {}, int64[2] shape = {0, 0}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 1)
print("reproduced:" if got.startswith("refused") else "not reproduced:", got)
