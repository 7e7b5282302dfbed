"""MNN: a constant target of strings ends the process of the converter."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <string[2] shape = {"3", "2"}> {
    reshaped = Reshape(data, shape)
}"""
print("reproduced if the process ends here", flush=True)
print("not reproduced: [2, 3] to strings gives", shape(MODEL, 2, 3))
