"""IREE: the compiler ends with SIGFPE for Reshape of [0, 3] to [3, -1]."""
from iree_reshape import ends_the_compiler

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {3, -1}> {
    reshaped = Reshape(data, shape)
}"""
ends_the_compiler(MODEL)
