"""IREE: a Loop whose body gives a value of another shape than it takes is refused."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N] reshaped)
<int64[1] shape = {6}, int64 once = {1}, bool go = {1}> {
    reshaped = Loop (once, go, data) <
        body = one (int64 i, bool before, float[%s] state) => (bool after, float[6] flat) {
            after = Identity(before)
            flat = Reshape(data, shape)
        }>
}"""
got = shape(MODEL % "2, 3", 2, 3)
print("reproduced:" if got.startswith("refused") else "not reproduced:", "a Loop that carries [2, 3] in and [6] out gives", got)
