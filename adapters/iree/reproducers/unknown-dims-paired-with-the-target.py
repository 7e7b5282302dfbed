"""IREE: Reshape of a [A, B] that is [2, 3] to [3, 2] is refused, and of a [A, B, C] that is [2, 3, 4] to [-1, 4] gives [2, 4]."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data) => (float[N, M] reshaped) <int64[2] shape = {%s}> {
    reshaped = Reshape(data, shape)
}"""
refused, cut = shape(MODEL % ("A, B", "3, 2"), 2, 3), shape(MODEL % ("A, B, C", "-1, 4"), 2, 3, 4)
same = refused.startswith("refused") and cut == "[2, 4]"
print("reproduced:" if same else "not reproduced:", f"[2, 3, 4] to [-1, 4] gives {cut}; [2, 3] to [3, 2] is {refused}")
