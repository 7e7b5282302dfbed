"""MNN: the schema says that the target is tensor(int64); a constant of int32 is taken."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 2, 3)
print("not reproduced:" if got is None else "reproduced:", "[2, 3] to int32[3, 2] gives", got)
