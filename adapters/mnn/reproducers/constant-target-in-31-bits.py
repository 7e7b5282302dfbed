"""MNN: a value above 2^30 in a constant target becomes 2^30."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, 1099511627776}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 0, 3)
print("not reproduced:" if got in (None, [0, 1099511627776]) else "reproduced:", "[0, 3] to [0, 2^40] gives", got)
