"""MNN: a Reshape that is refused at the run ends the process where it is in the branch of an If."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data) => (float[M] reshaped)
<int64[1] shape = {8}, bool condition = {1}> {
    reshaped = If (condition) <
        then_branch = one () => (float[M] eight) { eight = Reshape(data, shape) },
        else_branch = other () => (float[M] same) { same = Identity(data) }>
}"""
assert shape(MODEL, 8) == [8], "data of 8 elements must be accepted"
print("reproduced if the process ends here", flush=True)
print("not reproduced: [4] to [8] in the branch of an If gives", shape(MODEL, 4))
