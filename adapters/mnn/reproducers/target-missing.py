"""MNN: a Reshape without its target is converted, and the model that comes of it ends the process."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) {
    reshaped = Reshape(data)
}"""
print("reproduced if the process ends here", flush=True)
print("not reproduced: [2, 3] without a target gives", shape(MODEL, 2, 3))
