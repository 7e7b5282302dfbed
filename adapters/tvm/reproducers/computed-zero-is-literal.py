"""TVM: a value of the target that comes from the Shape of the data, and is 0, does not copy."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64 second = {1}, int64[1] zero = {0}> {
    dims = Shape(data)
    dim = Gather(dims, second)
    value = Unsqueeze(dim, zero)
    target = Concat<axis=0>(value, zero)
    reshaped = Reshape(data, target)
}"""
got = shape(MODEL, 3, 0)
print("reproduced:" if got == "[0, 0]" else "not reproduced:", "[3, 0] to [0, 0] gives", got)
