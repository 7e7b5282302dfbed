"""TVM: where the data's dim is not known, the output of Reshape takes as much memory as the target says, 8 TiB here."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data) => (float[A, B] reshaped)
    <int64[2] shape = {2, 1099511627776}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL, 6)
print("reproduced:" if got == "refused: std::bad_alloc" else "not reproduced:", "[6] to [2, 2^40] is", got)
