"""IREE: a -1 in a target that is an input is a length: it is refused, or becomes a dim."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
got = [shape(MODEL % "2, 3", 2, 3, target=[3, -1]), shape(MODEL % "4, 0", 4, 0, target=[-1, 0])]
wrong = got[0] != "[3, 2]" and not got[1].startswith("refused")
print("reproduced:" if wrong else "not reproduced:", f"[2, 3] to [3, -1] is {got[0]}; [4, 0] to [-1, 0] gives {got[1]}")
