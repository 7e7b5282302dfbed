"""MNN: one element becomes 641 × 6700417 of them, 2^32 + 1, since the counts are compared in 32 bits."""
from mnn_reshape import run

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[1] data) => (float[N, M] reshaped) <int64[2] shape = {641, 6700417}> {
    reshaped = Reshape(data, shape)
}"""
output = run(MODEL, 1)
if output is None:
    print("not reproduced: refused")
else:
    print("reproduced: [1] to [641, 6700417] gives", output.shape, flush=True)
