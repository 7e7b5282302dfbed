"""MNN: QuantizeLinear and DequantizeLinear swap the first two dims of data of four dims; no Reshape is involved."""
from mnn_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 13]> g (float[2, 3, 1, 1] data) => (float[A, B, C, D] reshaped)
<float one = {1}, int8 zero = {0}> {
    quantised = QuantizeLinear(data, one, zero)
    reshaped = DequantizeLinear(quantised, one, zero)
}"""
got = shape(MODEL, 2, 3, 1, 1)
print("not reproduced:" if got == [2, 3, 1, 1] else "reproduced:", "[2, 3, 1, 1], quantised and dequantised, becomes", got)
