"""TVM: a Slice of a Shape without axes, as operator sets before 10 write it, is refused."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 5]> g (float[5] data) => (float[A] reshaped) {
    dims = Shape(data)
    target = Slice<starts=[0], ends=[1]>(dims)
    reshaped = Reshape(data, target)
}"""
got = shape(MODEL, 5)
print("reproduced:" if got.startswith("refused") else "not reproduced:", got)
