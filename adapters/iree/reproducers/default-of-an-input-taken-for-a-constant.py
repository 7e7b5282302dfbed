"""IREE: an initializer that is also an input of the graph is taken for a constant, and the program has no such input."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data, int64[2] shape) => (float[N, M] reshaped) <int64[2] shape = {2, 3}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 6, target=[3, 2])
print("reproduced:" if got != "[3, 2]" else "not reproduced:", "with a default of [2, 3], a run that passes [3, 2] gives", got)
