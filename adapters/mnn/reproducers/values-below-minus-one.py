"""MNN: values below -1 fit the count, and the output has negative dims."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data) => (float[N, M] reshaped) <int64[2] shape = {%s}> {
    reshaped = Reshape(data, shape)
}"""
two, one = shape(MODEL % ("6", "-2, -3"), 6), shape(MODEL % ("0, 3", "0, -2"), 0, 3)
word = "not reproduced" if two is None or one is None else "reproduced"
print(f"{word}: [6] to [-2, -3] gives {two}; [0, 3] to [0, -2] gives {one}")
