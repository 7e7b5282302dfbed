"""IREE: an If is compiled where the dims of both branches are the same, and refused where they differ or are not known."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[%s] reshaped)
<int64[1] shape = {6}, bool condition = {1}> {
    reshaped = If (condition) <
        then_branch = one () => (float[6] flat) { flat = Reshape(data, shape) },
        else_branch = other () => (float[%s] same) { same = %s }>
}"""
same = shape(MODEL % ("6", "6", "Reshape(data, shape)"), 2, 3)
other = shape(MODEL % ("N", "2, 3", "Identity(data)"), 2, 3)
print("an If of two branches of [6] gives", same)
print("reproduced:" if other.startswith("refused") else "not reproduced:", "an If of [6] and [2, 3] gives", other)
