"""IREE: Reshape of [4, 0] to [-1, 0] with allowzero=1 is accepted."""
from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[4, 0] data) => (float[N, M] reshaped) <int64[2] shape = {-1, 0}> {
    reshaped = Reshape <allowzero = 1> (data, shape)
}"""
got = shape(MODEL, 4, 0)
print("not reproduced:" if got.startswith("refused") else "reproduced:", "[4, 0] to [-1, 0] with allowzero=1 gives", got)
