"""IREE: a 0 in the target past the rank of the data, where there is nothing to copy, is a length."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M, K, L] reshaped) <int64[4] shape = {1, 2, 3, 0}> {
    reshaped = Reshape(data, shape)
}"""
AT_THE_RUN = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data, int64[4] shape) => (float[N, M, K, L] reshaped) {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3), shape(AT_THE_RUN, 2, 3, target=[1, 2, 3, 0])
same = got == ("[1, 2, 3, 0]", "[1, 2, 3, 0]")
print("reproduced:" if same else "not reproduced:", f"[2, 3] to [1, 2, 3, 0] gives {got[0]} in a constant, for data of unknown dims, and {got[1]} at the run")
