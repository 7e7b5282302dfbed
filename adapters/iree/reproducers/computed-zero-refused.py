"""IREE: a value of the target that the model computes from the data's dims, and that is 0 at the run, is refused, though it copies."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M] reshaped)
    <int64[1] one = {1}, int64[1] zero = {0}> {
    dims = Shape(data)
    second = Gather(dims, one)
    target = Concat<axis = 0>(second, zero)
    reshaped = Reshape(data, target)
}"""
given = shape(MODEL, 3, 0)
print("not reproduced:" if given == "[3, 0]" else "reproduced:", f"[3, 0] to [0, 0], which is [3, 0], gives {given}")
