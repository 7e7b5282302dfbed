"""MNN: a target of 64 values is written past the 9 places that a tensor has for its dims, which ends the process."""
from mnn_reshape import shape

ONES = ", ".join(["1"] * 62)
MODEL = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[6] data) => (float[N, M] reshaped) <int64[64] shape = {{2, {ONES}, 3}}> {{
    reshaped = Reshape(data, shape)
}}"""
print("reproduced if the process ends here", flush=True)
print("not reproduced: [6] to 64 dims gives", shape(MODEL, 6))
