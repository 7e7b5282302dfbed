"""MNN: with allowzero=1, a 0 in the target copies all the same."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%d, %d] data) => (float[N, M] reshaped) <int64[2] shape = {%d, %d}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
right = {((3, 0), (0, 0)): [0, 0], ((2, 0), (0, 3)): [0, 3], ((2, 3), (0, 3)): None}
for (data, target), expected in right.items():
    got = shape(MODEL % (data + target), *data)
    word = "not reproduced:" if got == expected else "reproduced:"
    print(word, list(data), "to", list(target), "with allowzero=1", "is refused" if got is None else f"gives {got}", flush=True)
