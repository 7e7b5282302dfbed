"""IREE: the compiler ends with SIGSEGV for a Reshape of [6] to [-1, -1]."""
from iree_reshape import ends_the_compiler

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data) => (float[N, M] reshaped) <int64[2] shape = {-1, -1}> {
    reshaped = Reshape(data, shape)
}"""
ends_the_compiler(MODEL)
