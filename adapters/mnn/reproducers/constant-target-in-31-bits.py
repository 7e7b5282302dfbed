"""MNN: a value above 2^30 in a constant target becomes 2^30, also one of 31 bits, as a dim of a valid node may have."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, %d}> {
    reshaped = Reshape(data, shape)
}"""
got = {power: shape(MODEL % value, 0, 3) for power, value in (("2^31-1", 2**31 - 1), ("2^40", 2**40))}
word = "reproduced:" if got["2^31-1"] == [0, 2**30] else "not reproduced:"
print(word, "; ".join(f"[0, 3] to [0, {power}] gives {dims}" for power, dims in got.items()))
