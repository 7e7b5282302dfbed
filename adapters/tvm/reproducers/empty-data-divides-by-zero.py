"""TVM: Reshape of a [N, M] without elements to [3, 1] divides by the dim of 0, which ends the process."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped) <int64[2] shape = {3, 1}> {
    reshaped = Reshape(data, shape)
}"""
print("reproduced if the process ends here", flush=True)
print("not reproduced: [3, 0] to [3, 1] gives", shape(MODEL, 3, 0))
